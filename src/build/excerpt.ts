// Build: picks the part of a failed program's output that an error shows, or that explains it. Pure.

/** Matches the beginning of an error of compilers, build tools, linkers and shells. */
const firstError =
  /(^|[\s\]])(error(\[\w+\])?:|fatal error:|panicked at|undefined reference to|cannot find -l|\S+: command not found)|^make(\[\d+\])?: \*\*\*|^FAIL\b/i;
/** Characters of a line that are searched: the time of matching grows with their square. */
const maxLooked = 1000;
/** Lines shown from the first error on, and from the end. */
const ofError = 15;
const ofEnd = 15;

/** The first error of an output and its last lines; the whole output where it is not longer than both. */
export function excerptOf(output: string): string {
  const lines = output
    .trim()
    .split('\n')
    .map((line) => line.trimEnd());
  const end = Math.max(0, lines.length - ofEnd);
  const from = lines.slice(0, end).findIndex((line) => firstError.test(line.slice(0, maxLooked)));
  if (from === -1) return [...(end > 0 ? ['…'] : []), ...lines.slice(end)].join('\n');
  const to = from + ofError;
  return [
    ...(from > 0 ? ['…'] : []),
    ...(to < end ? [...lines.slice(from, to), '…', ...lines.slice(end)] : lines.slice(from)),
  ].join('\n');
}
