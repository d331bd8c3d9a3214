// Inputs: the kind of project, by the file that its build tool reads. Pure.

/** A build tool's own file, with the default command and the example for projects that have it. */
export interface Manifest {
  readonly file: string;
  /** Default of `build.command`. */
  readonly build: string;
  /** A complete bpfgate.toml to start from, for messages. */
  readonly example: string;
}

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
    build: 'meson setup --reconfigure build && meson compile -C build',
    example: bench('xdp', './build/bench-xdp'),
  },
];

/** @param has whether the project's folder has a file of this name */
export function manifestOf(has: (file: string) => boolean): Manifest {
  return manifests.find(({ file }) => has(file)) ?? cargo;
}
