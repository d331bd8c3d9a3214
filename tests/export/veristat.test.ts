import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Gap, LoadValue, Measurement, Verification } from '../../src/bench/measurement.ts';
import { exportVeristat, renderVeristat } from '../../src/export/veristat.ts';
import type { RevisionName } from '../../src/model/build.ts';
import type { Results } from '../../src/report/results.ts';
import { kernelResult, measurement, resultsOf } from '../report/results-fixtures.ts';

const printed = (name: string) => readFileSync(new URL(`fixtures/veristat/${name}.csv`, import.meta.url), 'utf8');
const statistics: Verification = {
  instructions: 152,
  totalStates: 11,
  peakStates: 9,
  maxStatesPerInstruction: 3,
  markRead: 5,
  timeUs: 800,
};
const header =
  'file_name,prog_name,verdict,duration,total_insns,total_states,peak_states,max_states_per_insn,max_mark_read_len\n';

function loads(benchmark: string, value: number, fields: Partial<LoadValue> = {}): Measurement {
  const own = { lane: 'verifier', measure: 'loads', unit: '', better: 'higher', verification: statistics } as const;
  return measurement({ ...own, benchmark, value, revision: 'head', ...fields });
}

/** The measurements that would have given these rows. */
function measured(csv: string, revision: RevisionName): Measurement[] {
  const [, ...rows] = csv.trim().split('\n');
  return rows.map((row) => {
    const [file = '', program, verdict, ...values] = row.split(',');
    const [timeUs, instructions, totalStates, peakStates, maxStatesPerInstruction, markRead] = values.map(Number);
    const verification = { timeUs, instructions, totalStates, peakStates, maxStatesPerInstruction, markRead };
    return loads(`${file.replace('.bpf.o', '')}/${program}`, verdict === 'success' ? 1 : 0, {
      revision,
      verification: verification as Verification,
    });
  });
}

const inKernels = (measurements: readonly Measurement[], gaps: readonly Gap[] = [], ids: readonly string[] = ['6.1']) =>
  resultsOf(
    measurements,
    ids.map((id) => kernelResult(id)),
    undefined,
    gaps,
  );
const [base, head] = (['base', 'head'] as const).map((name) => measured(printed(name), name)) as [
  Measurement[],
  Measurement[],
];

describe('what veristat prints', () => {
  test('of one revision', () => {
    // It sorts them again.
    expect(exportVeristat(inKernels(head.toReversed()))).toBe(printed('head'));
    expect(exportVeristat(inKernels([...base, ...head]), 'base')).toBe(printed('base'));
    expect(renderVeristat(inKernels(head))).toBe(printed('head'));
  });

  test('of two revisions', () => {
    const compared = printed('compared');
    for (const part of ['MATCH', 'MISMATCH', 'N/A', '%)']) expect(compared).toContain(`,${part}`.replace(',%', '%'));
    expect(renderVeristat(inKernels([...base, ...head]))).toBe(compared);
  });

  test.each([
    [800, 801, '+1 (+0.12%)'],
    [800, 803, '+3 (+0.38%)'],
    [800, 795, '-5 (-0.62%)'],
    [800, 793, '-7 (-0.88%)'],
    [3, 4, '+1 (+33.33%)'],
    [100_001, 100_000, '-1 (-0.00%)'],
    [0, 7, '+7 (+100.00%)'],
    [0, 0, '+0 (+0.00%)'],
  ])('where %d becomes %d', (before, after, expected) => {
    const sides = [
      loads('x/f', 1, { revision: 'base', verification: { ...statistics, instructions: before } }),
      loads('x/f', 1, { verification: { ...statistics, instructions: after } }),
    ];
    expect(renderVeristat(inKernels(sides))).toContain(`,${before},${after},${expected},`);
  });
});

test('a file has the base of its path, as veristat has it', () => {
  const objects = { probe: 'out/deep/probe.o' };
  const results = resultsOf([loads('probe/f', 1), loads('old/f', 1)], [kernelResult('6.1', { objects })]);
  expect(exportVeristat(results)).toBe(
    `${header}old.bpf.o,f,success,800,152,11,9,3,5\nprobe.o,f,success,800,152,11,9,3,5\n`,
  );
});

test('what is not known is 0, and a program that could not be tried failed', () => {
  const gap = { kernel: '6.1', lane: 'verifier', revision: 'head', needs: null, reason: 'no fentry' } as const;
  const gaps = ['x/g', 'y/*'].map((benchmark) => ({ ...gap, benchmark }));
  const some = loads('x/f', 0, { verification: { ...statistics, markRead: null } });
  expect(exportVeristat(inKernels([some], gaps))).toBe(
    `${header}x.bpf.o,f,failure,800,152,11,9,3,0\nx.bpf.o,g,failure,0,0,0,0,0,0\n`,
  );
});

test('a renamed program is two rows', () => {
  const sides = [loads('x/new', 1, { revision: 'base', renamedFrom: 'x/old' }), loads('x/new', 1)];
  const rows = renderVeristat(inKernels(sides)).split('\n');
  expect(rows.slice(1).map((row) => row.split(',').slice(0, 5).join())).toEqual([
    'x.bpf.o,new,N/A,success,N/A',
    'x.bpf.o,old,success,N/A,N/A',
    '',
  ]);
});

test('several kernels have a column in front, in one CSV', () => {
  const kernels = ['5.10', '6.1'];
  const sides = kernels.flatMap((kernel) => [
    loads('x/f', 1, { kernel }),
    loads('x/f', 1, { kernel, revision: 'base' }),
  ]);
  const results = inKernels(sides, [], kernels);
  expect(exportVeristat(results)).toBe(
    `kernel,${header}${kernels.map((id) => `${id},x.bpf.o,f,success,800,152,11,9,3,5\n`).join('')}`,
  );
  expect(renderVeristat(results)).toMatch(
    /^kernel,file_name,prog_name,verdict_base,verdict_comp,verdict_diff,.*\n5\.10,x\.bpf\.o,f,success,success,MATCH,.*\n6\.1,/,
  );
});

test('names with a comma or a quote are quoted, which veristat does not do, and cannot break a line', () => {
  const objects = { odd: 'out/a,"b".bpf.o' };
  const odd = measured(printed('odd').replaceAll('a,"b"', 'odd'), 'head');
  const own = printed('odd').replaceAll('a,"b".bpf.o', '"a,""b"".bpf.o"');
  expect(own).not.toBe(printed('odd'));
  expect(exportVeristat(resultsOf(odd, [kernelResult('6.1', { objects })]))).toBe(own);
  expect(exportVeristat(inKernels([loads('x/f\nx,g,success', 1)]))).toBe(
    `${header}x.bpf.o,"f\\nx,g,success",success,800,152,11,9,3,5\n`,
  );
});

test('results without the verifier lane are refused', () => {
  expect(() => exportVeristat(inKernels([measurement()]) as Results)).toThrow(
    'no program of head from the verifier lane',
  );
});
