import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/errors.ts';
import { joinResults } from '../../src/report/join.ts';
import { buildReport } from '../../src/report/report-model.ts';
import type { KernelResult, Results } from '../../src/report/results.ts';
import { parseResults, serializeResults } from '../../src/report/results-schema.ts';
import { kernelResult, pair, profilesOf, resultsOf, strictGate } from './results-fixtures.ts';

function fingerprinted(id: string, fields: Record<string, string> = {}): KernelResult {
  const fingerprint = {
    kernel: `sum of ${id}`,
    commandLine: `for ${id}`,
    initramfs: `of ${id}`,
    qemu: '7.2.22',
    rustc: '1.95.0',
    ...fields,
  };
  return kernelResult(id, { fingerprint });
}

function oneKernel(id: string, base = 160, head = base, tools: Record<string, string> = {}): Results {
  return resultsOf(
    [...pair(base, head, { kernel: id }), ...pair(612, 612, { kernel: id, benchmark: 'profiler/perf_profiler' })],
    [fingerprinted(id, tools)],
  );
}

function failed(id: string): Results {
  const error = { kind: 'vm', message: 'no boot', hint: null, consoleTail: [] } as const;
  return resultsOf([], [kernelResult(id, { machine: null, fingerprint: null, error })]);
}

const join = (...all: Results[]) => joinResults(all.map((results, index) => ({ file: `${index + 1}.json`, results })));

test('joins kernels by version, in whatever order the files come', () => {
  const [one, two, three] = [oneKernel('6.12'), oneKernel('5.4'), oneKernel('5.10')];
  const joined = join(one, two, three);
  expect(joined.kernels.map(({ id }) => id)).toEqual(['5.4', '5.10', '6.12']);
  expect(joined.comparisons.map(({ kernel }) => kernel)).toEqual(['5.4', '5.4', '5.10', '5.10', '6.12', '6.12']);
  expect(joined.measurements).toHaveLength(12);
  expect(join(three, two, one)).toEqual(joined);
  expect(parseResults(serializeResults(joined), 'joined')).toEqual(joined);
});

test('puts what a kernel is too old for beside what ran on the others', () => {
  const gaps = (['base', 'head'] as const).map((revision) => ({
    kernel: '5.10',
    lane: 'instructions' as const,
    revision,
    benchmark: 'macro/fun_xdp',
    needs: '5.18',
  }));
  const joined = join(oneKernel('6.12'), resultsOf([], [fingerprinted('5.10')], strictGate, gaps));
  expect(joined.gaps).toEqual(gaps);
  expect(joined.verdict).toBe('pass');
  const row = buildReport(joined).rows.find(({ benchmark }) => benchmark === 'macro/fun_xdp');
  expect(row?.gaps).toEqual([{ base: '5.18', head: '5.18' }, null]);
});

test('puts profiles in the order of their kernels', () => {
  const withProfile = (id: string): Results => ({ ...oneKernel(id), profiles: profilesOf(id, 'a', ['head.cpu.svg']) });
  const joined = join(withProfile('6.12'), oneKernel('6.1'), withProfile('5.10'));
  expect(joined.profiles).toEqual([
    ...profilesOf('5.10', 'a', ['head.cpu.svg']),
    ...profilesOf('6.12', 'a', ['head.cpu.svg']),
  ]);
});

test('keeps the origins of one version apart, and together', () => {
  const joined = join(oneKernel('6.12'), oneKernel('6.1:source', 160, 188), oneKernel('6.2'), oneKernel('6.1'));
  expect(joined.kernels.map(({ id }) => id)).toEqual(['6.1', '6.1:source', '6.2', '6.12']);
  const changed = joined.comparisons.filter(({ delta }) => delta !== 0);
  expect(changed.map(({ kernel }) => kernel)).toEqual(['6.1:source']);
});

test('equals the result of one run over all kernels', () => {
  const ids = ['5.10', '6.1'];
  const whole = resultsOf(
    ids.flatMap((id) => oneKernel(id, 160, 188).measurements),
    ids.map((id) => fingerprinted(id)),
  );
  expect(join(oneKernel('6.1', 160, 188), oneKernel('5.10', 160, 188))).toEqual(whole);
});

describe('decides the verdict anew', () => {
  test.each([
    ['pass', [oneKernel('5.10'), oneKernel('6.1')]],
    ['regression', [oneKernel('5.10'), oneKernel('6.1', 160, 161)]],
    ['error', [oneKernel('5.10'), failed('6.1')]],
    ['regression', [failed('5.10'), oneKernel('6.1', 160, 161)]],
    ['pass', [{ ...oneKernel('5.10'), verdict: 'regression' as const }]],
  ])('%s', (verdict, all) => {
    expect(join(...all).verdict).toBe(verdict);
  });
});

describe('refuses what is not of one run', () => {
  const other = oneKernel('6.1');
  const { base, head } = other.revisions;
  test.each<[part: string, Results, message: string]>([
    ['bpfgate', { ...other, bpfgate: '0.2.0' }, 'version of bpfgate is `0.1.0` in `1.json` and `0.2.0` in `2.json`'],
    [
      'project',
      { ...other, project: { ...other.project, name: 'x' } },
      'project name is `example-project` in `1.json`',
    ],
    [
      'base',
      { ...other, revisions: { head, base: { ...base, tree: 'cc' } } },
      `tree of base is \`${base.tree}\` in \`1.json\` and \`cc\` in \`2.json\``,
    ],
    [
      'head',
      { ...other, revisions: { base, head: { ...head, tree: 'cc' } } },
      `tree of head is \`${head.tree}\` in \`1.json\` and \`cc\` in \`2.json\``,
    ],
    [
      'compiler of base',
      { ...other, revisions: { head, base: { ...base, tools: { ...base.tools, rustc: 'rustc 1.96.0' } } } },
      'rustc of base is `rustc 1.95.0` in `1.json` and `rustc 1.96.0` in `2.json`',
    ],
    [
      'tools',
      oneKernel('6.1', 160, 160, { rustc: '1.96.0', go: '1.26' }),
      'go is missing in `1.json` (5.10) and `1.26` in `2.json` (6.1); ' +
        'rustc is `1.95.0` in `1.json` (5.10) and `1.96.0` in `2.json` (6.1)',
    ],
    ['a hostile tool', oneKernel('6.1', 160, 160, { rustc: '\u001b[2J' }), '`\\u{1b}[2J` in `2.json`'],
  ])('%s', (_part, second, message) => {
    expect(() => join(oneKernel('5.10'), second)).toThrow(InputError);
    expect(() => join(oneKernel('5.10'), second)).toThrow(message);
  });

  test('also behind a kernel that has no fingerprint', () => {
    const all = [failed('5.4'), oneKernel('5.10'), oneKernel('6.1', 1, 1, { qemu: '10.0' })];
    expect(() => join(...all)).toThrow('qemu is `7.2.22` in `2.json` (5.10) and `10.0` in `3.json` (6.1)');
  });

  test('a kernel in two files', () => {
    const repeated = () => join(oneKernel('5.10'), oneKernel('6.1'), oneKernel('5.10'));
    expect(repeated).toThrow(InputError);
    expect(repeated).toThrow('kernel `5.10` is in both `1.json` and `3.json`');
  });

  test.each<[what: string, Partial<Results>]>([
    ['profile', { profiles: profilesOf('6.6', 'a', ['head.cpu.svg']) }],
    ['measurement', { measurements: pair(1, 1, { kernel: '6.6' }) }],
  ])('a %s of a kernel that its file does not name, instead of losing it', (_what, stray) => {
    const joined = () => join(oneKernel('5.10'), { ...oneKernel('6.1'), ...stray });
    expect(joined).toThrow(InputError);
    expect(joined).toThrow('`2.json` is not a valid result file: kernel `6.6` is not among its kernels');
  });

  test('no file at all', () => {
    expect(() => join()).toThrow(InputError);
  });
});

test('a working tree and a commit of the same tree are the same revision', () => {
  const other = oneKernel('6.1');
  const head = { ...other.revisions.head, ref: 'HEAD', commit: 'dd'.repeat(20) };
  const joined = join(oneKernel('5.10'), { ...other, revisions: { ...other.revisions, head } });
  expect(joined.revisions.head.ref).toBe('working tree');
});
