// Report: the page's tables, each in a frame that scrolls by itself, also by keyboard. Pure.

import { clipMiddle } from '../common/clip-middle.ts';
import { escapeHtml, toCode } from './html-escape.ts';

/** Longest name in the page, in characters. */
export const maxName = 120;

/**
 * @param label what a screen reader calls it
 * @param heads the cells of its head, as HTML
 * @param rows as HTML
 * @param kind `overview` has a column for each kernel
 */
export function renderTable(label: string, heads: string, rows: readonly string[], kind?: 'overview'): string {
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(label)}">
<table${kind === undefined ? '' : ` class="${kind}"`}>
<thead><tr>${heads}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</div>
`;
}

/** Renders how much more head has of each than base. */
export function renderDeltas(
  label: string,
  what: string,
  rows: readonly { readonly name: string; readonly delta: string; readonly values: string }[],
): string {
  const heads = `<th scope="col">${what}</th><th scope="col" class="number">delta</th><th scope="col" class="number">base → head</th>`;
  const body = rows.map(({ name, delta, values }) => {
    const cells = [delta, values].map((text) => `<td class="number">${escapeHtml(text)}</td>`);
    return `<tr><th scope="row">${toCode(clipMiddle(name, maxName))}</th>${cells.join('')}</tr>`;
  });
  return renderTable(label, heads, body);
}
