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

/** Matches a crate, or a repository of git, in cargo's own folder. */
const cargoFile =
  /\/(?:registry\/cache\/[^/\s]{1,200}\/([\w.+-]{1,200})\.crate|git\/(?:db|checkouts)\/([\w.+-]{1,200}))/;
/** Lines from cargo's error to its cause. */
const ofCause = 5;

/** What cargo could not download because its folder cannot be written, such as `libc-0.2.185`. */
export function refusedDownload(output: string): string | undefined {
  const lines = output.split('\n').map((line) => line.slice(0, maxLooked));
  for (const [index, line] of lines.entries()) {
    if (!/Read-only file system|Permission denied/.test(line)) continue;
    const file = cargoFile.exec(lines.slice(Math.max(0, index - ofCause), index + 1).join('\n'));
    if (file !== null) return file[1] ?? file[2];
  }
  return undefined;
}
