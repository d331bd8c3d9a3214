// Paths as text. Pure.

/** Whether an absolute path is a folder, or below it. Both are without links and a slash at the end. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

/** Whether a relative path leads out of its folder. */
export function leadsOut(path: string): boolean {
  return path === '..' || path.startsWith('../');
}

/** Returns a relative path without `.`, doubled slashes, and one at either end. */
export function normalizeRelative(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}
