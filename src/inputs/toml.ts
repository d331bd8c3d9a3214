// Inputs: TOML text as a tree whose every node knows its line, so that messages can name it.

import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { clipMiddle } from '../common/clip-middle.ts';
import { InputError } from '../common/errors.ts';

export interface TomlTable {
  readonly kind: 'table';
  /** Line of the header or key that defines it, 1-based. */
  readonly line: number;
  readonly entries: ReadonlyMap<string, TomlNode>;
}

export interface TomlArray {
  readonly kind: 'array';
  readonly line: number;
  readonly items: readonly TomlNode[];
}

export interface TomlScalar {
  readonly kind: 'string' | 'number' | 'boolean' | 'date';
  readonly line: number;
  readonly value: unknown;
}

export type TomlNode = TomlTable | TomlArray | TomlScalar;

/** UTF-16 units. A configuration of 500 benches has a tenth of that. The parser's time grows faster than the text. */
const maxText = 100_000;

interface OpenTable extends TomlTable {
  readonly entries: Map<string, TomlNode>;
}

interface OpenArray extends TomlArray {
  readonly items: TomlNode[];
}

/**
 * @param file named in errors
 * @throws InputError with file, line and column when the text is not TOML 1.0; or when it is too long, or nested too deep
 */
export function parseToml(text: string, file: string): TomlTable {
  if (text.length > maxText) {
    throw new InputError(`${file} has ${text.length} characters; allowed: at most ${maxText}`);
  }
  try {
    return toTable(text, file);
  } catch (cause) {
    // A stack overflow: the parser and the tree below recurse as deep as the text is nested.
    if (!(cause instanceof RangeError)) throw cause;
    throw new InputError(`${file}: nested too deep`, { cause, hint: 'nest lists and tables less deeply' });
  }
}

function toTable(text: string, file: string): TomlTable {
  const root: OpenTable = { kind: 'table', line: 1, entries: new Map() };
  for (const node of parseProgram(text, file).body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      addKeyValue(root, node);
      continue;
    }
    const table = openTable(root, node.resolvedKey, node.loc.start.line);
    for (const entry of node.body) addKeyValue(table, entry);
  }
  return root;
}

function parseProgram(text: string, file: string): AST.TOMLProgram {
  try {
    return parseTOML(text.replace(/^\uFEFF/, ''), { tomlVersion: '1.0' });
  } catch (cause) {
    if (!(cause instanceof ParseError)) throw cause;
    const { line, column, problem } = findUnclosed(cause, text) ?? {
      ...findPosition(cause, text),
      problem: clipMiddle(cause.message.replace(/\.$/, ''), 1000),
    };
    throw new InputError(`${file}:${line}:${column}: not TOML: ${problem}`, { cause });
  }
}

/** Finds an unclosed table name on the last line with content before the error, or an unclosed list or table further up. */
function findUnclosed({ lineNumber }: ParseError, text: string) {
  const lines = text.split('\n').slice(0, lineNumber);
  const isName = (line = '') => /^\s*\[\[?([^[\]#,"']|"[^"]*"|'[^']*')*\]?\s*(#.*)?$/.test(line);
  const isClosed = (line = '') => /^\s*\[[^[\]]*\]/.test(line);
  const hasContent = (line: string) => /^\s*[^\s#]/.test(line);
  const last = lines.findLastIndex((line, index) => index < lineNumber - 1 && hasContent(line));
  // The parser finds a name at the end of the text on its own line.
  for (const at of [last, lineNumber - 1]) {
    if (!isName(lines[at]) || isClosed(lines[at])) continue;
    const closing = /^\s*\[\[/.test(lines[at] ?? '') ? ']]' : ']';
    return { line: at + 1, column: 1, problem: `the table's name is not closed by \`${closing}\`` };
  }
  for (const [what, opening, closing] of [
    ['list', /=\s*\[[^\]]*$/, ']'],
    ['table', /=\s*\{[^}]*$/, '}'],
  ] as const) {
    const begin = lines.findLastIndex((line) => opening.test(line));
    const isBefore = begin !== -1 && (begin < lineNumber - 1 || what === 'table');
    if (isBefore && !lines.slice(begin + 1, lineNumber - 1).some((line) => line.includes(closing))) {
      return { line: begin + 1, column: 1, problem: `the ${what} that begins here is not closed by \`${closing}\`` };
    }
  }
  return undefined;
}

/** Line and column, both from 1. The parser notices a missing value only at the start of the next line. */
function findPosition({ lineNumber, column }: ParseError, text: string): { line: number; column: number } {
  const before = text.split('\n')[lineNumber - 2]?.trimEnd();
  return column === 0 && before?.endsWith('=')
    ? { line: lineNumber - 1, column: before.length + 1 }
    : { line: lineNumber, column: column + 1 };
}

function addKeyValue(table: OpenTable, node: AST.TOMLKeyValue): void {
  const line = node.key.loc.start.line;
  const names = node.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));
  const last = names.pop() ?? '';
  openTable(table, names, line).entries.set(last, toNode(node.value, line));
}

function toNode(node: AST.TOMLContentNode, line: number): TomlNode {
  switch (node.type) {
    case 'TOMLArray':
      return { kind: 'array', line, items: node.elements.map((item) => toNode(item, item.loc.start.line)) };
    case 'TOMLInlineTable': {
      const table: OpenTable = { kind: 'table', line, entries: new Map() };
      for (const entry of node.body) addKeyValue(table, entry);
      return table;
    }
    case 'TOMLValue': {
      // An integer that a number cannot hold is its digits.
      const isLarge = node.kind === 'integer' && !Number.isSafeInteger(node.value);
      return { kind: scalarKind(node.kind), line, value: isLarge ? String(node.bigint) : node.value };
    }
  }
}

function scalarKind(kind: AST.TOMLValue['kind']): TomlScalar['kind'] {
  if (kind === 'string' || kind === 'boolean') return kind;
  return kind === 'integer' || kind === 'float' ? 'number' : 'date';
}

/** Walks to the table at `path`, and creates missing ones. A number in the path is an index into an array of tables. */
function openTable(root: OpenTable, path: readonly (string | number)[], line: number): OpenTable {
  let node: OpenTable | OpenArray = root;
  path.forEach((step, index) => {
    const isArray = typeof path[index + 1] === 'number';
    const make = (): OpenTable | OpenArray =>
      isArray ? { kind: 'array', line, items: [] } : { kind: 'table', line, entries: new Map() };
    if (node.kind === 'array') {
      node.items[Number(step)] ??= make();
      node = node.items[Number(step)] as OpenTable;
    } else {
      const name = String(step);
      if (!node.entries.has(name)) node.entries.set(name, make());
      node = node.entries.get(name) as OpenTable | OpenArray;
    }
  });
  return node as OpenTable;
}
