// Workflow: the folders that a build enters, as its commands and build files name them. Pure.

/** Arguments of a recursive make, of `cd`, of CMake's `add_subdirectory` and of Meson's `subdir`. */
const patterns = [
  /(?:\bmake|\$[({]MAKE[)}])[^\n;&|]{0,300}?\s(?:-C|--directory)[\s=]*([^\s;&|"']+)/g,
  /\bcd\s+([^\s;&|"']+)\s*(?:&&|;)/g,
  /\badd_subdirectory\s*\(\s*([^\s)"]+)/g,
  /\bsubdir\s*\(\s*'([^']+)'/g,
];
const ownFolder = /^(?:\$[({](?:CURDIR|PWD)[)}]|\$\$?PWD)\/?/;
/** Matches what stands for several names in turn: a shell loop's variable, or the target of a rule. */
const eachOf = /^\$(?:\$\{?\w+\}?|@)$/;

/**
 * @param below names of the folders below the text's own. A loop over folders stands for those the text has as words
 * @returns paths relative to the text's folder, without those that only the build tool can determine
 */
export function namedFolders(text: string, below: readonly string[]): string[] {
  const named = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, folder = '']) => folder));
  const words = new Set(text.split(/[\s:='"()]+/).map((word) => word.replace(/^\.\/|\/$/g, '')));
  const all = named.flatMap((folder) => (eachOf.test(folder) ? below.filter((name) => words.has(name)) : [folder]));
  return [...new Set(all.map((folder) => folder.replace(ownFolder, '')))].filter(
    (folder) => folder !== '' && !folder.includes('$'),
  );
}
