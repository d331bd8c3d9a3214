// Bench: finds repeated JSON keys. JSON.parse would silently keep only the last.

/** Path of the first key that one object repeats, joined by `.`; null if there is none. `text` is valid JSON. */
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
