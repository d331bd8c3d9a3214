import { expect, test } from 'vitest';
import type { InsideCount, RunKind } from '../../src/bench/inside.ts';
import { addsUp, renderInside } from '../../src/report/inside-table.ts';
import type { MeasurementRecord } from '../../src/report/results.ts';

const lookup = { way: 'call', name: '__htab_map_lookup_elem', least: 41, most: 63, frequent: 42 } as const;

function count(input: string, fields: Partial<InsideCount> = {}): InsideCount {
  return {
    kernel: '6.1',
    revision: 'head',
    benchmark: `x/prog/${input}`,
    reason: null,
    counted: 142.5,
    lines: [
      { file: 'src/x.c', line: 42, instructions: 85.5 },
      { file: null, line: 0, instructions: 2 },
    ],
    code: [],
    calls: [{ ...lookup, calls: 1.5, instructions: 63 }],
    ...{ kinds: [], otherKinds: 0, interruptions: [], ranges: new Map() },
    empty: 8,
    rest: 0,
    ...fields,
  };
}

function record(input: string, value: number, exact = true) {
  const own = { kernel: '6.1', revision: 'head', lane: 'instructions', measure: 'bpf-instructions' };
  return { ...own, benchmark: `x/prog/${input}`, value, exact } as unknown as MeasurementRecord;
}

const render = (inside: readonly InsideCount[], ...measurements: MeasurementRecord[]) =>
  renderInside(inside, { measurements });

test('inputs with one result share a table, most first', () => {
  // The number of runs is no result.
  const kind = { callback: null, own: 14, calls: [], least: 56, most: 56, frequent: 56 };
  const inside = ['arp', 'dns', 'gre', 'icmp'].map((input, runs) => count(input, { kinds: [{ ...kind, runs }] }));
  expect(
    render(inside, record('arp', 142.5)),
  ).toBe(`x/prog on arp, dns and 2 other inputs, 6.1: 142.5 instructions a run
  instructions  where
          85.5  src/x.c:42
          63.0  __htab_map_lookup_elem, 1.5 calls of 42 (41 to 63)
           2.0  code without a known line
          −8.0  an empty program, which does not count
`);
  expect(addsUp(inside)).toBe(true);
});

test('what does not add up, and another count of record, are shown', () => {
  const interruptions = [
    { name: 'asm_exc_page_fault', times: 1, instructions: 3000 },
    { name: 'irq_entries_start', times: 0.1, instructions: 90 },
    { name: null, times: 0.1, instructions: 50 },
  ];
  const own = count('arp', { counted: 3217, calls: [], interruptions, rest: -2.5 });
  const text = render([own], record('arp', 3070), record('dns', 1));
  expect(text).toContain('3,000.0  page faults, 1.0 a run\n');
  expect(text).toContain('   90.0  interrupts by irq_entries_start, 0.1 a run\n');
  expect(text).toContain('   50.0  other threads, 0.1 a run\n');
  expect(text).toContain('  −2.5  not seen: it does not add up\n');
  expect(text).toContain('  warning: x/prog/arp: the boot of record counted 3,070\n');
  expect(text).not.toContain('dns');
  expect(addsUp([own])).toBe(false);
});

test('programs that were not seen share a line', () => {
  const reason = 'it is attached';
  const unseen = ['x/one/workload', 'x/two/workload'].map((benchmark) => count('', { benchmark, reason, lines: [] }));
  expect(render([count('arp'), ...unseen])).toContain('\nnot seen inside, 6.1: x/one, x/two: it is attached\n');
  expect(render([])).toBe('not seen inside: no program ran on an input\n');
});

test('only the most expensive lines and calls have rows', () => {
  const lines = Array.from({ length: 30 }, (_, line) => ({ file: 'x.c', line: line + 1, instructions: 100 - line }));
  const text = render([count('arp', { lines, calls: [], counted: 2557, empty: null })]);
  expect(text.match(/x\.c:/g)).toHaveLength(20);
  expect(text).toContain('         755  10 others\n');
});

test('kinds of run have rows where there are several', () => {
  const own = (runs: number, fields: Partial<RunKind>): RunKind => ({
    ...{ callback: null, runs, own: 14, calls: [], least: 56, most: 63, frequent: 56 },
    ...fields,
  });
  const calls = [
    { way: 'call', name: '__htab_map_lookup_elem', calls: 1 },
    { way: 'jump', name: 'its_return_thunk', calls: 2 },
  ] as const;
  const kinds = [own(6, { calls }), own(2, { least: 14, most: 14, frequent: 14 }), own(2, { callback: 'on_timer' })];
  expect(render([count('arp', { kinds, otherKinds: 3 })])).toContain(`
  runs   instructions  own  kind of run
     6  56 (56 to 63)   14  __htab_map_lookup_elem, 2 jumps of its_return_thunk
     2             14   14  no calls
     2  56 (56 to 63)   14  on_timer, called by the kernel: no calls
     3                      other kinds
`);
  expect(render([count('arp', { kinds: kinds.slice(0, 1) })])).not.toContain('kind of run');
});
