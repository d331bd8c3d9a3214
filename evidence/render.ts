// `node evidence/render.ts`: puts the tables of the records between the marks of the pages in docs/. With --check it fails
// if a page on disk differs. Marks are
//
//   <!-- evidence NAME -->        what was measured when, where and by which command
//   <!-- evidence NAME TABLE -->  a table of the record
//   <!-- /evidence -->            the end of either
//
// `TABLE where COLUMN = VALUE` shows some rows, `TABLE: COLUMN | COLUMN` some columns, and `TABLE by COLUMN: KEY | CELL`
// a column of cells for each value of that column.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { markdownTable } from 'markdown-table';
import { packageRoot } from '../src/adapters/package-root.ts';
import { InputError } from '../src/common/errors.ts';
import { groupBy } from '../src/common/group-by.ts';
import { escapeText, toCellCode } from '../src/report/markdown-escape.ts';
import { countOf, toSentence } from '../src/report/plain-text.ts';
import { type EvidenceRecord, type Row, readRecord, recordFile } from './record.ts';

const mark = /(<!-- evidence (\S+)(?: (.+?))? -->)[\s\S]*?(<!-- \/evidence -->)/g;
const view = /^(\S+?)(?: by (.+?))?(?: where (.+?) = (.+?))?(?:: (.+))?$/;

/**
 * Returns the page with what the records hold between its marks.
 *
 * @param read the record of a name
 * @param linkOf the address of a record in the page
 * @throws InputError when a mark has no end, or names a table or column that the record does not have
 */
export function renderPage(
  page: string,
  read: (name: string) => EvidenceRecord,
  linkOf: (name: string) => string,
): string {
  if (page.split('<!-- evidence ').length !== page.split('<!-- /evidence -->').length) {
    throw new InputError('an `evidence` mark has no end, or an end has no mark');
  }
  return page.replace(mark, (_match, begin: string, name: string, wanted: string | undefined, end: string) => {
    const record = read(name);
    const text = wanted === undefined ? renderHeader(record, linkOf(name)) : renderTable(selectRows(record, wanted));
    return `${begin}\n\n${text}\n\n${end}`;
  });
}

function renderHeader({ command, time, minutes, commit, machine, conditions = {} }: EvidenceRecord, link: string) {
  const took = minutes === undefined ? '' : ` in ${countOf(minutes, 'minute')}`;
  const others = Object.entries(conditions).map(([name, value]) => `${name} ${value}`);
  // The record also names the system and QEMU.
  const where = [machine?.split('; ')[0] ?? [], ...others].flat().map(escapeText).join('; ');
  const ending = where === '' ? '' : ` ${where}.`;
  return `Measured ${time}${took} by \`${command}\` at ${commit} ([record](${link})).${ending}`;
}

function selectRows({ tables }: EvidenceRecord, wanted: string): readonly Row[] {
  const [, table = '', by, filtered, value, named] = view.exec(wanted) ?? [];
  const all = tables[table];
  if (all === undefined) throw new InputError(`the record has no table \`${table}\``);
  const chosen = named?.split(' | ');
  for (const column of [by, filtered, ...(chosen ?? [])]) {
    if (column !== undefined && !all.every((row) => column in row)) {
      throw new InputError(`the table \`${table}\` has no column \`${column}\``);
    }
  }
  const rows = all.filter((row) => filtered === undefined || String(row[filtered]) === value);
  if (by !== undefined) return pivot(rows, by, chosen ?? []);
  return chosen === undefined ? rows : rows.map((row) => pick(row, chosen));
}

function pick(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? '']));
}

/** One row for each value of the first column, with the other columns for each value of `by`. Without what is empty. */
function pivot(rows: readonly Row[], by: string, [key = '', ...cells]: readonly string[]): Row[] {
  const filled = rows.filter((row) => cells.some((cell) => row[cell] !== ''));
  const values = [...new Set(filled.map((row) => row[by] ?? ''))];
  return groupBy(filled, (row) => String(row[key])).map((group) => {
    const row: Record<string, string | number> = pick(group[0] ?? {}, [key]);
    for (const value of values) {
      const found = group.find((each) => each[by] === value);
      // JavaScript would put a whole number before the other keys.
      const name = typeof value === 'number' ? `${value} ${by}` : value;
      for (const cell of cells) row[cells.length === 1 ? name : `${name}: ${cell}`] = found?.[cell] ?? '';
    }
    return row;
  });
}

/** Columns that hold numbers only are aligned to the right. */
export function renderTable(rows: readonly Row[]): string {
  const [first] = rows;
  if (first === undefined) return 'None.';
  const columns = Object.keys(first);
  const isNumber = (column: string) =>
    rows.every((row) => /^([~+−-]?\d[\d.,]*( [%×]| \(.*\))?)?$/.test(`${row[column]}`));
  return markdownTable(
    [columns, ...rows.map((row) => columns.map((column) => renderCell(String(row[column] ?? ''))))],
    { align: columns.map((column) => (isNumber(column) ? 'r' : 'l')) },
  );
}

/** What stands between backticks is shown as code. */
function renderCell(text: string): string {
  return toSentence(text)
    .map((span) => (typeof span === 'string' ? escapeText(span) : toCellCode(span.code)))
    .join('');
}

/** Writes every page whose tables differ from the records. @returns their paths below the package's folder */
export function writePages(isCheck = false): string[] {
  const docs = join(packageRoot, 'docs');
  const names = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  return names.sort().flatMap((name) => {
    const file = join(docs, name);
    const before = readFileSync(file, 'utf8');
    try {
      const after = renderPage(before, readRecord, (record) => relative(dirname(file), recordFile(record)));
      if (after === before) return [];
      if (!isCheck) writeFileSync(file, after);
    } catch (cause) {
      throw new InputError(`docs/${name}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
    return [`docs/${name}`];
  });
}

if (import.meta.main) {
  const isCheck = process.argv.includes('--check');
  for (const page of writePages(isCheck)) {
    console.error(isCheck ? `${page} is not what evidence/ has: run \`node evidence/render.ts\`` : `wrote ${page}`);
    if (isCheck) process.exitCode = 1;
  }
}
