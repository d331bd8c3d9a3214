import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Measurement } from '../../src/bench/measurement.ts';
import { describeFold } from '../../src/report/finding-detail.ts';
import { findFindings, nameLoads } from '../../src/report/findings.ts';
import { renderHtml } from '../../src/report/html.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { toPlainName, toText } from '../../src/report/plain-text.ts';
import { buildReport } from '../../src/report/report-model.ts';
import type { ComparisonRecord, Results } from '../../src/report/results.ts';
import { parseResults, serializeResults } from '../../src/report/results-schema.ts';
import { renderText } from '../../src/report/text.ts';
import { fixtures, kernelResult, pair, readTenTimes, resultsOf } from './results-fixtures.ts';

const demo = JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures/demo.json'), 'utf8')) as Pick<
  Results,
  'project' | 'revisions' | 'comparisons'
>;
const only = [kernelResult('6.1')];
const code = (file: string, line = 7) => ({ source: { file, line } });
const config = code('example-project/bpfgate.toml', 3);
const printed = { measure: 'latency', unit: 'ns', kind: 'benchmark', ...config } as const;
const criterion = { measure: 'instructions', unit: 'instructions/iteration', kind: 'benchmark' } as const;
const verified = { lane: 'verifier', measure: 'verified-instructions', unit: 'instructions' } as const;

function findingsOf(measurements: readonly Measurement[], kernels = only) {
  return findFindings(resultsOf(measurements, kernels));
}

/** The benchmarks of each finding. */
function groupsOf(measurements: readonly Measurement[]): string[][] {
  return findingsOf(measurements).map(({ comparisons }) => comparisons.map(({ benchmark }) => benchmark));
}

/** Adds the lines that grew, by benchmark. */
function withLines(results: Results, lines: Readonly<Record<string, string>>): Results {
  const toLines = (file: string | undefined): ComparisonRecord['lines'] =>
    file === undefined ? null : [{ source: { file, line: 78 }, base: 0, head: 68 }];
  return {
    ...results,
    comparisons: results.comparisons.map((each) => ({ ...each, lines: toLines(lines[each.benchmark]) })),
  };
}

test('the demo has two findings: its two planted regressions', () => {
  const findings = findFindings(demo);
  expect(findings.map(({ subject, verdict, source }) => [subject, verdict, source?.file])).toEqual([
    ['fun_xdp', 'regression', 'xdp-ebpf/src/main.rs'],
    ['process_sample', 'regression', 'profiler/benches/process_sample.rs'],
  ]);
  const changed = demo.comparisons.filter(({ verdict }) => verdict === 'regression');
  expect(findings.flatMap(({ comparisons }) => comparisons)).toHaveLength(changed.length);
  const kernels = [kernelResult('6.1')];
  const model = buildReport({ ...resultsOf([], kernels), ...demo });
  expect(toText(model.headline)).toBe(
    '2 findings: `fun_xdp` +87 to +93 instructions per run on 6.1 (`xdp-common/src/source_addr.rs:78` +68); `process_sample` +155 k instructions per iteration on 6.1.',
  );
  // Loads have the names of what ran them.
  expect(model.findings[0]?.lead.map(({ name }) => toPlainName(name))).toEqual([
    'fun_xdp',
    'fun_xdp_fibonacci',
    'fun_xdp_fizzbuzz',
  ]);
  expect(toText(model.findings[0]?.repeat ?? [])).toBe(
    'To repeat: `bpfgate run --base c46c3e9436 --head 369e8b45db --kernels 6.1 --lanes instructions,verifier --bench macro,micro`',
  );
});

describe('one finding is', () => {
  test.each<[string, Measurement[]]>([
    [
      'what has one place in the code, in all lanes and objects',
      [
        ...pair(1, 2, { benchmark: 'macro/a', ...code('a.c') }),
        ...pair(1, 2, { ...verified, benchmark: 'x/b', ...code('a.c') }),
        ...pair(5, 4, { ...verified, benchmark: 'y/b', ...code('a.c') }),
      ],
    ],
    [
      'a program on every input, and its object',
      [
        ...pair(1, 2, { benchmark: 'x/a/udp' }),
        ...pair(1, 2, { benchmark: 'x/a/tcp' }),
        ...pair(1, 2, { ...verified, benchmark: 'x/a' }),
      ],
    ],
    [
      'all loads of a program',
      [...pair(1, 2, { benchmark: 'm/a (tag 1f2e)' }), ...pair(1, 3, { benchmark: 'm/a #2' })],
    ],
    [
      'a program that a bench runs, and the only object that holds it',
      [...pair(1, 2, { benchmark: 'macro/a', ...config }), ...pair(1, 2, { ...verified, benchmark: 'x/a' })],
    ],
    [
      'a program and what its bench printed',
      [...pair(1, 2, { benchmark: 'm/a' }), ...pair(1, 9, { ...printed, benchmark: 'm/b' })],
    ],
    [
      'a benchmark of the name of a file that grew, or of another benchmark',
      [
        ...pair(1, 2, { ...criterion, benchmark: 'micro/parse', ...code('benches/parse.rs') }),
        ...pair(1, 2, { ...printed, benchmark: 'heap/parse' }),
      ],
    ],
  ])('%s', (_, measurements) => {
    expect(groupsOf(measurements)).toHaveLength(1);
  });

  test('two programs whose code grew most at one line, and the benchmark of that file', () => {
    const results = withLines(
      resultsOf(
        [
          ...pair(1, 2, { benchmark: 'm/a', ...code('a.c') }),
          ...pair(1, 2, { benchmark: 'm/b', ...code('b.c') }),
          ...pair(1, 2, { ...criterion, benchmark: 'micro/addr', ...code('benches/x.rs') }),
        ],
        only,
      ),
      { 'm/a': 'lib/src/addr.rs', 'm/b': 'lib/src/addr.rs' },
    );
    expect(findFindings(results)).toMatchObject([{ subject: 'a', names: ['a', 'b'] }]);
    expect(toText(buildReport(results).headline)).toMatch(
      /^1 finding: `a` and 1 more \+1 .*\(`lib\/src\/addr.rs:78` \+68\)/,
    );
  });
});

describe('different findings are', () => {
  test.each<[string, Measurement[]]>([
    [
      'programs of one name in different objects, and what a bench loaded of that name',
      [
        ...pair(1, 2, { ...verified, benchmark: 'x/a' }),
        ...pair(1, 2, { ...verified, benchmark: 'y/a' }),
        ...pair(1, 2, { benchmark: 'macro/a' }),
      ],
    ],
    [
      'programs of one name in different files',
      [
        ...pair(1, 2, { ...verified, benchmark: 'x/a', ...code('x.c') }),
        ...pair(1, 2, { benchmark: 'macro/a', ...code('y.c') }),
      ],
    ],
    [
      'benchmarks that only the configuration places',
      [...pair(1, 2, { ...printed, benchmark: 'm/a' }), ...pair(1, 2, { ...printed, benchmark: 'm/b' })],
    ],
    [
      'benchmarks of one name in different files',
      [
        ...pair(1, 2, { ...criterion, benchmark: 'one/parse', ...code('one/benches/parse.rs') }),
        ...pair(1, 2, { ...criterion, benchmark: 'two/parse', ...code('two/benches/parse.rs') }),
      ],
    ],
    [
      'a program and a value that its bench printed and that changed for the better',
      [...pair(1, 2, { benchmark: 'm/a' }), ...pair(9, 1, { ...printed, benchmark: 'm/b' })],
    ],
  ])('%s', (_, measurements) => {
    const benchmarks = measurements.filter(({ revision }) => revision === 'head');
    expect(groupsOf(measurements)).toHaveLength(benchmarks.length);
  });

  test('what two programs of a bench and a third value changed by; one with the delta of a program is of that', () => {
    const groups = groupsOf([
      ...pair(10, 12, { benchmark: 'm/a' }),
      ...pair(10, 13, { benchmark: 'm/b' }),
      ...pair(30, 33, { ...printed, benchmark: 'm/with b' }),
      ...pair(30, 39, { ...printed, benchmark: 'm/other' }),
    ]);
    expect(groups).toEqual([['m/b', 'm/with b'], ['m/a'], ['m/other']]);
  });
});

describe('the id of a finding', () => {
  const of = (base: number, line: number, kernel = '6.1') =>
    findingsOf(pair(base, 200, { kernel, benchmark: 'm/a', ...code('a.c', line) }), [kernelResult(kernel)])[0]?.id;

  test('is the same for other values, lines, kernels, loads and lanes', () => {
    expect(of(100, 7)).toMatch(/^[0-9a-f]{16}$/);
    expect(of(50, 70, '6.12')).toBe(of(100, 7));
    const loaded = findingsOf([
      ...pair(1, 2, { ...verified, benchmark: 'x/a', ...code('a.c') }),
      ...pair(1, 2, { benchmark: 'm/a #3', ...code('a.c') }),
    ]);
    expect(loaded.map(({ id }) => id)).toEqual([of(100, 7)]);
  });

  test('differs for other programs, files and objects', () => {
    const findings = findingsOf([
      ...pair(1, 2, { benchmark: 'm/a', ...code('a.c') }),
      ...pair(1, 2, { benchmark: 'm/a2', ...code('a.c', 8) }),
      ...pair(1, 2, { ...verified, benchmark: 'x/a', ...code('b.c') }),
      ...pair(1, 2, { ...verified, benchmark: 'y/a' }),
      ...pair(1, 2, { ...verified, benchmark: 'z/a', ...code('b.c', 9) }),
    ]);
    expect(new Set(findings.map(({ id }) => id)).size).toBe(5);
    // Those that share a short name have their objects'.
    expect(findings.map(({ subject }) => subject).sort()).toEqual(['a2', 'm/a', 'x/a', 'y/a', 'z/a']);
  });
});

test('the worst verdict of its comparisons decides, and the measure that users feel first leads', () => {
  const measurements = [
    ...pair(4, 56, { ...verified, benchmark: 'x/a', measure: 'stack-bytes', unit: 'bytes' }),
    ...pair(90, 95, { ...verified, benchmark: 'x/a' }),
    ...pair(100, 50, { benchmark: 'x/a/udp' }),
  ];
  const [finding] = findingsOf(measurements);
  expect([finding?.verdict, finding?.lead[0].measure]).toEqual(['regression', 'verified-instructions']);
  const [detail] = buildReport(resultsOf(measurements, only)).findings;
  expect([...(detail?.lead ?? []), ...(detail?.rest ?? [])].map(({ measure }) => measure)).toEqual([
    'verified-instructions',
    'bpf-instructions',
    'stack-bytes',
  ]);
});

test('what runs leads a finding whose program has no run, and is named behind the program', () => {
  const addr = { ...criterion, benchmark: 'micro/addr', ...code('benches/x.rs') };
  const headlineOf = (program: readonly Measurement[]) => {
    const results = resultsOf([...program, ...pair(1, 9, addr)], only);
    return toText(buildReport(withLines(results, { 'x/a': 'lib/addr.rs' })).headline);
  };
  const walked = pair(90, 91, { ...verified, benchmark: 'x/a', ...code('a.c') });
  const line = '(`lib/addr.rs:78` +68).';
  expect(headlineOf(walked)).toBe(`1 finding: \`a\`: \`addr\` +8 instructions per iteration on 6.1 ${line}`);
  // A run of the program comes first again.
  const ran = pair(1, 2, { benchmark: 'x/a/udp', ...code('a.c') });
  expect(headlineOf([...walked, ...ran])).toBe(`1 finding: \`a\` +1 instruction per run on 6.1 ${line}`);
});

test('the verifier says that it walks its instructions', () => {
  const [finding] = buildReport(resultsOf(pair(90, 91, { ...verified, benchmark: 'x/a' }), only)).findings;
  expect(finding?.change).toBe('+1 instruction that the verifier walks on 6.1');
});

test('a program that is refused is at the line that the verifier complains about', () => {
  const loads = { lane: 'verifier', benchmark: 'x/a', measure: 'loads', unit: '', better: 'higher' } as const;
  const kernels = ['5.10', '6.1'].map((id) => kernelResult(id));
  const findings = findingsOf(
    [
      ...pair(1, 0, { ...loads, kernel: '5.10', ...code('a.c', 77) }),
      ...pair(90, 95, { ...verified, kernel: '6.1', benchmark: 'x/a', ...code('a.c', 40) }),
    ],
    kernels,
  );
  expect(findings).toMatchObject([{ subject: 'a', source: { file: 'a.c', line: 77 } }]);
});

test('the title of a program that is refused has the reasons, shortened; what is folded has the log', () => {
  const ids = ['5.10', '6.1', '6.12', '6.18'];
  const loads = { lane: 'verifier', benchmark: 'x/a', measure: 'loads', unit: '', better: 'higher' } as const;
  const findingOf = (messages: readonly string[], log: readonly string[] = []) => {
    const measurements = ids.flatMap((kernel, index) =>
      pair(1, 0, { ...loads, kernel, refusal: { errno: 'EACCES', message: messages[index] ?? 'x', log } } as object),
    );
    const kernels = ids.map((id) => kernelResult(id));
    const [finding] = buildReport(resultsOf(measurements, kernels)).findings;
    return { change: finding?.change, fold: finding && describeFold(finding) };
  };
  expect(findingOf(['a\n', 'b', 'b', 'b'])).toEqual({
    change: 'no longer loads on 6.1, 6.12 and 6.18: EACCES: b, on 5.10: EACCES: a\\n',
    fold: '',
  });
  expect(findingOf(['a', 'b', 'c', 'd'], ['14: exit'])).toEqual({
    change: 'no longer loads on 4 kernels: EACCES: a, and 3 other reasons',
    fold: "the verifier's log",
  });
  expect(findingOf(Array(4).fill('long '.repeat(99))).change).toHaveLength(
    'no longer loads on 4 kernels: '.length + 160,
  );
});

test('loads are named by what the bench printed only if one value fits', () => {
  const comparisons = (second: number) =>
    resultsOf(
      [
        ...pair(10, 12, { benchmark: 'm/a' }),
        ...pair(20, second, { benchmark: 'm/a #2' }),
        ...pair(60, 62, { ...printed, benchmark: 'm/first' }),
      ],
      only,
    ).comparisons;
  expect([...nameLoads(comparisons(25))]).toEqual([['m/a', 'first']]);
  expect([...nameLoads(comparisons(22))]).toEqual([]);
});

describe('a finding that differs between kernels', () => {
  const kernels = ['5.10', '6.1', '6.12'].map((id) => kernelResult(id));
  const changeOf = (heads: readonly number[], other = heads) => {
    const measurements = kernels.flatMap(({ id: kernel }, index) => [
      ...pair(100, heads[index] ?? 0, { kernel, benchmark: 'x/a/udp' }),
      ...pair(200, (other[index] ?? 0) + 100, { kernel, benchmark: 'x/a/tcp' }),
    ]);
    return buildReport(resultsOf(measurements, kernels)).findings[0]?.change;
  };

  test.each([
    [[110, 110, 110], '+10 instructions per run on 3 kernels'],
    [[110, 110, 113], '+10 instructions per run on 5.10 and 6.1, +3 more on 6.12'],
    [[110, 109, 110], '+10 instructions per run on 5.10 and 6.12, +9 on 6.1'],
    [[110, 90, 107], '+10 instructions per run on 5.10, +7 on 6.12, better on 6.1 (−10)'],
    [[110, 100, 100], '+10 instructions per run only on 5.10'],
    [[90, 90, 85], '−10 instructions per run on 5.10 and 6.1, −5 more on 6.12'],
  ])('with %j says so', (heads, change) => {
    expect(changeOf(heads)).toBe(change);
  });

  test.each([
    [[112, 111, 112], [117, 117, 118], '+11 to +18 instructions per run on 3 kernels'],
    [[112, 112, 115], [117, 117, 120], '+12 to +17 instructions per run on 5.10 and 6.1, +3 more on 6.12'],
    [[112, 112, 131], [117, 117, 135], '+12 to +17 instructions per run on 5.10 and 6.1, +31 to +35 on 6.12'],
  ])('with %j on one input and %j on another says so unless the ranges overlap', (heads, other, change) => {
    expect(changeOf(heads, other)).toBe(change);
  });
});

test('a pull request that only improves says so first', () => {
  const measurements = [...pair(9, 8, { benchmark: 'm/a' }), ...pair(1, 1, { benchmark: 'm/b' })];
  expect(toText(buildReport(resultsOf(measurements, only)).headline)).toBe(
    '1 improvement, nothing worse: `a` −1 instruction per run on 6.1; 1 benchmark unchanged.',
  );
});

test('inputs name the rows of a program, and many are folded but for the worst', () => {
  const measurements = Array.from({ length: 16 }, (_, index) =>
    pair(100, 101 + index, { benchmark: `x/a/input-${index}` }),
  ).flat();
  const [finding] = buildReport(resultsOf(measurements, only)).findings;
  expect(finding?.lead.map(({ name }) => toPlainName(name))).toEqual([15, 14, 13, 12, 11, 10].map((n) => `input-${n}`));
  expect(finding?.rest).toHaveLength(10);
  expect(finding?.change).toBe('+1 to +16 instructions per run on 6.1');
});

describe('inputs with the same numbers on every kernel are one row', () => {
  const kernels = ['5.10', '6.1', '6.12'].map((id) => kernelResult(id));
  const inputs = ['arp', 'a`|<b>', 'gre', 'icmp', 'udp'];
  /** Each input costs 10 more, and on the last kernel by index as much more; each has half the events. */
  const modelOf = (more: readonly number[], programs = ['a']) => {
    const measurements = kernels.flatMap(({ id: kernel }, column) =>
      programs.flatMap((program) =>
        inputs.flatMap((input, index) => {
          const own = { kernel, benchmark: `x/${program}/${input}`, ...code('a.c') };
          const head = 110 + (column === 2 ? (more[index] ?? 0) : 0);
          return [...pair(100, head, own), ...pair(8, 4, { ...own, measure: 'events', unit: 'events/run' })];
        }),
      ),
    );
    return buildReport(resultsOf(measurements, kernels));
  };
  const [arp, odd, gre, icmp, udp] = inputs.map((input) => ({ code: input }));

  test.each<[string, number[], unknown[]]>([
    ['all', [], [['all 5 inputs']]],
    ['all but one', [0, 0, 0, 0, 1], [[arp, ', ', odd, ' and 2 more inputs'], [udp]]],
    ['three', [0, 0, 0, 1, 2], [[arp, ', ', odd, ', ', gre], [icmp], [udp]]],
    ['none', [0, 1, 2, 3, 4], [[arp], [odd], [gre], [icmp], [udp]]],
  ])('%s', (_, more, names) => {
    const model = modelOf(more);
    const [finding] = model.findings;
    expect(finding?.lead.map(({ name }) => name)).toEqual(names);
    expect(finding?.rest.map(({ name, measure }) => [measure, name])).toEqual([['events', ['all 5 inputs']]]);
    expect(renderMarkdown(model)).toContain('<summary>1 more row, how to accept it</summary>');
  });

  test('with the names of their programs, if the finding has several', () => {
    const names = modelOf([], ['a', 'b']).findings[0]?.lead.map(({ name }) => toText(name));
    expect(names).toEqual(['a', 'b'].map((own) => `\`x/${own}/arp\`, \`x/${own}/a\`|<b>\` and 3 more inputs`));
  });

  test('in each report, whose names stay code', () => {
    const model = modelOf([0, 0, 0, 0, 1]);
    expect(renderText(model)).toContain('  arp, a`|<b> and 2 more inputs ');
    expect(renderMarkdown(model)).toContain('| `arp`, <code>a&#96;&#124;&#60;b&#62;</code> and 2 more inputs |');
    expect(renderHtml(model)).toContain('<code>arp</code>, <code>a&#96;|&#60;b&#62;</code> and 2 more inputs</th>');
  });
});

describe('the command that repeats a finding', () => {
  const repeatOf = (fields: { readonly [Key in keyof Results]?: Partial<Results[Key]> }) => {
    const results = resultsOf(pair(1, 2), only);
    const changed = Object.entries(fields).map(([key, value]) => [
      key,
      { ...(results[key as keyof Results] as object), ...(value as object) },
    ]);
    return toText(buildReport({ ...results, ...Object.fromEntries(changed) }).findings[0]?.repeat ?? []);
  };
  const objects = (base: string, head: string) => {
    const revision = { commit: null, tree: 't', tools: {} };
    const revisions = {
      base: { ...revision, revision: 'base' as const, ref: base },
      head: { ...revision, revision: 'head' as const, ref: head },
    };
    return repeatOf({ revisions });
  };

  test('has a working tree, a folder and another configuration, quoted for a shell', () => {
    const project = { projectPath: "it's; $(here)", configFile: "it's; $(here)/ci/gate.toml" };
    expect(repeatOf({ project })).toBe(
      "To repeat: `bpfgate run --project 'it'\\''s; $(here)' --config ci/gate.toml --base b4d93c6db4 --kernels 6.1 --lanes instructions --bench macro`, in the working tree that was compared",
    );
  });

  test('has both lanes for a program that ran on an input or was attached', () => {
    for (const input of ['tcp', 'workload']) {
      const { findings } = buildReport(resultsOf(pair(1, 2, { benchmark: `probe/count/${input}` }), only));
      expect(toText(findings[0]?.repeat ?? [])).toContain('--lanes instructions,verifier`');
    }
  });

  test('has the options for objects as they are, and for kernels', () => {
    expect(objects('3 objects', '3 objects')).toBe(
      'To repeat: `bpfgate run --base-objects OLD --head-objects NEW --kernels 6.1`, OLD and NEW being the objects of this run',
    );
    expect(objects('kernel 5.10 (5.10.262)', '3 objects')).toBe(
      'To repeat: `bpfgate run --against 5.10 --head-objects NEW --kernels 6.1`, NEW being the objects of this run',
    );
  });
});

describe('results.json', () => {
  const results = fixtures['grown-lines'] as Results;
  const text = serializeResults(results);

  test('has the findings, with the keys of their comparisons', () => {
    const { findings } = JSON.parse(text) as { findings: unknown[] };
    expect(findings).toHaveLength(2);
    expect(findings[1]).toMatchObject({
      id: findFindings(results)[1]?.id,
      verdict: 'regression',
      subject: 'fun_xdp',
      source: { file: 'example-project/xdp-ebpf/src/main.rs', line: 42 },
    });
    expect((findings[1] as { comparisons: unknown[] }).comparisons[0]).toEqual({
      kernel: '5.10',
      lane: 'instructions',
      benchmark: 'macro/fun_xdp',
      measure: 'bpf-instructions',
    });
  });

  test('of an earlier version has none, and those of a file are not believed', () => {
    const document = JSON.parse(text) as Record<string, unknown>;
    const { findings: _, ...earlier } = document;
    for (const each of [earlier, { ...document, findings: [{ id: 'x' }] }]) {
      expect(serializeResults(parseResults(JSON.stringify(each), 'results.json'))).toBe(text);
    }
  });
});

test('a report of 60 findings with everything fits a comment, and names them all', () => {
  const kernels = ['5.10', '6.1', '6.12'].map((id) => kernelResult(id));
  const measurements = kernels.flatMap(({ id: kernel }) =>
    Array.from({ length: 60 }, (_, program) => [
      ...Array.from({ length: 16 }, (_, input) =>
        pair(100, 101 + input, { kernel, benchmark: `object/program_${program}/input-${input}` }),
      ).flat(),
      ...pair(100, 120, { ...verified, kernel, benchmark: `object/program_${program}` }),
    ]).flat(),
  );
  const text = renderMarkdown(buildReport(resultsOf(measurements, kernels)), { maxLength: 65_000 });
  expect(text.length).toBeLessThanOrEqual(65_000);
  expect(text.match(/^#### `program_\d+`/gm)).toHaveLength(60);
  expect(text).toContain('left out to keep this short');
});

test('every report says the same of each finding', () => {
  const results = { ...resultsOf([], only), ...demo };
  const model = buildReport(results);
  const texts = [renderText(model, { width: 1000 }), renderMarkdown(model), renderHtml(model)].map((text) =>
    text
      .replace(/<[^>]*>|[`*\u200b]/g, '')
      .replace(/&#(\d+);/g, (_, number: string) => String.fromCodePoint(Number(number))),
  );
  for (const { change, where, lead, rest, repeat, growth } of model.findings) {
    const facts = [
      change,
      toText(where).replaceAll('`', ''),
      toText(repeat).replaceAll('`', ''),
      ...[...lead, ...rest].flatMap(({ name, cells }) => [
        toPlainName(name),
        ...cells.map((cell) => cell?.delta ?? ''),
      ]),
      ...(growth?.lines.flatMap(({ place, delta }) => [place, delta]) ?? []),
    ];
    for (const text of texts) for (const fact of facts) expect(text).toContain(fact);
  }
});

test('a page has an anchor and a heading for each finding', () => {
  const html = renderHtml(buildReport({ ...resultsOf([], only), ...demo }));
  for (const { id, subject } of findFindings(demo)) {
    expect(html).toMatch(
      new RegExp(
        `<article id="finding-${id}"[^>]*>\n<h3><code>${subject}</code> .*<a class="anchor" href="#finding-${id}"`,
      ),
    );
  }
});

test('an undecided finding is a warning of its own', () => {
  const varies = { exact: false, resolution: 0.01, samples: [] } as const;
  const measurements = [
    ...pair(100, 110, { ...varies, benchmark: 'm/a' }),
    ...readTenTimes(pair(1, 2, { benchmark: 'm/b' })),
  ];
  expect(findingsOf(measurements).map(({ subject, verdict }) => [subject, verdict])).toEqual([
    ['b', 'regression'],
    ['a', 'inconclusive'],
  ]);
});
