// Report: text of untrusted origin made safe for GitHub's Markdown. Expects single lines without control characters.

/** An invisible break. Only this stops mentions, issues and addresses, which GitHub finds after decoding entities. */
const breakMark = '\u200b';

/** An underscore at the edge of a word; one inside a word marks nothing up. */
const outerUnderscore = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Escapes prose, also in a table: it shows exactly `text`, with no markup, HTML, mention, issue reference or link. */
export function escapeText(text: string): string {
  return text
    .replace(/[\\`*{}[\]<>|~&!$^]/g, toEntity)
    .replace(outerUnderscore, toEntity)
    .replace(/(?<!&)#/g, `#${breakMark}`)
    .replace(/@|:\/\/|\bwww\./gi, breakAddress)
    .replace(/\bGH-(?=\d)/gi, (match) => `${match.slice(0, -1)}${breakMark}-`)
    .replace(/^[-+=](?=[-+=\s]|$)/, toEntity)
    .replace(/^(\d+)([.)])(?=\s|$)/, (_match, digits: string, mark: string) => `${digits}${toEntity(mark)}`);
}

/** Formats a name as code in a paragraph or a list. */
export function toCodeSpan(text: string): string {
  if (text.trim() === '') return toHtmlCode(text);
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1);
  const padding = /^[` ]|[` ]$/.test(text) ? ' ' : '';
  return `${fence}${padding}${text}${padding}${fence}`;
}

/** Formats a name as code in a table or HTML: parsers differ on a pipe behind a backslash in a code span. */
export function toCellCode(text: string): string {
  return /[|\\`]/.test(text) ? toHtmlCode(text) : toCodeSpan(text);
}

/** Formats a name as code inside HTML. Markdown may be read in there, and then addresses become links. */
function toHtmlCode(text: string): string {
  const inner = text
    .replace(/[^\p{L}\p{N} ./,:()…_@-]/gu, toEntity)
    .replace(outerUnderscore, toEntity)
    .replace(/@|:\/\/|\bwww\./gi, breakAddress);
  return `<code>${inner}</code>`;
}

/** Breaks behind the first character of `@` and `://`, and before the point of `www.`. */
function breakAddress(match: string): string {
  const at = match.endsWith('.') ? match.length - 1 : 1;
  return `${match.slice(0, at)}${breakMark}${match.slice(at)}`;
}

/** Makes a fenced block that no line in it can end. */
export function toCodeBlock(lines: readonly string[], language: 'text' | 'diff' = 'text'): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
  const fence = '`'.repeat(Math.max(2, ...runs.map((run) => run.length)) + 1);
  return [`${fence}${language}`, ...lines, fence].join('\n');
}

function toEntity(character: string): string {
  return `&#${character.codePointAt(0)};`;
}
