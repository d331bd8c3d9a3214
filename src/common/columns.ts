// Common: text in columns, for terminals.

import stringWidth from 'string-width';

/** Spaces between two columns. */
export const columnGap = 2;

export type Alignment = 'left' | 'right' | 'center';

/** Returns the width of the longest line, in columns of a terminal. */
export function widthOf(texts: readonly string[]): number {
  // Not by arguments of Math.max, which can be too many.
  return texts.flatMap((text) => text.split('\n')).reduce((most, line) => Math.max(most, stringWidth(line)), 0);
}

/**
 * Lays cells out in columns. A cell may have several lines, and colours.
 *
 * @param widths of the columns. Default: those of their longest lines
 * @returns a text for each row
 */
export function layOutColumns(
  rows: readonly (readonly string[])[],
  alignments: readonly Alignment[],
  widths: readonly number[] = alignments.map((_, column) => widthOf(rows.map((row) => row[column] ?? ''))),
): string[] {
  return rows.map((row) => {
    const cells = alignments.map((_, column) => (row[column] ?? '').split('\n'));
    const height = Math.max(...cells.map((lines) => lines.length));
    const lines = Array.from({ length: height }, (_, index) =>
      cells.map((cell, column) => align(cell[index] ?? '', widths[column] ?? 0, alignments[column] ?? 'left')),
    );
    return lines.map((line) => line.join(' '.repeat(columnGap)).trimEnd()).join('\n');
  });
}

function align(text: string, width: number, alignment: Alignment): string {
  const spaces = Math.max(0, width - stringWidth(text));
  const before = alignment === 'left' ? 0 : alignment === 'right' ? spaces : Math.floor(spaces / 2);
  return `${' '.repeat(before)}${text}${' '.repeat(spaces - before)}`;
}
