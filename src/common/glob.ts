// The globs of bpfgate.toml.

/** Whether a text matches. `*` matches any run of characters, `/` included, or none; the rest matches itself. */
export function matchesGlob(glob: string, text: string): boolean {
  return matchesParts(glob.split('*'), text);
}

/** Whether a text begins with the first part, ends with the last, and has the others in between, in order. */
export function matchesParts([first = '', ...parts]: readonly string[], text: string): boolean {
  const last = parts.pop();
  if (last === undefined) return text === first;
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
