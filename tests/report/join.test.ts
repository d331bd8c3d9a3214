import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { exitCodeOf } from '../../src/report/gate-verdict.ts';
import { addMissingKernels, fileOfProfiles, joinResults } from '../../src/report/join.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { buildReport } from '../../src/report/report-model.ts';
import { type KernelResult, type Results, readMeasurements, recordMeasurement } from '../../src/report/results.ts';
import { parseResults, serializeResults } from '../../src/report/results-schema.ts';
import { renderText } from '../../src/report/text.ts';
import { sourcePin } from '../kernels/kernel-fixtures.ts';
import { assertAlways } from '../statistics/assert-always.ts';
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
  const error = { kind: 'vm', message: 'no boot', hint: null, consoleTail: [], benches: [] } as const;
  return resultsOf([], [kernelResult(id, { machine: null, fingerprint: null, error })]);
}

const join = (...all: Results[]) => joinResults(all.map((results, index) => ({ file: `${index + 1}.json`, results })));

test('joins kernels by version, in any order of the files', () => {
  const [one, two, three] = [oneKernel('6.12'), oneKernel('5.4'), oneKernel('5.10')];
  const joined = join(one, two, three);
  expect(joined.kernels.map(({ id }) => id)).toEqual(['5.4', '5.10', '6.12']);
  expect(joined.comparisons.map(({ kernel }) => kernel)).toEqual(['5.4', '5.4', '5.10', '5.10', '6.12', '6.12']);
  expect(joined.measurements).toHaveLength(12);
  expect(join(three, two, one)).toEqual(joined);
  expect(parseResults(serializeResults(joined), 'joined')).toEqual(joined);
});

test('shows what a kernel is too old for next to what ran on the others', () => {
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
  const row = buildReport(joined).unchanged.rows.find(({ benchmark }) => benchmark === 'macro/fun_xdp');
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

test('keeps the origins of one version separate and next to each other', () => {
  const joined = join(oneKernel('6.12'), oneKernel('6.1:source', 160, 188), oneKernel('6.2'), oneKernel('6.1'));
  expect(joined.kernels.map(({ id }) => id)).toEqual(['6.1', '6.1:source', '6.2', '6.12']);
  const changed = joined.comparisons.filter(({ delta }) => delta !== 0);
  expect(changed.map(({ kernel }) => kernel)).toEqual(['6.1:source']);
});

test('equals the result of one run over all kernels', () => {
  const ids = ['5.10', '6.1'];
  const whole = resultsOf(
    ids.flatMap((id) => readMeasurements(oneKernel(id, 160, 188).measurements)),
    ids.map((id) => fingerprinted(id)),
  );
  expect(join(oneKernel('6.1', 160, 188), oneKernel('5.10', 160, 188))).toEqual(whole);
});

test('has each diff once', () => {
  const diffs = [{ source: { file: 'a.rs', line: 7 }, removed: [], added: ['x'] }];
  expect(join(...['5.10', '6.1'].map((id) => ({ ...oneKernel(id), diffs }))).diffs).toEqual(diffs);
});

describe('computes the verdict again', () => {
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

describe('a kernel that was measured with other tools', () => {
  const other = oneKernel('6.1');
  const { base, head } = other.revisions;
  const detailsOf = (...all: Results[]) =>
    join(...all).kernels.map(({ id, warnings }) => [id, ...warnings.map(({ detail }) => detail)]);

  test.each<[part: string, Results, difference: string]>([
    [
      'compiler of base',
      { ...other, revisions: { head, base: { ...base, tools: { ...base.tools, rustc: 'rustc 1.96.0' } } } },
      'rustc of base is `rustc 1.96.0` and there `rustc 1.95.0`',
    ],
    [
      'tools',
      oneKernel('6.1', 160, 160, { rustc: '1.96.0', go: '1.26' }),
      'go is `1.26` and there missing; rustc is `1.96.0` and there `1.95.0`',
    ],
    ['a hostile tool', oneKernel('6.1', 160, 160, { rustc: '\u001b[2J' }), 'rustc is `\\u{1b}[2J` and there `1.95.0`'],
  ])('is reported: %s', (_part, second, difference) => {
    expect(detailsOf(second, oneKernel('5.10'))).toEqual([['5.10'], ['6.1', difference]]);
  });

  test('also after a kernel without a fingerprint', () => {
    const all = [failed('5.4'), oneKernel('5.10'), oneKernel('6.1', 1, 1, { qemu: '10.0' })];
    const difference = 'qemu is `10.0` and there `7.2.22`';
    expect(detailsOf(...all)).toEqual([['5.4'], ['5.10'], ['6.1', difference]]);
  });

  test('and changes no verdict', () => {
    expect(join(oneKernel('5.10'), oneKernel('6.1', 160, 160, { qemu: '10.0' })).verdict).toBe('pass');
    expect(join(oneKernel('5.10'), oneKernel('6.1', 160, 161, { qemu: '10.0' })).verdict).toBe('regression');
  });
});

describe('results of different runs are refused', () => {
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
  ])('%s', (_part, second, message) => {
    expect(() => join(oneKernel('5.10'), second)).toThrow(InputError);
    expect(() => join(oneKernel('5.10'), second)).toThrow(message);
  });

  test('a kernel in two files', () => {
    const repeated = () => join(oneKernel('5.10'), oneKernel('6.1'), oneKernel('5.10'));
    expect(repeated).toThrow(InputError);
    expect(repeated).toThrow('kernel `5.10` is in both `1.json` and `3.json`');
  });

  test.each<[what: string, Partial<Results>]>([
    ['profile', { profiles: profilesOf('6.6', 'a', ['head.cpu.svg']) }],
    ['measurement', { measurements: pair(1, 1, { kernel: '6.6' }).map(recordMeasurement) }],
  ])('a %s of a kernel that its file does not list', (_what, stray) => {
    const joined = () => join(oneKernel('5.10'), { ...oneKernel('6.1'), ...stray });
    expect(joined).toThrow(InputError);
    expect(joined).toThrow('`2.json` is not a valid result file: kernel `6.6` is not among its kernels');
  });

  test('no file at all', () => {
    expect(() => join()).toThrow(InputError);
  });
});

describe('shards', () => {
  /** Benches `a`, `b` and so on of a kernel, dealt to the shards in turn; the first shard has the verifier lane. */
  function sharded(id: string, count: number, benches = ['a', 'b', 'c', 'd', 'e']): Results[] {
    return Array.from({ length: count }, (_, position) => {
      const own = benches.filter((_, at) => at % count === position);
      const measurements = own.flatMap((bench) => benchmarksOf(id, bench));
      const result = resultsOf(
        position === 0 ? [...measurements, ...verified(id)] : measurements,
        [fingerprinted(id)],
        strictGate,
        own.map((bench) => gapOf(id, bench)),
      );
      const profiles = own.flatMap((bench) => profilesOf(id, bench, ['head.cpu.svg']));
      return { ...result, profiles, shard: { index: position + 1, count } };
    });
  }

  const benchmarksOf = (kernel: string, bench: string) => [
    ...pair(10, bench === 'b' ? 12 : 10, { kernel, benchmark: `${bench}/one` }),
    ...pair(20, 20, { kernel, benchmark: `${bench}/two` }),
  ];
  const verified = (kernel: string) =>
    pair(1, 1, { kernel, lane: 'verifier', benchmark: 'a/one', measure: 'loads', unit: '', better: 'higher' });
  const gapOf = (kernel: string, bench: string) =>
    ({ kernel, lane: 'instructions', revision: 'head', benchmark: `${bench}/new`, needs: '9.9' }) as const;

  /** The results of the same benches in one run. */
  function whole(ids: readonly string[], benches = ['a', 'b', 'c', 'd', 'e']): Results {
    const results = resultsOf(
      ids.flatMap((id) => [...benches.flatMap((bench) => benchmarksOf(id, bench)), ...verified(id)]),
      ids.map((id) => fingerprinted(id)),
      strictGate,
      ids.flatMap((id) => benches.map((bench) => gapOf(id, bench))),
    );
    const profiles = ids.flatMap((id) => benches.flatMap((bench) => profilesOf(id, bench, ['head.cpu.svg'])));
    return { ...results, profiles };
  }

  /** Sorts results into an order that does not depend on which shard measured what. */
  function sorted({ measurements, comparisons, gaps, profiles, ...rest }: Results) {
    const text = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).toSorted();
    return {
      ...rest,
      measurements: text(measurements),
      comparisons: text(comparisons),
      gaps: text(gaps),
      profiles: text(profiles),
    };
  }

  const failing = (results: Results, error: Partial<NonNullable<KernelResult['error']>>): Results => ({
    ...results,
    kernels: results.kernels.map((kernel) => ({
      ...kernel,
      error: { kind: 'vm', message: 'no boot', hint: null, consoleTail: [], benches: [], ...error } as const,
    })),
  });

  const errorOf = (results: Results) => results.kernels[0]?.error;

  test('of several kernels give the result of one run of all benches, in any order of the files', () => {
    assertAlways(
      fc.property(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 2, max: 5 }), fc.nat(), (one, other, turn) => {
        const files = [...sharded('5.10', one), ...sharded('6.1', other)];
        const turned = [...files.slice(turn % files.length), ...files.slice(0, turn % files.length)];
        const joined = join(...turned);
        expect(sorted(joined)).toEqual(sorted(whole(['5.10', '6.1'])));
        expect(joined).toEqual(join(...files));
        expect(joined.comparisons.map(({ kernel }) => kernel)).toEqual(
          joined.comparisons.map(({ kernel }) => kernel).toSorted(),
        );
        expect(parseResults(serializeResults(joined), 'joined')).toEqual(joined);
      }),
    );
  });

  test('are joined with a complete kernel', () => {
    const joined = join(...sharded('6.1', 3), oneKernel('5.10'));
    expect(joined.kernels.map(({ id, error }) => [id, error])).toEqual([
      ['5.10', null],
      ['6.1', null],
    ]);
    expect(joined.shard).toBeNull();
    expect(joined.verdict).toBe('regression');
  });

  test('keep their own warnings, and what each took from an earlier run', () => {
    const [one, two] = sharded('6.1', 2) as [Results, Results];
    const warn = (...reasons: string[]) => reasons.map((reason) => ({ about: [], reason }));
    const of = (results: Results, fields: Partial<KernelResult>) => ({
      ...results,
      kernels: results.kernels.map((kernel) => ({ ...kernel, ...fields })),
    });
    const [kernel] = join(
      of(one, { warnings: warn('both', 'first'), kept: ['base'] }),
      of(two, { warnings: warn('both', 'second'), kept: ['head'] }),
    ).kernels;
    expect(kernel).toMatchObject({ kept: ['base', 'head'], warnings: warn('both', 'first', 'second') });
  });

  test("keep the folder of a bench's profiles", () => {
    const files = sharded('6.1', 2).map((results, index) => ({ file: `${index + 1}/results.json`, results }));
    const find = fileOfProfiles(files);
    expect(['a', 'b', 'c', 'none'].map((bench) => find('6.1', bench))).toEqual([
      '1/results.json',
      '2/results.json',
      '1/results.json',
      undefined,
    ]);
    expect(find('6.12', 'a')).toBeUndefined();
  });

  describe("that failed are named, and the others' numbers are kept", () => {
    test('one', () => {
      const [one, two, three] = sharded('6.1', 3) as [Results, Results, Results];
      const error = {
        kind: 'bench',
        message: 'bench `b` broke',
        hint: 'fix it',
        consoleTail: ['oops'],
        benches: [],
      } as const;
      const joined = join(one, failing({ ...two, measurements: [], comparisons: [], gaps: [] }, error), three);
      expect(errorOf(joined)).toEqual({ ...error, message: 'shard 2 of 3: bench `b` broke' });
      expect(joined.verdict).toBe('error');
      expect(new Set(joined.comparisons.map(({ benchmark }) => benchmark.split('/')[0]))).toEqual(
        new Set(['a', 'c', 'd']),
      );
      expect(buildReport(joined).headline).toContain('6.1 was not measured completely');
    });

    test('several with the same error together', () => {
      const parts = sharded('6.1', 4) as [Results, Results, Results, Results];
      const joined = join(
        failing(parts[0], { message: 'no boot', hint: 'try', consoleTail: ['first'], benches: [] }),
        failing(parts[1], { kind: 'build', message: 'no build', hint: 'fix', consoleTail: [], benches: [] }),
        failing(parts[2], { message: 'no boot', hint: 'try', consoleTail: ['third'], benches: [] }),
        failing(parts[3], { message: 'hung', hint: 'try', consoleTail: ['fourth'], benches: [] }),
      );
      expect(errorOf(joined)).toEqual({
        // The author has to fix it: the exit code is that of a failed build.
        kind: 'build',
        message: 'shards 1 and 3 of 4: no boot; shard 2 of 4: no build; shard 4 of 4: hung',
        hint: 'try; fix',
        consoleTail: ['shards 1 and 3 of 4:', 'first', 'shard 4 of 4:', 'fourth'],
        benches: [],
      });
      expect(exitCodeOf({ ...joined, verdict: 'error' })).toBe(4);
    });

    test('but a regression in another shard stays one', () => {
      const [one, two] = sharded('6.1', 2) as [Results, Results];
      expect(join(failing(one, {}), two).verdict).toBe('regression');
    });

    test('as is one that measured nothing', () => {
      const [one, two] = sharded('6.1', 2, ['a', 'c']) as [Results, Results];
      const joined = join(one, { ...two, measurements: [], comparisons: [], gaps: [] });
      expect(errorOf(joined)?.message).toBe('shard 2 of 2: nothing was measured');
      expect(joined.verdict).toBe('error');
    });
  });

  describe('that are missing fail the gate', () => {
    test('one', () => {
      const [one, , three] = sharded('6.1', 3, ['a', 'c', 'd']) as [Results, Results, Results];
      const joined = join(three, one);
      expect(errorOf(joined)).toEqual({
        kind: 'machine',
        message: 'shard 2 of 3 left no result',
        hint: 'its job failed or was cancelled before it could leave one: look at its log',
        consoleTail: [],
        benches: [],
      });
      expect(joined.verdict).toBe('error');
      expect(exitCodeOf(joined)).toBe(3);
      const text = renderText(buildReport(joined), { width: 200 });
      expect(text).toContain('6.1 (6.1.176) was not measured completely: shard 2 of 3 left no result');
      expect(renderMarkdown(buildReport(joined))).toContain('a/one');
    });

    test('next to one that failed, and many', () => {
      const [one, two] = sharded('6.1', 12) as [Results, Results];
      const joined = join(one, failing(two, { message: 'no boot' }));
      expect(errorOf(joined)?.message).toBe(
        'shard 2 of 12: no boot; shards 3, 4, 5, 6, 7 and 5 more of 12 left no result',
      );
    });

    test('only on the affected kernel', () => {
      const [one] = sharded('5.10', 2, ['a', 'c']) as [Results, Results];
      const joined = join(one, ...sharded('6.1', 2, ['a', 'c']));
      expect(joined.kernels.map(({ id, error }) => [id, error?.message])).toEqual([
        ['5.10', 'shard 2 of 2 left no result'],
        ['6.1', undefined],
      ]);
    });

    test('and a kernel without any shard is a missing kernel', () => {
      const joined = join(...sharded('6.1', 2));
      const { kernels } = addMissingKernels(joined, [sourcePin('6.1.176'), sourcePin('6.12.107')]);
      expect(kernels.map(({ error }) => error?.message)).toEqual([undefined, 'no result of it is there']);
    });
  });

  describe('are refused', () => {
    const refused = (...all: Results[]) => {
      expect(() => join(...all)).toThrow(InputError);
      return expect(() => join(...all));
    };
    const [one, two, three] = sharded('6.1', 3) as [Results, Results, Results];

    test('if one is duplicated', () => {
      refused(one, two, one).toThrow('shard 1 of 3 of kernel `6.1` is in both `1.json` and `3.json`');
      refused(three, two, one, two).toThrow('shard 2 of 3 of kernel `6.1` is in both `2.json` and `4.json`');
    });

    test('together with all benches of the same kernel', () => {
      const all = oneKernel('6.1');
      refused(one, all).toThrow(
        'kernel `6.1` is divided in two ways: `2.json` has all of its benches, `1.json` has shard 1 of 3',
      );
      refused(all, two).toThrow('`1.json` has all of its benches, `2.json` has shard 2 of 3');
    });

    test('with different counts', () => {
      refused(one, sharded('6.1', 2)[1] as Results).toThrow(
        'kernel `6.1` is divided in two ways: `1.json` has shard 1 of 3, `2.json` has shard 2 of 2',
      );
    });

    test('with one benchmark in two of them', () => {
      const [, other] = sharded('6.1', 3, ['x', 'a', 'y']) as [Results, Results];
      refused(one, other).toThrow(
        '`a/one` of kernel `6.1` is in both `1.json` (shard 1 of 3) and `2.json` (shard 2 of 3)',
      );
    });

    test.each(['gaps', 'profiles', 'comparisons'] as const)('with the same %s in two of them', (key) => {
      const { measurements: _, ...rest } = one;
      const empty = { ...two, measurements: [], comparisons: [], gaps: [], profiles: [] };
      refused({ ...rest, measurements: [] }, { ...empty, [key]: one[key] }).toThrow(
        'is in both `1.json` (shard 1 of 3)',
      );
    });

    test.each(['kernel', 'commandLine', 'qemu'])('measured with another %s', (part) => {
      const kernels = [fingerprinted('6.1', { [part]: 'else' })];
      refused(one, { ...two, kernels }).toThrow(/ is `.*` in `1\.json` \(6\.1\) and `else` in `2\.json` \(6\.1\)/);
      refused(one, { ...two, kernels }).toThrow(part);
    });

    test('built by another compiler', () => {
      const { base, head } = two.revisions;
      const rebuilt = { ...head, tools: { ...head.tools, rustc: 'rustc 1.96.0' } };
      refused(one, { ...two, revisions: { base, head: rebuilt } }).toThrow(
        'rustc of head is `rustc 1.95.0` in `1.json` (6.1) and `rustc 1.96.0` in `2.json` (6.1)',
      );
    });

    test('with another head', () => {
      const { base, head } = two.revisions;
      refused(one, { ...two, revisions: { base, head: { ...head, tree: 'cc' } } }).toThrow('tree of head');
    });
  });

  test('a shard that was not measured has no fingerprint to compare', () => {
    const [one, two] = sharded('6.1', 2) as [Results, Results];
    const lost = failing({ ...one, measurements: [], comparisons: [], gaps: [], profiles: [] }, {});
    const joined = join(
      { ...lost, kernels: lost.kernels.map((each) => ({ ...each, fingerprint: null, machine: null, uname: null })) },
      two,
    );
    expect(joined.kernels[0]).toMatchObject({ fingerprint: two.kernels[0]?.fingerprint, uname: '6.1.0-50-amd64' });
  });
});

test('a working tree and a commit of the same tree are the same revision', () => {
  const other = oneKernel('6.1');
  const head = { ...other.revisions.head, ref: 'HEAD', commit: 'dd'.repeat(20) };
  const joined = join(oneKernel('5.10'), { ...other, revisions: { ...other.revisions, head } });
  expect(joined.revisions.head.ref).toBe('working tree');
});
