// Inputs: the kind of project, by the file that its build tool reads. Pure.

import type { Manifest } from '../model/inputs.ts';

const bench = (name: string, command: string) => `[[bench]]\nname    = "${name}"\ncommand = "${command}"\n`;

const cargo: Manifest = {
  file: 'Cargo.toml',
  build: 'cargo build --release && cargo bench --no-run',
  example: bench('xdp', 'cargo bench --bench xdp'),
};

/** Names of a Makefile, in the order in which make looks for them. */
export const makefileNames = ['GNUmakefile', 'makefile', 'Makefile'];

const ofC = (file: string, build: string): Manifest => ({ file, build, example: bench('xdp', './build/bench-xdp') });

/** Known manifests. The first one a project has is used: a crate or module often has a Makefile that calls its tool. */
export const manifests: readonly Manifest[] = [
  cargo,
  {
    file: 'go.mod',
    build: 'go build ./...',
    example: `[build]\ncommand = "go test -c -o bench.test ."\n\n${bench('go', './bench.test -test.run none -test.bench . -test.benchtime 200x')}`,
  },
  ofC('configure.ac', 'autoreconf --install && ./configure && make'),
  // Most are made from a configure.ac. One that is written by hand stands next to a Makefile.
  ofC('configure', './configure && make'),
  ...makefileNames.map((file) => ofC(file, 'make')),
  ofC('CMakeLists.txt', 'cmake -B build && cmake --build build'),
  // `--reconfigure` fails in a new tree with Meson 1.0.
  ofC('meson.build', '(test -f build/build.ninja || meson setup build) && meson compile -C build'),
];

/** Build tools of which a project has one. A Makefile often only calls another tool. */
export const exclusiveManifests = ['Cargo.toml', 'go.mod', 'configure.ac', 'CMakeLists.txt', 'meson.build'];

/** Files of build tools that are not read, each with the tool and its command. */
export const otherBuilds: Readonly<Record<string, { readonly tool: string; readonly command: string }>> = {
  'build.zig': { tool: 'Zig', command: 'zig build' },
  'flake.nix': { tool: 'Nix', command: 'nix build' },
  'default.nix': { tool: 'Nix', command: 'nix-build' },
  'MODULE.bazel': { tool: 'Bazel', command: 'bazel build //...' },
  WORKSPACE: { tool: 'Bazel', command: 'bazel build //...' },
  BUCK: { tool: 'Buck', command: 'buck2 build //...' },
  justfile: { tool: 'just', command: 'just build' },
  Justfile: { tool: 'just', command: 'just build' },
  'Taskfile.yml': { tool: 'Task', command: 'task build' },
  SConstruct: { tool: 'SCons', command: 'scons' },
  'xmake.lua': { tool: 'xmake', command: 'xmake' },
};

/** Names of all manifests, for messages: `Cargo.toml, go.mod, … or meson.build`. */
export const manifestNames = manifests
  .map(({ file }) => file)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ');

/** @param has whether the project's folder has a file of this name */
export function manifestOf(has: (file: string) => boolean): Manifest {
  return manifests.find(({ file }) => has(file)) ?? cargo;
}
