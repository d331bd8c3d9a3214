import { expect, test } from 'vitest';
import { locateFile, locateSources, type SourceTree } from '../../src/bench/locate-source.ts';

const files = ['project/src/x.bpf.c', 'common/y.h', 'bpf/bpf_helpers.h', 'project/a/twice.c', 'project/b/twice.c'];
const tree: SourceTree = {
  workDir: '/build/tree',
  projectPath: 'project',
  configFile: 'project/bpfgate.toml',
  benches: [],
  hasFile: (path) => files.includes(path),
  files,
  objects: [{ name: 'bpf', path: 'project/b/bpf_bpfel.o' }],
  isPartial: false,
};

test.each([
  ['below the tree', '/build/tree/project/src/x.bpf.c', 'project/src/x.bpf.c'],
  ['below the project', 'src/x.bpf.c', 'project/src/x.bpf.c'],
  ["below the repository's root", 'common/y.h', 'common/y.h'],
  ['in the folder of another machine', '/build/1234/repo/project/src/x.bpf.c', 'project/src/x.bpf.c'],
  ['below the folder of a package', './x.bpf.c', 'project/src/x.bpf.c'],
  ['next to the folder of a package', './../../common/y.h', 'common/y.h'],
  ['by a path that several files end with', './twice.c', null],
  ['of a folder next to that of the file that includes it', '/build/tree/project/../common/y.h', 'common/y.h'],
  ['not in the tree', '/build/tree/project/src/gone.c', null],
  ['outside of the tree', '../secret.c', null],
  ["of the system, with the name of the project's", '/usr/include/bpf/bpf_helpers.h', null],
  ['of a dependency', '/root/.cargo/registry/src/index.crates.io-1/aya-ebpf-0.2.1/common/y.h', null],
])('a file %s', (_, compiled, found) => expect(locateFile(compiled, tree)).toBe(found));

test("a file that is named from its object's folder is there, if other folders have such a file too", () => {
  expect(locateFile('./twice.c', tree, 'bpf/count')).toBe('project/b/twice.c');
});

test.each([
  ['below the working folder', '/build/tree/a/gone.c', 'a/gone.c'],
  ['elsewhere, of which the end is below it', '/build/common/y.h', 'common/y.h'],
  ['elsewhere', '/build/a/gone.c', 'build/a/gone.c'],
  ['by a path that leads out', '../gone.c', null],
])('a source of a given object that is %s', (_, compiled, found) =>
  expect(locateFile(compiled, { ...tree, projectPath: '', files: [], isPartial: true })).toBe(found),
);

test('a printed value has the place of its bench, and a BPF program without a known line none', () => {
  const own = { benchmark: 'load/x', unit: 'instructions/run', source: null };
  const items = [{ ...own, kind: 'bpf-program' } as const, { ...own, kind: 'benchmark' } as const];
  const located = locateSources(items, [{ name: 'load', command: 'load', line: 5 }], tree);
  expect(located.map(({ source }) => source)).toEqual([null, { file: 'project/bpfgate.toml', line: 5 }]);
});

const source = (path: string) => ({ path, text: '\nc.bench_function("parse", |b| {});\n' });
const benchTree = {
  workDir: '/tree',
  projectPath: '',
  configFile: 'bpfgate.toml',
  benches: [source('benches/v4.rs'), source('benches/v-6/main.rs'), source('x/benches/v8.rs')],
  hasFile: () => true,
  files: [],
  objects: [],
  isPartial: false,
};
const bench = (name: string, command: string) => ({ name, command, line: 7 });

test.each([
  ['all/v4/parse', 'cargo bench', 'benches/v4.rs'],
  ['all/v_6/parse', 'cargo bench', 'benches/v-6/main.rs'],
  ['all/x/v8/parse', 'cargo bench --workspace', 'x/benches/v8.rs'],
  ['one/parse', 'cargo bench --bench v-6', 'benches/v-6/main.rs'],
  ['one/x/parse', 'cargo bench --workspace --bench v8', 'x/benches/v8.rs'],
])("a Criterion benchmark is found in its target's files: %s of %s", (benchmark, command, file) => {
  const measured = { kind: 'benchmark' as const, benchmark, unit: 'instructions/iteration', source: null };
  const [located] = locateSources([measured], [bench(benchmark.split('/')[0] ?? '', command)], benchTree);
  expect(located?.source).toEqual({ file, line: 2 });
});

test('a benchmark whose target is not known has the line of its bench', () => {
  const measured = {
    kind: 'benchmark' as const,
    benchmark: 'all/parse',
    unit: 'instructions/iteration',
    source: null,
  };
  const [located] = locateSources([measured], [bench('all', 'make bench')], benchTree);
  expect(located?.source).toEqual({ file: 'bpfgate.toml', line: 7 });
});
