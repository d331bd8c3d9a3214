// Build: what a failed build was missing, from what compilers, shells and build tools print.

import { findExecutable } from '../prerequisites/executables.ts';
import type { LibraryPrerequisite, ProgramPrerequisite } from '../prerequisites/prerequisite.ts';
import { libraryOfHeader, projectLibrary, projectProgram } from '../prerequisites/project-tools.ts';
import type { BuildPlace } from './build-place.ts';

/** Characters of a line that are searched, and lines: the time of matching grows with both. */
const maxLine = 500;
const maxLines = 20_000;

const programs = [
  // Shells, make, env, cargo, cmake, meson, autoconf, Go.
  /^(?:[\w./-]*sh: )?(?:line )?(?:\d+: )?([\w.+-]+): (?:command )?not found$/,
  /: (?:line )?\d+: ([\w.+-]+): (?:command )?not found$/,
  /^make(?:\[\d+\])?: ([\w.+-]+): No such file or directory$/,
  /^env: [‘'`"]?([\w.+-]+)[’'"]?: No such file or directory$/,
  /linker `([\w.+-]+)` not found/,
  /invalid linker name in argument '-fuse-ld=([\w.+-]+)'/,
  /Program '([\w.+-]+)' not found/,
  /exec: "([\w.+-]+)": executable file not found/,
  /Could not find (?:tool|program) '?([\w.+-]+)'?/i,
  // The crates cc and pkg-config.
  /Failed to find tool\. Is `([\w.+-]+)` installed/,
  /^The (pkg-config) command could not be found/,
];
const libraries = [
  /cannot find -l([\w+-]+)/,
  /No package '([\w.+-]+)' found/,
  /Package '?([\w.+-]+)'?, required by .* not found/,
  /^Package ([\w.+-]+) was not found in the pkg-config search path/,
  /Dependency "([\w.+-]+)" not found/,
  // CMake; the same behind `--` is only a remark.
  /^Could NOT find ([\w.+-]+) \(missing/,
];
const header = /fatal error: '?([\w./+-]+\.h)'?(?::| file not found)/;
const target = /No rule to make target '([^']+)'/;
const sourceError = /^\S+:\d+(?::\d+)?: error: |^error\[E\d+\]: /;
/** What says that something could not be downloaded, with what it was, where that stands there. */
const downloads = [
  /(?:Could not resolve (?:host:? |proxy:? |')|unable to resolve host address [‘'`"]?|dial tcp:? lookup |UnknownHostException: )([\w.:/-]*[\w/])?/,
  /(?:failed to lookup address information|[Tt]emporary failure (?:in name resolution|resolving)|Name or service not known)/,
  /(?:[Nn]etwork is unreachable|No route to host|getaddrinfo (?:EAI_AGAIN|ENOTFOUND))(?: ([\w.-]+))?/,
  /(?:unable to access|could not download file from) '([\w.:/-]*[\w/])/,
  // cargo and Go, which know that they are offline.
  /^\s*(?:As a reminder, you're using offline mode|attempting to make an HTTP request, but --offline was specified)/,
  /can't (?:checkout|update) .*in (?:the )?offline mode/,
  /(?:module lookup|checksum database lookup|downloads?) disabled by GO(?:PROXY|SUMDB)=off|toolchain not available/,
];

/**
 * Finds what a failed build was missing, as a hint.
 *
 * @param place of the build, with the hints for what this machine has and the build does not see, and for downloads
 * @returns undefined where its output says nothing of the kind
 */
export async function explainFailure(
  output: string,
  env: NodeJS.ProcessEnv,
  place: Pick<BuildPlace, 'hint' | 'downloadHint'>,
): Promise<string | undefined> {
  for (const whole of output.split('\n', maxLines)) {
    const line = whole.slice(0, maxLine).trim();
    const program = firstMatch(programs, line);
    if (program !== undefined) {
      const path = await findExecutable(program, env);
      if (path !== undefined) return `\`${path}\` is there, but the build does not see it: ${place.hint}`;
      return missingTool(program, projectProgram(program));
    }
    const library = firstMatch(libraries, line);
    if (library !== undefined) return missingTool(library, projectLibrary(library.toLowerCase()));
    const [, file] = header.exec(line) ?? [];
    if (file !== undefined) {
      const owner = libraryOfHeader(file);
      return owner === undefined
        ? `the build includes \`${file}\`, which is neither in the tree nor on this machine: install its package, or see whether a step before makes it`
        : missingTool(owner.name, owner);
    }
    if (
      /can't find crate for `(?:core|std)`|rust-src`? component|unable to build with the standard library/.test(line)
    ) {
      return 'the Rust toolchain that compiles the eBPF programs has no rust-src: `bpfgate doctor --install` adds it';
    }
    if (/this version of Cargo is older than the|feature `edition2024` is required|requires rustc \d/.test(line)) {
      return "a dependency needs a newer Rust than the project's toolchain: commit a Cargo.lock with older versions, or raise the toolchain";
    }
    const [, toolchain] = /toolchain '([\w.-]+)' is not installed/.exec(line) ?? [];
    if (toolchain !== undefined)
      return `the Rust toolchain ${toolchain} is missing: \`bpfgate doctor --install\` installs it`;
    const [, wanted] = target.exec(line) ?? [];
    if (wanted !== undefined) {
      return `no step makes \`${wanted}\`, and it is not in the tree: check out submodules (\`git submodule update --init --recursive\`), or put the step that makes it into build.command`;
    }
    const download = downloads.map((pattern) => pattern.exec(line)).find((match) => match !== null);
    if (download !== undefined) {
      const reached = download[1];
      return `the build could not download ${reached === undefined ? 'something' : `from ${reached}`}: ${place.downloadHint}`;
    }
  }
  const isOfSources = output.split('\n', maxLines).some((line) => sourceError.test(line.slice(0, maxLine)));
  return isOfSources ? 'the compiler refuses the sources: see that the same command builds a fresh clone' : undefined;
}

function firstMatch(patterns: readonly RegExp[], line: string): string | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

function missingTool(name: string, tool: ProgramPrerequisite | LibraryPrerequisite | undefined): string {
  if (tool === undefined) return `the build needs \`${name}\`, which this machine does not have: install it`;
  return `\`${tool.name}\` is missing (Debian: ${tool.packages.join(', ')}): install it, or run \`bpfgate doctor --install\`, which installs all that the project's build files name`;
}
