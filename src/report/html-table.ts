// Report: the page's tables, each in a frame that scrolls by itself, also by keyboard. Pure.

import { clipMiddle } from '../common/clip-middle.ts';
import type { Grown } from './finding-detail.ts';
import { escapeHtml, toCode } from './html-escape.ts';

/** Longest name in the page, in characters. */
export const maxName = 120;

/** Renders a table of heads and rows that are HTML; `overview` has a column for each kernel. */
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
export function renderDeltas(label: string, what: string, all: readonly Omit<Grown, 'base' | 'head'>[]): string {
  const heads = `<th scope="col">${what}</th><th scope="col" class="number">delta</th><th scope="col" class="number">base → head</th>`;
  const rows = all.map(
    ({ place, delta, values }) =>
      `<tr><th scope="row">${toCode(clipMiddle(place, maxName))}</th><td class="number">${escapeHtml(delta)}</td><td class="number">${escapeHtml(values)}</td></tr>`,
  );
  return renderTable(label, heads, rows);
}
