// Paths as text. Pure.

import { posix } from 'node:path';

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

/** Resolves the `.` and `..` of a path, as compilers leave them in names. Those that lead out of it stay in front. */
export function resolveDots(path: string): string {
  return posix.normalize(path);
}

/** Resolves a path of a build file from its folder; undefined where only the tool knows, or it leads out. */
export function resolveBelow(folder: string, path: string): string | undefined {
  if (/[$*~%]/.test(path) || path.startsWith('/')) return undefined;
  const resolved = posix.join(folder, path);
  return resolved === '..' || resolved.startsWith('../') ? undefined : resolved.replace(/\/$/, '');
}
