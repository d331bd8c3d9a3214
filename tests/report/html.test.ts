import { describe, expect, test } from 'vitest';
import { toCellText } from '../../src/report/cell-text.ts';
import { renderHtml } from '../../src/report/html.ts';
import { buildReport } from '../../src/report/report-model.ts';
import type { Results } from '../../src/report/results.ts';
import { fixtures, kernelResult, pair, readTenTimes, resultsOf } from './results-fixtures.ts';

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

describe('a benchmark that needs a newer kernel', () => {
  const html = render(fixtures['needs-newer-kernel'] as Results);

  test.each([
    ['multi', 'missing: needs 5.18'],
    ['moved', 'missing: needs 5.11 → 5.18'],
    ['lost', 'regression: head needs 5.18'],
    ['won', 'improvement: base needs 5.18'],
  ])('%s has the needed version in the cell of the kernel that is too old', (name, cell) => {
    const row = new RegExp(`<th scope="row">.*<code>probes/${name}</code>.*`).exec(html)?.[0] ?? '';
    const cells = [...row.matchAll(/<td class="number (\w+)">([^<]*)/g)].map(([, tone, text]) => `${tone}: ${text}`);
    expect(cells).toEqual([cell, 'unchanged: ~', 'unchanged: ~']);
  });

  test('has text instead of a bar if head lost it', () => {
    const svg = html.slice(html.indexOf('<svg'), html.indexOf('</svg>'));
    expect(svg).toContain('aria-label="probes/lost: base against head on 3 kernels"');
    expect(svg.match(/<rect class="(base|head)"/g)).toHaveLength(5);
    expect(svg).toMatch(/<text x="[\d.]+" y="[\d.]+">head needs 5\.18<\/text>/);
  });
});

describe.each(cases)('%s', (_name, results) => {
  const html = render(results);

  test('has the contents of the other reports', () => {
    const model = buildReport(results);
    const text = toVisibleText(html);
    const spans = [model.headline, ...model.warnings].flat();
    const rows = [...model.findings.flatMap(({ lead, rest }) => [...lead, ...rest]), ...model.unchanged.rows];
    const cells = rows.flatMap((row) =>
      model.kernels.flatMap((kernel, index) => {
        const { result, values } = toCellText(row, index, kernel);
        return [result, values ?? ''];
      }),
    );
    const failures = model.failures.flatMap(({ release, consoleTail }) => [release, ...consoleTail]);
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
    for (const [, slash, tag = '', attributes = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:[^>"]|"[^"]*")*)>/gi)) {
      expect(ours).toContain(tag);
      expect(attributes.replace(/"[^"]*"/g, '')).not.toMatch(/\b(on\w+|style|src)\b/);
      if (slash !== '') expect(open.pop()).toBe(tag);
      else if (!['meta', 'line', 'rect', 'path'].includes(tag)) open.push(tag);
    }
    expect(open).toEqual([]);
    // Nothing else begins a tag, a comment or an entity.
    expect(html.replace(/<style>[\s\S]*<\/style>/, '')).not.toMatch(/<(?![a-z/]|!doctype html>)|&(?!#\d+;)/);
  });

  test('loads nothing, runs nothing and links only to itself and profiles', () => {
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; `);
    expect(html).not.toMatch(/<(script|link|img|iframe|object|form)\b|url\(|@import/i);
    for (const [, target] of html.matchAll(/href="([^"]*)"/g)) {
      if (target?.startsWith('#')) expect(html).toContain(`id="${target.slice(1)}"`);
      else expect(target).toMatch(/^profiles(\/[\w.%+-]+)+\.(svg|folded|json)$/);
    }
  });
});

const ours =
  'html head meta title style body main header footer section article h1 h2 h3 p span strong code small a ul li pre ' +
  'div table thead tbody tr th td details summary figure figcaption svg line rect path text tspan';

describe('the plot', () => {
  const bars = (html: string, kind: string) =>
    [...html.matchAll(new RegExp(`<rect class="${kind}" x="([-.\\d]+)" y="[-.\\d]+" width="([-.\\d]+)"`, 'g'))].map(
      ([, x, width]) => ({ x: Number(x), width: Number(width) }),
    );

  test('shows one added instruction among millions', () => {
    const html = render(resultsOf(pair(1_000_000, 1_000_001), [kernelResult('6.1')]));
    expect(bars(html, 'change regression')[0]?.width).toBe(2);
  });

  test('has bars in proportion to their values, from a common zero', () => {
    const html = render(resultsOf(pair(100, 200), [kernelResult('6.1')]));
    const [base, head] = [bars(html, 'base')[0], bars(html, 'head')[0]];
    expect(head?.x).toBe(base?.x);
    expect((head?.width ?? 0) / (base?.width ?? 1)).toBeCloseTo(2, 2);
  });

  test('shows an improvement on one kernel next to a regression on another', () => {
    const html = render(
      resultsOf(
        [...pair(100, 200, { kernel: '5.10' }), ...pair(100, 80, { kernel: '6.1' })],
        [kernelResult('5.10'), kernelResult('6.1')],
      ),
    );
    const [saved] = bars(html, 'change improvement');
    const base = bars(html, 'base')[1];
    expect((saved?.x ?? 0) + (saved?.width ?? 0)).toBeCloseTo((base?.x ?? 0) + (base?.width ?? 0), 1);
  });

  test.each([
    [0, 1],
    [-50, -20],
    [-3, 4],
    [1e-300, 2e-300],
    [-1e308, 7e307],
    [1e308, 1.7e308],
  ])('keeps %d to %d within its frame', (base, head) => {
    const inexact = readTenTimes(pair(base, head, { kind: 'benchmark', exact: false, resolution: 0.01 }));
    const html = render(resultsOf(inexact, [kernelResult('6.1')]));
    const svg = html.slice(html.indexOf('<svg'), html.indexOf('</svg>'));
    expect(bars(svg, 'head')).toHaveLength(1);
    expect(svg.match(/\b(x|y|x1|x2|width|d)="[^"]*(NaN|Infinity|e)[^"]*"/g)).toBeNull();
    const width = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
    for (const bar of ['base', 'head'].flatMap((kind) => bars(svg, kind))) {
      expect(bar.x).toBeGreaterThanOrEqual(0);
      expect(bar.x + bar.width).toBeLessThanOrEqual(width);
    }
  });

  test('marks the range of an inexact head', () => {
    const inexact = readTenTimes(pair(100, 200, { kind: 'benchmark', exact: false, resolution: 0.2 }));
    expect(render(resultsOf(inexact, [kernelResult('6.1')]))).toContain('<path class="whisker"');
    expect(render(resultsOf(pair(100, 200), [kernelResult('6.1')]))).not.toContain('<path class="whisker"');
  });
});
