// Report: turns names and messages of untrusted programs into one harmless line of text.

import { clipMiddle } from '../common/clip-middle.ts';

/** Control, format (also bidirectional and zero-width), unpaired surrogate, private, line and paragraph separators. */
export const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** Shows invisible characters as `\n`, `\t` or `\u{202e}`, so that nothing is hidden and no line breaks. */
export function toPlainLine(text: string): string {
  return text.replace(unprintable, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}

/** Does the same for a text of several lines, whose lines and tabs stay. */
export function toPlainText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(toPlainLine).join('\t'))
    .join('\n');
}

/** Keeps GitHub's runner, which looks for commands in all that a step prints, from reading a text as one. */
export function breakCommands(text: string): string {
  // Blanks of one line: with line breaks a run of these would take quadratic time.
  return text.replace(/^([^\S\n\r\u2028\u2029]*):(?=:)/gm, '$1:\u200b').replace(/##(?=\[)/g, '#\u200b#');
}

/** Formats JSON that also escapes invisible characters and those that break a line for some reader (U+2028). */
export function toPlainJson(value: unknown, indent = 0): string {
  // Commands of GitHub's runner are broken as well.
  const text = JSON.stringify(value, null, indent).replace(/##(?=\[)/g, '#\\u0023');
  return text.replace(unprintable, (character) => {
    // A line break of JSON itself, between values.
    if (character === '\n') return character;
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

/**
 * A piece of a sentence: prose, or a name that is shown as code, with the URL that it links to if any. URLs are made by
 * bpfgate, of characters that mean nothing in HTML and Markdown.
 */
export type Span = string | { readonly code: string; readonly url?: string };
/** Prose without control characters in any part. A renderer escapes each span for its own syntax. */
export type Sentence = readonly Span[];

/** Reads a message in which names stand between backticks. An odd backtick is left as it is. */
export function toSentence(message: string): Sentence {
  const parts = toPlainLine(message).split(/`([^`]+)`/);
  return parts.flatMap((part, index): Sentence => (part === '' ? [] : index % 2 === 1 ? [{ code: part }] : [part]));
}

/** Shortens each name in a sentence. */
export function clipNames(sentence: Sentence, max: number): Sentence {
  return sentence.map((span) => (typeof span === 'string' ? span : { ...span, code: clipMiddle(span.code, max) }));
}

/** Writes a sentence as such a message again. */
export function toText(sentence: Sentence): string {
  return sentence.map((span) => (typeof span === 'string' ? span : `\`${span.code}\``)).join('');
}

/** Writes a sentence without marks around names, for a title. */
export function toPlainName(sentence: Sentence): string {
  return sentence.map((span) => (typeof span === 'string' ? span : span.code)).join('');
}

/** `5.10`, `5.10 and 6.1`, `5.10, 6.1 and 6.12`. */
export function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** `1 regression`, `2 regressions`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
