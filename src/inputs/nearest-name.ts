// Inputs: suggestions for misspelt names.

/** Returns `; did you mean \`format\`?` when one of `names` is near, else an empty string. */
export function suggest(word: string, names: readonly string[]): string {
  const near = nearestName(word, names);
  return near === null ? '' : `; did you mean \`${near}\`?`;
}

/** The name with the fewest edits from `word`; null when even that one needs more than a third of `word` changed. */
export function nearestName(word: string, names: readonly string[]): string | null {
  const wanted = word.toLowerCase();
  let best: string | null = null;
  let fewest = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of names) {
    const edits = countEdits(wanted, name.toLowerCase(), fewest);
    if (edits < fewest) {
      best = name;
      fewest = edits;
    }
  }
  return best;
}

/** Edits from one word to another, of which a swap of neighbors is one; `most` if it is at least that. */
function countEdits(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) >= most) return most;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  let before = row;
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replace = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swap = isSwap ? (before[j - 2] ?? 0) + 1 : replace;
      next.push(Math.min(replace, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    // A swap continues from the row before the last.
    if (Math.min(...row, ...next) >= most) return most;
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
