// Inputs: kernels of the user's own, as selectors and in bpfgate.toml.

/** Beginning of a selector that is a path. */
export const filePrefix = 'file:';

const versionWords = ['lts', 'latest', 'all'];

/** Whether a selector can be the name of a `[[kernel]]`. It begins with a letter, and pinned kernels with a digit. */
export function isKernelName(word: string): boolean {
  return /^[A-Za-z](?:[\w-]|\.(?!\.)){0,63}$/.test(word) && !versionWords.includes(word);
}

/** Whether a selector is the path or the name of a kernel of the user's own. */
export function isOwnSelector(word: string): boolean {
  return word.startsWith(filePrefix) || isKernelName(word);
}

/** Splits lists of selectors at commas. */
export function splitSelectors(selectors: readonly string[]): string[] {
  return selectors.flatMap((selector) => selector.split(',')).map((word) => word.trim());
}
