import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { toCellText } from '../../src/report/cell-text.ts';
import { renderHtml } from '../../src/report/html.ts';
import { formatDelta } from '../../src/report/numbers.ts';
import { buildReport, maxProfile } from '../../src/report/report-model.ts';
import type { Results } from '../../src/report/results.ts';
import {
  fixtures,
  gaps,
  kernelResult,
  pair,
  profilesOf,
  readTenTimes,
  resultsOf,
  strictGate,
} from './results-fixtures.ts';

const render = (results: Results) => renderHtml(buildReport(results));
const cases = Object.entries(fixtures);

/** The visible text, and what a screen reader says in addition. */
function toVisibleText(html: string): string {
  return html
    .replace(/^[\s\S]*<body>/, '')
    .replace(/<[^>]*>/g, '')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

test('a complete page', async () => {
  const html = render(fixtures['regression-on-one-kernel'] as Results);
  await expect(html).toMatchFileSnapshot('golden/regression-on-one-kernel.html');
});

test.each(['accepted', 'one-kernel-failed', 'profiles', 'hostile-names'])('the body of %s', async (name) => {
  const html = render(fixtures[name] as Results);
  await expect(html.slice(html.indexOf('<body>'))).toMatchFileSnapshot(`golden/${name}.body.html`);
});

test('the name of the only kernel adds no HTML', () => {
  const id = '7.1<i>';
  expect(render(resultsOf(pair(1, 1, { kernel: id }), [kernelResult(id)]))).not.toContain('<i>');
});

describe('a benchmark that needs a newer kernel', () => {
  const html = render(fixtures['needs-newer-kernel'] as Results);

  test.each([
    ['multi', 'missing: needs 5.18'],
    ['moved', 'missing: needs 5.11 → 5.18'],
    ['lost', 'regression: head needs 5.18'],
    ['won', 'improvement: base needs 5.18'],
  ])('%s has the needed version in the cell of the kernel that is too old', (name, cell) => {
    const row = new RegExp(`<th scope="row">.*<code>probes/${name}</code>.*`).exec(html)?.[0] ?? '';
    const cells = [...row.matchAll(/<td class="number (\w+)"[^>]*>([^<]*)/g)].map(
      ([, tone, text]) => `${tone}: ${text}`,
    );
    expect(cells).toEqual([cell, 'unchanged: ~', 'unchanged: ~']);
  });

  test('has text instead of a dot if head lost it', () => {
    const svg = html.slice(html.indexOf('<svg'), html.indexOf('</svg>'));
    expect(svg).toContain('aria-label="probes/lost: base and head on 3 kernels"');
    expect(svg.match(/<circle /g)).toHaveLength(5);
    expect(svg).toMatch(/<text [^>]*>head needs 5\.18<\/text>/);
  });
});

test('only the bench that failed has failed on a kernel that was measured in part', () => {
  const error = {
    kind: 'bench',
    message: 'bench `b` exited with 1\nbench `a`',
    hint: null,
    consoleTail: [],
    benches: [{ name: 'b', revision: 'head' }],
  } as const;
  const on = (kernel: string, benchmark: string) => pair(1, 1, { kernel, benchmark });
  const results = resultsOf(
    [...on('6.1', 'c/x'), ...['a/x', 'b/x', 'c/x', 'd/x'].flatMap((name) => on('6.12', name))],
    [kernelResult('6.1', { error }), kernelResult('6.12')],
    strictGate,
    gaps('d/x', ['6.1'], '6.9', '6.9'),
  );
  const cells = [...render(results).matchAll(/<code>(.\/x)<\/code>.*?<td class="number (\w+)"[^>]*>([^<]*)/g)];
  expect(cells.map(([, name, tone, text]) => `${name} ${tone}: ${text}`).toSorted()).toEqual([
    'a/x missing: –',
    'b/x failed: failed',
    'c/x unchanged: ~',
    'd/x missing: needs 6.9',
  ]);
});

describe.each(cases)('%s', (_name, results) => {
  const html = render(results);

  test('has the contents of the other reports', () => {
    const model = buildReport(results);
    const text = toVisibleText(html);
    const spans = [model.headline, ...model.warnings.flatMap(({ subjects, reason }) => [...subjects, reason])].flat();
    const rows = [...model.findings.flatMap(({ lead, rest }) => [...lead, ...rest]), ...model.unchanged.rows];
    const cells = rows.flatMap((row) =>
      model.kernels.flatMap((kernel, index) => {
        const { result, values } = toCellText(row, index, kernel);
        return [result, values ?? ''];
      }),
    );
    const failures = model.failures.flatMap(({ title, consoleTail }) => [title, ...consoleTail]);
    const facts = [
      model.verdict,
      model.project,
      ...spans.map((span) => (typeof span === 'string' ? span : span.code)),
      ...cells,
      ...failures,
      ...model.findings.flatMap(({ subject, change, where, repeat, growth, refusals }) => [
        change,
        ...[subject, where, repeat].flat().map((span) => (typeof span === 'string' ? span : span.code)),
        ...(growth?.lines.flatMap(({ place, delta, values }) => [place, delta, values]) ?? []),
        ...refusals.flatMap(({ title, log }) => [title, ...log]),
      ]),
      model.unchanged.title,
      model.unchanged.verified ?? '',
      ...model.profiles.flatMap(({ bench, kernel, folder, files }) => [
        `${bench} on ${kernel}, in ${folder}: ${files.map(({ name }) => name).join(', ')}`,
      ]),
      ...model.machines.map(({ description }) => description),
      ...model.footnotes,
    ];
    for (const fact of facts) expect(text).toContain(fact);
  });

  test('is well formed: every element is known and closed', () => {
    const open: string[] = [];
    const text = html.replace(/<style>[\s\S]*<\/style>|<script>[\s\S]*<\/script>/g, '');
    for (const [, slash, tag = '', attributes = ''] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:[^>"]|"[^"]*")*)>/gi)) {
      expect(ours).toContain(tag);
      expect(attributes.replace(/"[^"]*"/g, '')).not.toMatch(/\b(on\w+|style|src)\b/);
      if (slash !== '') expect(open.pop()).toBe(tag);
      else if (!['meta', 'input'].includes(tag) && !attributes.endsWith('/')) open.push(tag);
    }
    expect(open).toEqual([]);
    // Nothing else begins a tag, a comment or an entity.
    expect(text).not.toMatch(/<(?![a-z/]|!doctype html>)|&(?!#\d+;|(amp|lt|gt|quot);)/);
  });

  test('loads nothing, runs only its own script and links only to itself and profiles', () => {
    const [script = '', ...others] = [...html.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/g)].map(
      (match) => match[1],
    );
    expect(others).toEqual([]);
    const hash = createHash('sha256').update(script).digest('base64');
    expect(html).toContain(`content="default-src 'none'; script-src 'sha256-${hash}'; img-src data:; style-src`);
    expect(html).not.toMatch(/<(link|img|iframe|object|form)\b|url\(|@import/i);
    for (const [, target] of html.matchAll(/href="([^"]*)"/g)) {
      if (target?.startsWith('#')) expect(html).toContain(`id="${target.slice(1)}"`);
      else expect(target).toMatch(/^profiles(\/[\w.%+-]+)+\.(svg|folded|json)$/);
    }
  });
});

const ours =
  'html head meta title style body main header footer section article h1 h2 h3 p span strong code small a ul li pre ' +
  'div table thead tbody tr th td details summary figure figcaption nav label input select option output ' +
  'svg g line rect circle path text';

describe('the plot', () => {
  const dots = (html: string, side: string) => {
    const group = new RegExp(`<g class="${side}"[\\s\\S]*?</g>`).exec(html)?.[0] ?? '';
    return [...group.matchAll(/cx="([-\d.]+)"/g)].map(([, x]) => Number(x));
  };

  test('shows one added instruction among millions', () => {
    const html = render(resultsOf(pair(1_000_000, 1_000_001), [kernelResult('6.1')]));
    expect((dots(html, 'head')[0] ?? 0) - (dots(html, 'base')[0] ?? 0)).toBeGreaterThan(50);
  });

  test('has dots in proportion to their values on all kernels', () => {
    const kernels = ['5.10', '6.1'].map((id) => kernelResult(id));
    const html = render(
      resultsOf([...pair(100, 200, { kernel: '5.10' }), ...pair(100, 150, { kernel: '6.1' })], kernels),
    );
    const [[one = 0, other = 0], [far = 0, near = 0]] = [dots(html, 'base'), dots(html, 'head')];
    expect(other).toBe(one);
    expect((far - one) / (near - other)).toBeCloseTo(2, 5);
  });

  test('has a row for each of the kernels whose clipped names are equal', () => {
    const ids = ['x', 'y'].map((id) => `file:kernels/${id}/arch/x86/boot/bzImage`);
    const html = render(
      resultsOf(
        ids.flatMap((kernel) => pair(1, 2, { kernel })),
        ids.map((id) => kernelResult(id)),
      ),
    );
    const svg = html.slice(html.indexOf('<svg'), html.indexOf('</svg>'));
    expect(new Set(svg.match(/ cy="[^"]*"/g))).toHaveLength(2);
    expect(svg.match(/<text [^>]*>file:kernels[^<]*…[^<]*bzImage</g)).toHaveLength(2);
  });

  test.each([
    [0, 1],
    [-50, -20],
    [-3, 4],
    [1e-300, 2e-300],
    [-1e307, 7e307],
    [1e308, 1.7e308],
  ])('keeps %d to %d within its frame', (base, head) => {
    const inexact = readTenTimes(pair(base, head, { kind: 'benchmark', exact: false, resolution: 0.01 }));
    const html = render(resultsOf(inexact, [kernelResult('6.1')]));
    const svg = html.slice(html.indexOf('<svg'), html.indexOf('</svg>'));
    expect(svg.match(/\b(x|y|x1|x2|cx|width|d|transform)="[^"]*(NaN|Infinity|e\+)[^"]*"/g)).toBeNull();
    const width = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
    const drawn = ['base', 'head'].flatMap((side) => dots(svg, side));
    expect(drawn).toHaveLength(2);
    for (const x of drawn) {
      expect(x).toBeGreaterThan(0);
      expect(x).toBeLessThan(width);
    }
  });

  test('marks the range of an inexact head', () => {
    const inexact = readTenTimes(pair(100, 200, { kind: 'benchmark', exact: false, resolution: 0.2 }));
    const range = '<g class="range" fill="none" stroke="currentColor" stroke-miterlimit="1"><path';
    expect(render(resultsOf(inexact, [kernelResult('6.1')]))).toContain(range);
    expect(render(resultsOf(pair(100, 200), [kernelResult('6.1')]))).not.toContain(range);
  });

  test('shows the last commits, where there are some', () => {
    const kernels = ['5.10', '6.1'].map((id) => kernelResult(id));
    const both = kernels.flatMap(({ id }) => pair(100, 150, { kernel: id }));
    const model = buildReport(resultsOf(both, kernels));
    const drawn = renderHtml(model, undefined, (_, kernel) => (kernel === '6.1' ? [90, 100, 100] : []));
    expect(drawn).toContain('aria-label="macro/fun_xdp: 3 earlier commits, base and head on 1 kernel"');
    const svg = drawn.slice(drawn.lastIndexOf('<svg'), drawn.lastIndexOf('</svg>'));
    expect(['base', 'head'].map((side) => dots(svg, side).length)).toEqual([1, 1]);
    expect(renderHtml(model)).not.toContain('earlier');
  });

  test('is left out of findings after the first 50, whose tables remain', () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      pair(1, 2, { benchmark: `b${index}/p${index}`, source: { file: `${index}.c`, line: 1 } }),
    );
    const html = render(resultsOf(many.flat(), [kernelResult('6.1')]));
    expect(html.match(/<article id="finding-/g)).toHaveLength(60);
    expect(html.match(/<svg /g)).toHaveLength(50);
  });
});

describe('flame graphs', () => {
  const model = buildReport(fixtures.profiles as Results);
  const drawn = '<svg xmlns="http://www.w3.org/2000/svg" onload="init()"><script>alert(1)</script><g/></svg>';

  test('are pictures without a script, next to the functions that changed most', () => {
    const html = renderHtml(model, (file) => {
      if (file.endsWith('.svg')) return Buffer.from(drawn);
      return Buffer.from(file.includes('head') ? 'main;alloc 9\nmain;run;alloc 2\nmain 1\n' : 'main;alloc 4\nmain 1\n');
    });
    const [, data = ''] = /<img [^>]* src="data:image\/svg\+xml;base64,([^"]*)"/.exec(html) ?? [];
    expect(Buffer.from(data, 'base64').toString()).toBe(drawn.replace(/<script>.*<\/script>/, ''));
    expect(html).toContain(
      '<tr><th scope="row"><code>alloc</code></th><td class="number">+7</td><td class="number">4 → 11</td></tr>',
    );
  });

  test.each([
    ['more', 100, 200],
    ['less', 200, 100],
  ])('of a finding that costs %s are linked, and the one that changed most with it is open', (_, base, head) => {
    const kernels = ['6.1', '6.12'];
    const sides = ['base', 'head', 'difference'].flatMap((side) => [`${side}.cpu`, `${side}.off-cpu`]);
    const files = sides.flatMap((side) => [`${side}.svg`, ...(side.startsWith('d') ? [] : [`${side}.folded`])]);
    const measured = kernels.flatMap((kernel) =>
      pair(base, head, { kernel, kind: 'benchmark', benchmark: 'b/sample' }),
    );
    const results = resultsOf(
      measured,
      kernels.map((id) => kernelResult(id)),
    );
    const profiles = kernels.flatMap((kernel) => profilesOf(kernel, 'b', files));
    const html = renderHtml(buildReport({ ...results, profiles }), (file) => {
      if (file.endsWith('.svg')) return Buffer.from('<svg><text id="search" x="1">Search</text><g/></svg>');
      const count = file.includes('base') ? base : head;
      // Less time waits, so that a bench runs more often.
      return Buffer.from(
        file.includes('off-cpu') ? `x;main;sleep;pause_[k];schedule_[k] ${count}\n` : `x;main ${1e6 / count ** 2}\n`,
      );
    });
    expect(html.match(/<details open><summary>[^<]*/g)).toEqual([
      expect.stringContaining('Flame graph of b on 6.12, off-cpu'),
    ]);
    expect(html).toContain('<a href="#profile-2">Flame graphs of b on 6.12 ↓</a>');
    expect(html).toContain('user-space code of which no line is known to have changed; its flame graphs show');
    expect(html).toContain('a sleep counts as instructions too');
    expect(html).toContain(`<code>sleep</code></th><td class="number">${formatDelta(head - base)}</td>`);
    expect(html).toContain(Buffer.from('<svg><g/></svg>').toString('base64'));
  });

  test('are only linked once the page has no room for more', () => {
    const html = renderHtml(model, (file) => (file.endsWith('.svg') ? Buffer.alloc(300_000) : Buffer.from('a 1')));
    expect(html.match(/<img /g)).toHaveLength(1);
    expect(html.length).toBeLessThan(1_000_000);
    expect(html).toContain('The page has no room for its picture');
  });

  test.each([
    ['one long name', 'a', 'a'],
    ['many counts in one line', 'a 1 ', 'a 1 '],
    ['scripts without an end', '<script ', ';'],
  ])('take linear time: %s', (_, picture, folded) => {
    const fill = (text: string) => Buffer.alloc(maxProfile, text);
    const html = renderHtml(model, (file) => fill(file.endsWith('.svg') ? picture : folded));
    expect(html).not.toMatch(/<img |functions as a table/);
  });

  test('are left out where a file is too large', () => {
    const large = Buffer.concat([Buffer.from('main;alloc 9\n'), Buffer.alloc(maxProfile, '#')]);
    expect(renderHtml(model, () => large)).not.toContain('<code>alloc</code>');
  });
});
