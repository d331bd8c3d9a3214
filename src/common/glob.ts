// The globs of bpfgate.toml.

/** Whether a text matches. `*` matches any run of characters, `/` included, or none; the rest matches itself. */
export function matchesGlob(glob: string, text: string): boolean {
  const parts = glob.split('*');
  const first = parts.shift() ?? '';
  const last = parts.pop();
  if (last === undefined) return text === glob;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  // Taking each part at its first place leaves the most room for those that follow.
  const end = text.length - last.length;
  let position = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, position);
    if (found === -1 || found + part.length > end) return false;
    position = found + part.length;
  }
  return true;
}
