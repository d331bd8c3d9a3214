import { describe, expect, test } from 'vitest';
import { InputError } from '../src/common/errors.ts';
import { type EvidenceRecord, formatRecord } from './record.ts';
import { renderPage, renderTable } from './render.ts';

const record: EvidenceRecord = {
  command: 'npm run x',
  time: '2026-11-21 13:05 UTC',
  minutes: 7,
  commit: 'b411a8e',
  machine: 'A CPU, 2 cores',
  conditions: { rounds: 3 },
  tables: {
    times: [
      { kernel: '5.10', way: 'cold', boots: 3, s: '3.19 (3.18–3.62)' },
      { kernel: '6.1', way: 'cold', boots: 3, s: '3.47' },
      { kernel: '6.1', way: '<b>', boots: 2, s: '' },
    ],
    failures: [],
  },
};
const read = (name: string) => {
  if (name !== 'x') throw new InputError(`no record ${name}`);
  return record;
};
const render = (page: string) => renderPage(page, read, (name) => `../evidence/${name}/record.json`);
/** The cells of the table between the marks, by row. */
const rowsOf = (wanted: string) =>
  render(`a\n<!-- evidence x ${wanted} -->\nold\n<!-- /evidence -->\nb`)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
    .filter((_, index) => index !== 1);

test('a page gets what the record says of itself, repeatedly, and nothing else changes', () => {
  const once = render('a\n<!-- evidence x -->\nold\n<!-- /evidence -->\nb\n');
  expect(once).toBe(
    'a\n<!-- evidence x -->\n\nMeasured 2026-11-21 13:05 UTC in 7 minutes by `npm run x` at b411a8e ' +
      '([record](../evidence/x/record.json)). A CPU, 2 cores; rounds 3.\n\n<!-- /evidence -->\nb\n',
  );
  expect(render(once)).toBe(once);
});

describe('a table', () => {
  test('has all rows and columns, unless the page wants some', () => {
    expect(rowsOf('times')).toEqual([
      ['kernel', 'way', 'boots', 's'],
      ['5.10', 'cold', '3', '3.19 (3.18–3.62)'],
      ['6.1', 'cold', '3', '3.47'],
      ['6.1', '&#60;b&#62;', '2', ''],
    ]);
    expect(rowsOf('times where kernel = 6.1: way | s')).toEqual([
      ['way', 's'],
      ['cold', '3.47'],
      ['&#60;b&#62;', ''],
    ]);
  });

  test('has a column for each value of another one', () => {
    expect(rowsOf('times by kernel: way | s')).toEqual([
      ['way', '5.10', '6.1'],
      ['cold', '3.19 (3.18–3.62)', '3.47'],
    ]);
    expect(rowsOf('times by kernel where way = cold: way | boots | s')[0]).toEqual([
      ...['way', '5.10: boots', '5.10: s', '6.1: boots', '6.1: s'],
    ]);
    expect(rowsOf('times by boots: kernel | way')[0]).toEqual(['kernel', '3 boots', '2 boots']);
  });

  test('without rows says so, and numbers are aligned to the right', () => {
    expect(renderTable([])).toBe('None.');
    expect(renderTable([{ a: 'x', b: '+1,302.0', c: '2 %' }]).split('\n')[1]).toMatch(/^\| :-+ \| -+: \| -+: \|$/);
  });
});

test.each([
  ['a mark without an end', '<!-- evidence x -->'],
  ['an end without a mark', '<!-- /evidence -->'],
  ['an unknown record', '<!-- evidence y -->\n<!-- /evidence -->'],
  ['an unknown table', '<!-- evidence x other -->\n<!-- /evidence -->'],
  ['an unknown column', '<!-- evidence x times: way | other -->\n<!-- /evidence -->'],
])('%s is refused', (_, page) => {
  expect(() => render(page)).toThrow(InputError);
});

test('a record has a line for each row', () => {
  const text = formatRecord(record);
  expect(JSON.parse(text)).toEqual(record);
  expect(text).toContain('\n      {"kernel":"6.1","way":"cold","boots":3,"s":"3.47"},\n');
});
