import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { escapeText, toCellCode, toCodeBlock, toCodeSpan } from '../../src/report/markdown-escape.ts';
import { buildReport } from '../../src/report/report-model.ts';
import { fixtures, kernelResult, pair, profilesOf, resultsOf } from './results-fixtures.ts';

describe('a report that is too long', () => {
  const kernels = ['5.10', '6.1', '6.12'].map((id) => kernelResult(id));
  const failed = kernelResult('6.18', {
    error: {
      kind: 'vm',
      message: 'it hung',
      hint: null,
      consoleTail: Array.from({ length: 100 }, () => 'x'.repeat(200)),
      benches: [],
    },
  });
  const model = buildReport(
    resultsOf(
      kernels.flatMap(({ id: kernel }) =>
        Array.from({ length: 600 }, (_, index) =>
          pair(1000, 1000 + (index < 150 ? index + 1 : 0), { kernel, benchmark: `bench/number ${index}` }),
        ).flat(),
      ),
      [...kernels, failed],
    ),
  );
  const rowsIn = (text: string) => text.match(/^\| `bench/gm)?.length ?? 0;
  const titlesIn = (text: string) => text.match(/^#### /gm)?.length ?? 0;

  test.each([1_000_000, 65_000, 30_000, 8_000, 2_000])(
    'fits in %d characters, keeps verdict, headline and titles, and counts what is left out',
    (maxLength) => {
      const text = renderMarkdown(model, { maxLength });
      expect(text.length).toBeLessThanOrEqual(maxLength);
      expect(text).toContain('### bpfgate: regression');
      expect(text).toContain('150 findings: `number 149`');
      expect(text).toContain('a count is not a time');
      expect(text).toContain('1350 comparisons unchanged on 3 kernels');
      const titles = titlesIn(text);
      expect(titles).toBeGreaterThanOrEqual(1);
      if (titles < 150) expect(text).toContain(`_${150 - titles} more findings left out to keep this short._`);
      if (maxLength === 1_000_000) expect([titles, rowsIn(text)]).toEqual([150, 600]);
    },
  );

  test('drops unchanged rows before findings, and all but their titles before the titles', () => {
    expect([titlesIn(renderMarkdown(model)), rowsIn(renderMarkdown(model))]).toEqual([150, 109]);
    const short = renderMarkdown(model, { maxLength: 30_000 });
    expect(titlesIn(short)).toBe(150);
    expect(rowsIn(short)).toBeGreaterThan(10);
    expect(rowsIn(short)).toBeLessThan(150);
  });

  test.each([2_000, 10_000])('of %d findings keeps ten whole, and as many titles as fit', (count) => {
    const measurements = Array.from({ length: count }, (_, index) =>
      pair(1, 2, { benchmark: `bench/n${index}` }),
    ).flat();
    const text = renderMarkdown(buildReport(resultsOf(measurements, [kernelResult('6.1')])));
    expect(text.match(/how to accept it<\/summary>/g)).toHaveLength(10);
    expect(text.length).toBeGreaterThan(64_000);
    expect(text).toContain(`_${count - titlesIn(text)} more findings left out to keep this short._`);
  });

  test('uses the available length', () => {
    expect(renderMarkdown(model).length).toBeGreaterThan(60_000);
  });
});

describe('profiles in a report that is too long', () => {
  const kernel = '6.1';
  const model = buildReport({
    ...resultsOf(pair(1000, 1001, { kernel }), [
      kernelResult(kernel, { warnings: [{ about: [], reason: `${kernel}${'w'.repeat(500)}` }] }),
    ]),
    profiles: Array.from({ length: 30 }, (_, index) =>
      profilesOf(kernel, `bench-${index}`, ['base.cpu.svg', 'head.cpu.svg', 'difference.cpu.svg']),
    ).flat(),
  });
  const whole = renderMarkdown(model);
  const profilesIn = (text: string) => text.match(/^- `bench-\d+` on /gm)?.length ?? 0;

  test('are dropped from the end and counted, after warnings and before findings', () => {
    expect(profilesIn(whole)).toBe(30);
    const text = renderMarkdown(model, { maxLength: whole.length - 2000 });
    expect(text.length).toBeLessThanOrEqual(whole.length - 2000);
    expect(profilesIn(text)).toBeGreaterThan(20);
    expect(text).toContain(`\n- and ${30 - profilesIn(text)} more\n`);
    expect(text).toContain('_1 warning: left out to keep this short._');
    expect(text).toContain('#### `fun_xdp` +1');
    expect(text).toContain('| `macro/fun_xdp` |');
  });

  test('leave a note if none fits', () => {
    const text = renderMarkdown(model, { maxLength: 1000 });
    expect(profilesIn(text)).toBe(0);
    expect(text).toContain('_Profiles, in the output folder: left out to keep this short._');
    expect(text).toContain('#### `fun_xdp` +1');
    expect(text).toContain('| `macro/fun_xdp` |');
  });
});

test('a length too short for any report still has the verdict', () => {
  const model = buildReport(fixtures['regression-everywhere'] ?? resultsOf([], []));
  expect(renderMarkdown(model, { maxLength: 100 })).toBe(
    '### bpfgate: regression\n\nThe report is too long to be shown here.\n',
  );
});

describe('hostile names', () => {
  const text = renderMarkdown(buildReport(fixtures['hostile-names'] ?? resultsOf([], [])));
  // Markdown without code, in which GitHub interprets nothing. Within HTML it still does.
  const prose = text
    .replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '')
    .replace(/(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)/g, '')
    .replace(/<\/?code>/g, '');

  test('mention nobody and reference nothing', () => {
    expect(prose).not.toMatch(/@\w|(?<!&)#\d|:\/\/|\bwww\.|\bGH-\d/);
  });

  test('add no HTML', () => {
    expect([...new Set(prose.match(/<[^>]*>/g))].sort()).toEqual([
      '</details>',
      '</sub>',
      '</summary>',
      '<br>',
      '<details>',
      '<sub>',
      '<summary>',
    ]);
  });

  test('add no HTML and mention nobody, of the only kernel', () => {
    const id = '7.1<i>@octocat';
    const only = renderMarkdown(buildReport(resultsOf(pair(1, 1, { kernel: id }), [kernelResult(id)])));
    expect(only).toContain('<summary>1 comparison unchanged on 7.1&#60;i&#62;@\u200boctocat</summary>');
  });

  test('add no column and no line', () => {
    const table = text.split('\n').filter((line) => line.startsWith('|'));
    const columns = table.map((line) => line.split('|').length);
    expect(new Set(columns)).toEqual(new Set([6, 7]));
    expect(prose).not.toMatch(/^## verdict/m);
  });

  test('hide nothing', () => {
    expect(text.replaceAll('\n', '').replaceAll('\u200b', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

test.each([
  ['a`b', '``a`b``'],
  ['`a', '`` `a ``'],
  [' ', '<code> </code>'],
  ['``', '``` `` ```'],
])('%j is the code span %s', (text, span) => {
  expect(toCodeSpan(text)).toBe(span);
});

test('a pipe in a table cell is an entity, since parsers differ on backslashes', () => {
  expect(toCellCode('a\\|b')).toBe('<code>a&#92;&#124;b</code>');
  expect(toCellCode('|https://a.org')).toBe('<code>&#124;https:\u200b//a.org</code>');
});

test("a code block's fence is longer than any fence in it", () => {
  expect(toCodeBlock(['````', 'x']).split('\n')).toEqual(['`````text', '````', 'x', '`````']);
});

test.each([
  ['snake_case_name', 'snake_case_name'],
  ['_it_', '&#95;it&#95;'],
  ['- item', '&#45; item'],
  ['1. item', '1&#46; item'],
  ['+28 (+17.5%)', '+28 (+17.5%)'],
  ['&lt;', '&#38;lt;'],
  ['a@b #1', 'a@\u200bb #\u200b1'],
])('the text %j is escaped as %j', (text, escaped) => {
  expect(escapeText(text)).toBe(escaped);
});
