import { expect, test } from 'vitest';
import type { ComparisonRecord, KernelResult, Results } from '../../src/report/results.ts';
import { kernelResult } from '../../tests/report/results-fixtures.ts';
import { falseVerdicts, judgePlanted, whyNotJudged } from './judge.ts';
import { plant } from './plant.ts';
import { strangers } from './projects.ts';
import { findFaults, isWrong, nameOf, strangerTables } from './tables.ts';
import type { Tried } from './try-project.ts';

const place = { file: 'src/x.c', after: 'int f(void)\n{\n', cost: '\tplanted();' };
const text = '#include "x.h"\nint f(void)\n{\n\treturn 0;\n}\n';

test('plants a cost below a comment, or the comment alone, and says at which line', () => {
  const costing = plant(text, place, true);
  const lines = costing.text.split('\n');
  expect(lines[costing.line - 1]).toBe(place.cost);
  expect(lines.filter((line) => line !== place.cost).join('\n')).toBe(plant(text, place, false).text);
  expect(plant(text, place, false).text.replace(/\/\*[\s\S]*\*\/\n/, '')).toBe(text);
  expect(() => plant(text + text, place, true)).toThrow('src/x.c does not have "int f(void)\\n{\\n" once');
});

const changed = (of: Partial<ComparisonRecord>) => ({ measure: 'bpf-instructions', ...of }) as ComparisonRecord;
const resultsOf = (comparisons: readonly ComparisonRecord[], kernels: readonly KernelResult[] = []) =>
  ({ comparisons, kernels }) as unknown as Results;
const lines = (file: string, line: number) => [{ source: { file, line }, base: 1, head: 5 }];
const grown = { verdict: 'regression', delta: 4 } as const;
const planted = { program: 'x/f', file: 'src/x.c', line: 7 };

test('finds a cost in its program and at its line, and every other change to be false', () => {
  const own = changed({ ...grown, benchmark: 'x/f/arp', lines: lines('/tmp/project/src/x.c', 7) });
  const other = changed({ ...grown, benchmark: 'y/f/arp' });
  const results = resultsOf([own, other, changed({ verdict: 'unchanged', delta: 0, benchmark: 'y/f/udp' })]);
  expect(judgePlanted(results, planted)).toEqual({
    grown: 'x/f/arp bpf-instructions +4',
    elsewhere: ['y/f/arp bpf-instructions +4'],
    line: '/tmp/project/src/x.c:7',
    isRightLine: true,
  });
  expect(falseVerdicts(results)).toHaveLength(2);
  expect(falseVerdicts(resultsOf([changed({ verdict: 'added', benchmark: 'z/f' })]))).toEqual([]);
  expect(judgePlanted(resultsOf([other]), planted)).toMatchObject({ grown: null, line: null });
});

test.each([
  ['another line', lines('src/x.c', 8)],
  ['the same line of another file', lines('src/y.c', 7)],
  ['no line', null],
])('%s is not the right line', (_, named) => {
  const own = changed({ ...grown, benchmark: 'x/f', lines: named });
  expect(judgePlanted(resultsOf([own]), planted).isRightLine).toBe(false);
});

test('a kernel that failed, and results without a comparison, are not judged', () => {
  expect(whyNotJudged(resultsOf([], [kernelResult('6.1')]))).toBe('nothing was compared');
  const error = { kind: 'vm', message: 'it died', hint: null, consoleTail: [], benches: [] } as const;
  expect(whyNotJudged(resultsOf([changed({})], [kernelResult('6.1', { error })]))).toBe('6.1: it died');
});

const [stranger, sampled] = strangers;
const right = { grown: 'x/f +4', elsewhere: [], line: 'src/x.c:7', isRightLine: true };
const tried = (of: Partial<Tried>): Tried => ({
  stranger: stranger as Tried['stranger'],
  init: '',
  doctor: 'nothing',
  unchanged: { comparisons: 8, changed: [] },
  planted: right,
  minutes: 1,
  ...of,
});

test.each([
  [{}, []],
  [{ planted: { ...right, line: null, isRightLine: false } }, []],
  [{ unchanged: 'nothing was compared' }, ['nothing was compared']],
  [{ unchanged: { comparisons: 8, changed: ['x/f +1'] } }, ['false: x/f +1']],
  [{ planted: { ...right, grown: null, line: null, isRightLine: false } }, ['the cost is not found']],
  [{ planted: { ...right, elsewhere: ['y/f +1'] } }, ['false: y/f +1']],
  [{ planted: { ...right, isRightLine: false } }, ['wrong line: src/x.c:7']],
] as const)('of %j the faults are %j', (of, faults) => {
  expect(findFaults(tried(of))).toEqual(faults);
  expect(isWrong(tried(of))).toBe(faults.length > 0);
});

test('a known failure does not fail the run, and is reported where it passes', () => {
  const known = { stranger: sampled as Tried['stranger'] };
  const failing = tried({ ...known, unchanged: { comparisons: 8, changed: ['x/f +1'] } });
  expect(isWrong(failing)).toBe(false);
  const { known: rows } = strangerTables([failing, tried(known)]);
  expect(rows?.map(({ now }) => now)).toEqual(['false: x/f +1', 'passes']);
});

test('every project has a name of its own, and its checksum', () => {
  expect(new Set(strangers.map(nameOf)).size).toBe(strangers.length);
  for (const { origin } of strangers) {
    expect(origin.from === 'go' ? origin.sum : origin.sha256).toMatch(/^(h1:.{44}|[0-9a-f]{64})$/);
  }
});
