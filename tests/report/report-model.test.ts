import { describe, expect, test } from 'vitest';
import { toCellText } from '../../src/report/cell-text.ts';
import { renderHtml } from '../../src/report/html.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import type { Sentence } from '../../src/report/plain-text.ts';
import { buildReport, type ReportModel } from '../../src/report/report-model.ts';
import type { Results } from '../../src/report/results.ts';
import { renderText } from '../../src/report/text.ts';
import { fixtures, kernelResult, pair, profilesOf, resultsOf, strictGate } from './results-fixtures.ts';

const kernels = ['5.10', '6.1'].map((id) => kernelResult(id));

const textOf = (sentence: Sentence) => sentence.map((span) => (typeof span === 'string' ? span : span.code)).join('');

function headlineOf(results: Results): string {
  return textOf(buildReport(results).headline);
}

function rowsOf({ findings, unchanged }: ReportModel) {
  return [...findings.flatMap(({ lead, rest }) => [...lead, ...rest]), ...unchanged.rows];
}

function rowNames(model: ReportModel): string[] {
  return rowsOf(model).map(({ benchmark }) => benchmark);
}

describe('the headline', () => {
  test('says that a commit was compared with itself', () => {
    const results = resultsOf(pair(1, 1, { kernel: '6.1', benchmark: 'a' }), [kernelResult('6.1')]);
    const { base, head } = results.revisions;
    const same = { ...results, revisions: { base, head: { ...head, tree: base.tree } } };
    expect(headlineOf(same)).toBe(
      'Base and head are the same tree, so no change was measured. No regression: 1 benchmark unchanged on 6.1.',
    );
  });

  test('has the delta once if it is equal on every kernel', () => {
    const measurements = [...pair(160, 188, { kernel: '5.10' }), ...pair(164, 192, { kernel: '6.1' })];
    expect(headlineOf(resultsOf(measurements, kernels))).toBe(
      '1 finding: fun_xdp +28 instructions per run on 2 kernels.',
    );
  });

  test('names the kernels if deltas differ', () => {
    const measurements = [...pair(160, 188, { kernel: '5.10' }), ...pair(164, 194, { kernel: '6.1' })];
    expect(headlineOf(resultsOf(measurements, kernels))).toBe(
      '1 finding: fun_xdp +28 instructions per run on 5.10, +2 more on 6.1.',
    );
  });

  test('has the range if many kernels differ', () => {
    const many = ['5.8', '5.10', '6.1', '6.12'].map((id) => kernelResult(id));
    const measurements = many.flatMap(({ id }, index) => pair(160, 191 - index, { kernel: id }));
    expect(headlineOf(resultsOf(measurements, many))).toBe(
      '1 finding: fun_xdp +28 to +31 instructions per run on 4 kernels.',
    );
  });

  test('names the measure if the unit is ambiguous', () => {
    const measurements = pair(160, 161, { measure: 'latency', unit: 'ns' });
    expect(headlineOf(resultsOf(measurements, [kernelResult('6.1')]))).toContain('+1 ns (latency) on 6.1');
  });

  test.each([
    ['total-bytes', 'bytes', 'b +1 byte (total-bytes) on 6.1'],
    ['bytes', 'bytes', 'b +1 byte on 6.1'],
    ['lost-samples', 'lost-samples', 'b +1 lost-samples on 6.1'],
  ])('distinguishes %s from other measures in %s', (measure, unit, expected) => {
    const measurements = pair(160, 161, { benchmark: 'b', measure, unit });
    expect(headlineOf(resultsOf(measurements, [kernelResult('6.1')]))).toContain(expected);
  });

  test('says that no kernel was new enough', () => {
    const gap = { kernel: '5.10', lane: 'instructions', revision: 'head', benchmark: 'a', needs: '5.18' } as const;
    expect(headlineOf(resultsOf([], [kernelResult('5.10')], strictGate, [gap]))).toBe(
      'Nothing was measured: every benchmark needs a newer kernel.',
    );
  });

  test('distinguishes growth from what no longer runs', () => {
    const measurements = [...pair(160, null, { kernel: '5.10' }), ...pair(164, 165, { kernel: '6.1' })];
    const gap = {
      kernel: '5.10',
      lane: 'instructions',
      revision: 'head',
      benchmark: 'macro/fun_xdp',
      needs: '5.18',
    } as const;
    expect(headlineOf(resultsOf(measurements, kernels, strictGate, [gap]))).toBe(
      '1 finding: fun_xdp +1 instruction per run on 6.1, no longer runs on 5.10 (needs 5.18).',
    );
  });

  test('says what needs a newer kernel than in base, and not what needs an older one', () => {
    const gapsOf = (base: string, head: string) => [
      { kernel: '5.10', lane: 'instructions', revision: 'base', benchmark: 'a', needs: base } as const,
      { kernel: '5.10', lane: 'instructions', revision: 'head', benchmark: 'a', needs: head } as const,
    ];
    const headline = (base: string, head: string) =>
      headlineOf(resultsOf(pair(1, 1, { kernel: '6.1', benchmark: 'a' }), kernels, strictGate, gapsOf(base, head)));
    expect(headline('5.9', '5.18')).toContain('1 benchmark needs a newer kernel than base: a.');
    for (const [base, head] of [['5.18', '5.9'] as const, ['5.18', '5.18'] as const]) {
      expect(headline(base, head)).toBe('No regression: 1 benchmark unchanged on 5.10 and 6.1.');
    }
  });

  test('counts the programs that no kernel verified, in addition to all else', () => {
    const gapsOf = (kernel: string, benchmark: string, reason: string) =>
      (['base', 'head'] as const).map(
        (revision) => ({ kernel, lane: 'verifier', revision, benchmark, needs: null, reason }) as const,
      );
    const gaps = [
      ...['a', 'b', 'c', 'd'].flatMap((program) => gapsOf('6.1', `xdp/${program}`, 'the kernel has no `fentry`')),
      ...gapsOf('6.1', 'bad/*', 'it is not an ELF file'),
    ];
    const loads = { lane: 'verifier', measure: 'loads', unit: '', better: 'higher' } as const;
    const measurements = [
      ...pair(1, 1, { ...loads, benchmark: 'xdp/fine' }),
      ...pair(0, 0, { ...loads, benchmark: 'xdp/bad' }),
    ];
    const unverified =
      '4 BPF programs and all programs of 1 object could not be verified: xdp/a, xdp/b, xdp/c, and 2 more: the kernel has no fentry, and 1 other reason.';
    expect(headlineOf(resultsOf(measurements, [kernelResult('6.1')], strictGate, gaps))).toBe(
      `No regression: 1 BPF program verified as before, 1 BPF program refused as before on 6.1. ${unverified}`,
    );
    expect(headlineOf(resultsOf(measurements, [kernelResult('6.1')], strictGate, gaps.slice(-2)))).toContain(
      'on 6.1. All programs of 1 object could not be verified: bad/*: it is not an ELF file.',
    );
    const worse = buildReport(resultsOf([...measurements, ...pair(1, 2)], [kernelResult('6.1')], strictGate, gaps));
    expect(textOf(worse.headline)).toContain(`on 6.1. ${unverified}`);
    expect(worse.unchanged.title).toBe(
      '2 comparisons unchanged on 6.1; 1 BPF program verified as before, 1 BPF program refused as before',
    );
  });

  test('does not say every kernel if one failed', () => {
    const failed = kernelResult('6.12', {
      error: { kind: 'vm', message: 'x', hint: null, consoleTail: [], benches: [] },
    });
    const measurements = [...pair(160, 161, { kernel: '5.10' }), ...pair(164, 165, { kernel: '6.1' })];
    expect(headlineOf(resultsOf(measurements, [...kernels, failed]))).toBe(
      '1 finding: fun_xdp +1 instruction per run on every measured kernel. 6.12 could not be measured.',
    );
  });

  test('says which kernels are incomplete, although they have numbers', () => {
    const error = { kind: 'vm', message: 'x', hint: null, consoleTail: [], benches: [] } as const;
    const measurements = [...pair(160, 161, { kernel: '5.10' }), ...pair(164, 165, { kernel: '6.1' })];
    const all = [...kernels, kernelResult('6.12')].map((each) => (each.id === '5.10' ? each : { ...each, error }));
    const model = buildReport(resultsOf(measurements, all));
    expect(model.headline.map((span) => (typeof span === 'string' ? span : span.code)).join('')).toMatch(
      / 6\.1 was not measured completely\. 6\.12 could not be measured\.$/,
    );
    expect(model.failures.map(({ title }) => title)).toEqual([
      '6.1 (6.1.176) was not measured completely',
      '6.12 (6.12.107) could not be measured',
    ]);
    const both = buildReport(
      resultsOf(
        measurements,
        all.map((each) => ({ ...each, error })),
      ),
    );
    expect(both.headline).toContain('5.10 and 6.1 were not measured completely');
  });

  test('begins with a bench that failed, and why is said once for all kernels', () => {
    const failedOn = (id: string, stderr = 'error: no queue') =>
      kernelResult(id, {
        error: {
          kind: 'bench',
          message: `bench \`micro\` exited with 1 on head, kernel ${id}, reading 1; its stderr ends with:\n${stderr}`,
          hint: 'find out why `cargo bench` fails',
          consoleTail: [],
          benches: [{ name: 'micro', revision: 'head' }],
        },
      });
    const measurements = kernels.flatMap(({ id }) => pair(1, 1, { kernel: id }));
    const model = buildReport(resultsOf([...measurements], [failedOn('5.10'), failedOn('6.1')]));
    expect(textOf(model.headline)).toBe('Bench micro failed on head on 2 kernels, so it is not compared.');
    const repeat =
      'To repeat: bpfgate run --project example-project --base b4d93c6db4 --kernels 6.1 --bench micro, in the working tree that was compared';
    expect(model.failures).toHaveLength(1);
    expect(model.failures[0]).toMatchObject({ title: '5.10 and 6.1', output: ['error: no queue'] });
    expect(textOf(model.failures[0]?.message ?? [])).toBe('bench micro exited with 1 on head; its stderr ends with:');
    expect(textOf(model.failures[0]?.repeat ?? [])).toBe(repeat);

    const [, second] = kernels;
    const one = buildReport(resultsOf(measurements, [failedOn('5.10'), second as (typeof kernels)[0]]));
    expect(textOf(one.headline)).toBe(
      'Bench micro failed on head on 5.10, so it is not compared there. No regression: 1 benchmark unchanged on 6.1.',
    );
    expect(one.failures[0]?.title).toBe('5.10 (5.10.262)');
    // Another reason is another failure; and a bench with a comparison, of another boot, is one that is compared.
    expect(buildReport(resultsOf(measurements, [failedOn('5.10'), failedOn('6.1', 'x')])).failures).toHaveLength(2);
    const compared = pair(1, 1, { kernel: '5.10', benchmark: 'micro/addr' });
    const later = buildReport(resultsOf([...compared, ...measurements], [failedOn('5.10'), kernelResult('6.1')]));
    expect(textOf(later.headline)).toContain('5.10 was not measured completely');
  });

  test('names the kernel if there is only one', () => {
    expect(headlineOf(resultsOf(pair(1, 3), [kernelResult('6.1')]))).toContain('+2 instructions per run on 6.1.');
  });

  test('names the three worst and counts the rest', () => {
    const measurements = [10, 50, 20, 40, 30].flatMap((growth) => pair(100, 100 + growth, { benchmark: `b${growth}` }));
    expect(headlineOf(resultsOf(measurements, [kernelResult('6.1')]))).toMatch(
      /^5 findings: b50 .*; b40 .*; b30 .*; and 2 more\.$/,
    );
  });

  test('says that nothing was measured', () => {
    expect(headlineOf(resultsOf([], []))).toBe('Nothing was measured.');
    expect(headlineOf(resultsOf([], kernels))).toBe('5.10 and 6.1 could not be measured.');
  });
});

test.each<[string, Partial<Results['revisions']['head']>, string]>([
  ['a branch', { ref: 'main' }, 'main (1a2b3c4d5e)'],
  ['a commit', { ref: '1a2b3c4d5e6f'.padEnd(40, '0') }, '1a2b3c4d5e'],
  ['a working tree without changes', { ref: 'working tree' }, 'head (1a2b3c4d5e)'],
  ['a working tree with changes', { ref: 'working tree', commit: null }, 'working tree'],
])('%s is named with ten digits of its commit', (_, fields, name) => {
  const results = resultsOf([], []);
  const head = { ...results.revisions.head, commit: '1a2b3c4d5e6f'.padEnd(40, '0'), ...fields };
  expect(buildReport({ ...results, revisions: { ...results.revisions, head } }).head).toBe(name);
});

test('the report of a shard says so, and which one it is', () => {
  const whole = resultsOf(pair(1, 1), [kernelResult('6.1')]);
  const footnote = 'This is shard 2 of 3: what the other shards measure is not in it.';
  expect(buildReport(whole).footnotes).not.toContain(footnote);
  expect(buildReport({ ...whole, shard: { index: 2, count: 3 } }).footnotes).toContain(footnote);
});

test('rows are sorted worst first', () => {
  const measurements = [
    ...pair(100, 100, { benchmark: 'same' }),
    ...pair(100, 50, { benchmark: 'faster' }),
    ...pair(null, 1, { benchmark: 'new' }),
    ...pair(1, null, { benchmark: 'gone' }),
    ...pair(1_000_000, 1_000_900, { benchmark: 'slower by much' }),
    ...pair(100, 110, { benchmark: 'slower by more' }),
    ...pair(0, 1, { benchmark: 'from nothing' }),
  ];
  expect(rowNames(buildReport(resultsOf(measurements, [kernelResult('6.1')])))).toEqual([
    'from nothing',
    'slower by more',
    'slower by much',
    'faster',
    'gone',
    'new',
    'same',
  ]);
});

test('rows that differ only by noise are sorted by name', () => {
  const noisy = { exact: false, resolution: 0.01 } as const;
  const measurements = [
    ...pair(100, 100.5, { ...noisy, benchmark: 'b10' }),
    ...pair(100, 100.1, { ...noisy, benchmark: 'b9' }),
  ];
  expect(rowNames(buildReport(resultsOf(measurements, [kernelResult('6.1')])))).toEqual(['b9', 'b10']);
});

test('a regression is reported on any kernel, and a kernel without the benchmark has no cell', () => {
  const measurements = [...pair(1, 1, { kernel: '5.10', benchmark: 'other' }), ...pair(1, 2, { kernel: '6.1' })];
  const [row] = rowsOf(buildReport(resultsOf(measurements, kernels)));
  expect(row?.verdict).toBe('regression');
  expect(row?.cells.map((cell) => cell?.delta)).toEqual([undefined, '+1']);
});

test.each([
  [true, 'b4d93c6d'.repeat(5), true],
  [true, 'main; rm -rf ~', false],
  [false, 'b4d93c6d'.repeat(5), false],
])(
  'of a workflow (%s) and base %s: the command that fetches both commits is shown: %s',
  (ofWorkflow, commit, isShown) => {
    const results = fixtures['regression-everywhere'] ?? resultsOf([], []);
    const { base, head } = results.revisions;
    const revisions = { base: { ...base, commit }, head: { ...head, commit: 'c'.repeat(40) } };
    const model = buildReport({ ...results, revisions }, { ofWorkflow });
    const command = `git fetch origin ${commit} ${'c'.repeat(40)}`;
    expect(model.fetch === null ? null : textOf(model.fetch)).toBe(isShown ? `To have both commits: ${command}` : null);
    for (const text of [renderText(model, { width: 200 }), renderMarkdown(model), renderHtml(model)])
      expect(text.includes(command)).toBe(isShown);
  },
);

describe('places of a finding', () => {
  const codeUrl = 'https://github.com/example/xdp/blob/1a2b';
  const modelOf = (file: string) =>
    buildReport(resultsOf(pair(1, 2, { source: { file, line: 7 } }), [kernelResult('6.1')]), { codeUrl });

  test('are linked where the code is known, also the line that grew most', () => {
    const model = buildReport(fixtures['grown-lines'] ?? resultsOf([], []), { codeUrl });
    const places = [42, 51].map((line) => `example-project/xdp-ebpf/src/main.rs:${line}`);
    const urls = [42, 51].map((line) => `${codeUrl}/example-project/xdp-ebpf/src/main.rs#L${line}`);
    expect(renderMarkdown(model)).toContain(
      `\n[\`${places[0]}\`](${urls[0]}); [\`${places[1]}\`](${urls[1]}) compiles to`,
    );
    expect(renderHtml(model)).toContain(`<a href="${urls[0]}"><code>${places[0]}</code></a>`);
    expect(renderText(model)).not.toContain(codeUrl);
  });

  test.each(['../../../evil/x.c', 'a/../../x.c', '/usr/x.c', 'a//x.c', './x.c', 'x'.repeat(1000)])(
    '%s is not linked',
    (file) => {
      expect(renderMarkdown(modelOf(file))).not.toContain(codeUrl);
    },
  );

  test('have no character in their URL that means something elsewhere', () => {
    const model = modelOf('a) [x](javascript:1)/"><b>`|\u202e\ud800/#?%2e%2e.c');
    const [span] = model.findings[0]?.where ?? [];
    expect(span).toMatchObject({ url: expect.stringMatching(/^https:\/\/github\.com\/[\w%./-]+#L7$/) });
  });
});

test('an undecided comparison says by how much it varies, in the headline and in its cell', () => {
  // Without readings nothing can be shown to have changed.
  const varies = { exact: false, resolution: 0.01, samples: [] } as const;
  const model = buildReport(resultsOf(pair(100, 110, { ...varies, kernel: '6.1' }), [kernelResult('6.1')]));
  expect(textOf(model.headline)).toContain('1 finding cannot be decided: fun_xdp (±1.00%).');
  const [row] = rowsOf(model);
  const [column] = model.kernels;
  if (row === undefined || column === undefined) throw new Error('fixture');
  expect(toCellText(row, 0, column).result).toBe('? ±1.00%');
});

test('a benchmark that needs a newer kernel than any has a row, and its kernel did not fail', () => {
  const gap = {
    kernel: '5.10',
    lane: 'instructions',
    revision: 'head',
    benchmark: 'probes/multi',
    needs: '5.18',
  } as const;
  const model = buildReport(resultsOf(pair(1, 1, { kernel: '6.1' }), kernels, strictGate, [gap]));
  expect(model.failures).toEqual([]);
  const row = rowsOf(model).find(({ benchmark }) => benchmark === 'probes/multi');
  expect(row).toMatchObject({ verdict: 'unsupported', gaps: [{ base: null, head: '5.18' }, null] });
  expect(rowNames(model)).toEqual(['probes/multi', 'macro/fun_xdp']);
});

test('the note on counts is shown only with counts', () => {
  const only = [kernelResult('6.1')];
  expect(buildReport(resultsOf(pair(1, 1), only)).footnotes).toHaveLength(1);
  expect(buildReport(resultsOf(pair(1, 1, { measure: 'peak-bytes', unit: 'bytes' }), only)).footnotes).toEqual([]);
});

describe('profiles', () => {
  const both = [kernelResult('5.8:tree'), kernelResult('6.1')];
  const withProfiles = (...profiles: Results['profiles'][number][]): Results => ({
    ...resultsOf(
      both.flatMap(({ id }) => pair(1, 1, { kernel: id })),
      both,
    ),
    profiles,
  });
  const namesOf = (results: Results) =>
    buildReport(results).profiles.map(({ bench, kernel, files }) => [bench, kernel, files.map(({ name }) => name)]);

  test('are grouped by bench and kernel, the difference first', () => {
    const results = withProfiles(
      ...profilesOf('6.1', 'a', ['base.cpu.svg', 'difference.cpu.svg', 'head.cpu.svg']),
      ...profilesOf('6.1', 'b', ['head.heap.json']),
      ...profilesOf('5.8:tree', 'a', ['base.cpu.svg']),
    );
    expect(namesOf(results)).toEqual([
      ['a', '6.1', ['difference.cpu.svg', 'head.cpu.svg', 'base.cpu.svg']],
      ['b', '6.1', ['head.heap.json']],
      ['a', '5.8:tree', ['base.cpu.svg']],
    ]);
  });

  test('are folded stacks only if they have no drawing', () => {
    const results = withProfiles(
      ...profilesOf('6.1', 'a', ['base.cpu.folded', 'base.cpu.svg', 'head.cpu.folded', 'head.folded.svg']),
      ...profilesOf('5.8:tree', 'a', ['base.cpu.folded']),
    );
    expect(namesOf(results)).toEqual([
      ['a', '6.1', ['head.cpu.folded', 'head.folded.svg', 'base.cpu.svg']],
      ['a', '5.8:tree', ['base.cpu.folded']],
    ]);
  });

  test('are linked only if they are no web pages', () => {
    const names = ['a.svg', 'b.folded', 'c.json', 'd.html', 'e.svg.xhtml', 'f.SVG', 'g.xml', 'json'];
    const profiles = profilesOf('6.1', 'a', names).map((profile) => ({ ...profile, kind: 'head' as const }));
    const [group] = buildReport(withProfiles(...profiles)).profiles;
    expect(group?.files.map(({ name, url }) => [name, url !== null])).toEqual([
      ['a.svg', true],
      ['b.folded', true],
      ['c.json', true],
      ...['d.html', 'e.svg.xhtml', 'f.SVG', 'g.xml', 'json'].map((name) => [name, false]),
    ]);
  });

  test('are where the caller says, for each kernel', () => {
    const profilesIn = (kernel: string) => (kernel === '6.1' ? '../a b/[x](y)?#%&"\'' : '');
    const groups = buildReport(fixtures.profiles ?? withProfiles(), { profilesIn }).profiles;
    expect(groups.map(({ folder }) => folder)).toEqual([
      'profiles/5.8-tree/micro',
      '../a b/[x](y)?#%&"\'/profiles/6.1/micro',
      '../a b/[x](y)?#%&"\'/profiles/6.1/heap.peak',
    ]);
    expect(groups.map(({ files }) => files[0]?.url)).toEqual([
      'profiles/5.8-tree/micro/difference.cpu.svg',
      '../a%20b/%5Bx%5D%28y%29%3F%23%25%26%22%27/profiles/6.1/micro/difference.cpu.svg',
      '../a%20b/%5Bx%5D%28y%29%3F%23%25%26%22%27/profiles/6.1/heap.peak/head.off-cpu.folded',
    ]);
  });

  test('are only named in a report that is not in a file', () => {
    const { profiles } = buildReport(fixtures.profiles ?? withProfiles(), { linkProfiles: false });
    expect(new Set(profiles.flatMap(({ files }) => files.map(({ url }) => url)))).toEqual(new Set([null]));
  });
});

test('a kernel with cached results is distinguished from those that were booted', () => {
  const kernels = [kernelResult('5.10'), kernelResult('6.1', { kept: ['base', 'head'] })];
  const { machines } = buildReport(resultsOf(pair(1, 1), kernels));
  expect(machines.map(({ description }) => description.split('; ').slice(1))).toEqual([
    [],
    ['base and head as an earlier run counted them'],
  ]);
});
