// Report: text of untrusted programs as HTML. Pure.

import type { Sentence } from './plain-text.ts';

/** Escapes text for HTML, also for attributes in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function toCode(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

export function toHtml(sentence: Sentence): string {
  return sentence.map((span) => (typeof span === 'string' ? escapeHtml(span) : toCode(span.code))).join('');
}
