// Sixth stage: keys that JSON.parse would silently let the last of win.

/** Path of the first key that stands twice in one object, joined by `.`; null when there is none. `text` is valid JSON. */
export function findDuplicateKey(text: string): string | null {
  const objects: { readonly keys: Set<string>; key: string }[] = [];
  for (const [token, string] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*(?=:)|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    const object = objects.at(-1);
    if (token === '{') objects.push({ keys: new Set(), key: '' });
    else if (token === '}') objects.pop();
    else if (string !== undefined && object !== undefined) {
      object.key = JSON.parse(string) as string;
      if (object.keys.has(object.key)) return objects.map(({ key }) => key).join('.');
      object.keys.add(object.key);
    }
  }
  return null;
}
