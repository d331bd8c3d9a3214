// Inputs: the kind of project, by the file that its build tool reads. Pure.

import type { Manifest } from '../model/inputs.ts';

const bench = (name: string, command: string) => `[[bench]]\nname    = "${name}"\ncommand = "${command}"\n`;

const cargo: Manifest = {
  file: 'Cargo.toml',
  build: 'cargo build --release && cargo bench --no-run',
  example: bench('xdp', 'cargo bench --bench xdp'),
};

/** Known manifests. The first one a project has is used: a crate or module often has a Makefile that calls its tool. */
export const manifests: readonly Manifest[] = [
  cargo,
  {
    file: 'go.mod',
    build: 'go build ./...',
    example: `[build]\ncommand = "go test -c -o bench.test ."\n\n${bench('go', './bench.test -test.run none -test.bench . -test.benchtime 200x')}`,
  },
  ...['Makefile', 'makefile', 'GNUmakefile'].map((file) => ({
    file,
    build: 'make',
    example: bench('xdp', './build/bench-xdp'),
  })),
  {
    file: 'CMakeLists.txt',
    build: 'cmake -B build && cmake --build build',
    example: bench('xdp', './build/bench-xdp'),
  },
  {
    file: 'meson.build',
    // `--reconfigure` fails in a new tree with Meson 1.0.
    build: '(test -f build/build.ninja || meson setup build) && meson compile -C build',
    example: bench('xdp', './build/bench-xdp'),
  },
];

/** Names of all manifests, for messages: `Cargo.toml, go.mod, … or meson.build`. */
export const manifestNames = manifests
  .map(({ file }) => file)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ');

/** @param has whether the project's folder has a file of this name */
export function manifestOf(has: (file: string) => boolean): Manifest {
  return manifests.find(({ file }) => has(file)) ?? cargo;
}
