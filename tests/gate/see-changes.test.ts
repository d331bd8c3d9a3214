import { expect, test } from 'vitest';
import { MachineError } from '../../src/common/errors.ts';
import { seeChanges } from '../../src/gate/see-changes.ts';
import type { GuestContext } from '../../src/vm/guest.ts';
import type { MeasureRequest } from '../../src/vm/measure-in-guest.ts';
import { pair, strictGate } from '../report/results-fixtures.ts';

type Given = Parameters<typeof seeChanges>[0];

/** Looks at a change of an exact count on a machine without QEMU. */
function look(signal?: AbortSignal) {
  const run = { programs: [], loads: [] } as unknown as Given['run'];
  const measurements = pair(100, 130, { benchmark: 'x/prog/udp', kernel: '6.1' });
  const builds = { objects: [{ name: 'x', revision: 'head' }] };
  const request = { kernel: { pin: { id: '6.1' } }, plan: { benches: [] }, builds } as unknown as MeasureRequest;
  const context = { environment: { PATH: '' }, signal } as unknown as GuestContext;
  return seeChanges({ measurements, gaps: [], run }, [], request, strictGate, context, Number.POSITIVE_INFINITY);
}

test('why the runs of a changed program were not seen is in the report', async () => {
  const reason = 'runs were not seen one by one, so changes that are not exact are not decided';
  expect(await look()).toEqual({ inside: [], warnings: [{ about: [], reason, detail: 'QEMU is not installed' }] });
});

test('an interruption is none of these reasons', async () => {
  await expect(look(AbortSignal.abort())).rejects.toThrow(MachineError);
});
