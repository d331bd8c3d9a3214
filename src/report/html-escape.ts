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
  const parts = sentence.map((span) => {
    if (typeof span === 'string') return escapeHtml(span);
    return span.url === undefined ? toCode(span.code) : `<a href="${escapeHtml(span.url)}">${toCode(span.code)}</a>`;
  });
  return parts.join('');
}
