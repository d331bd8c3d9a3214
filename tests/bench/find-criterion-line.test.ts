import { expect, test } from 'vitest';
import { findCriterionLine } from '../../src/bench/find-criterion-line.ts';

const plain = {
  path: 'xdp/benches/source_addr.rs',
  text: `fn bench(criterion: &mut Criterion) {
    criterion.bench_function("source_addr", |bencher| {
    });
    criterion.bench_function(
        "parse_headers",
        |bencher| {},
    );
}
`,
};
const grouped = (group: string) => ({
  path: `benches/${group}.rs`,
  text: `let mut group = criterion.benchmark_group("${group}");
group.bench_function("encode", |b| {});
group.bench_with_input(BenchmarkId::new("decode", size), &size, |b, size| {});
`,
});

test('a benchmark has the line that calls its function', () => {
  expect(findCriterionLine('source_addr', [plain])).toEqual({ file: plain.path, line: 2 });
  expect(findCriterionLine('parse_headers', [plain])).toEqual({ file: plain.path, line: 4 });
});

test('a benchmark of a group is found in the file that opens the group, with and without a value', () => {
  const sources = [plain, grouped('fast'), grouped('small')];
  expect(findCriterionLine('small/encode', sources)).toEqual({ file: 'benches/small.rs', line: 2 });
  expect(findCriterionLine('fast/decode/1024', sources)).toEqual({ file: 'benches/fast.rs', line: 3 });
});

test('an ambiguous or unknown name has no line', () => {
  expect(findCriterionLine('encode', [grouped('a'), grouped('b')])).toBeNull();
  expect(findCriterionLine('other', [plain])).toBeNull();
  expect(findCriterionLine('source.addr', [plain])).toBeNull();
  expect(findCriterionLine('', [plain])).toBeNull();
  const elsewhere = { path: 'a.rs', text: 'c.bench_function("fast", |b| {});' };
  expect(findCriterionLine('fast/encode', [elsewhere, grouped('fast')])).toBeNull();
  expect(findCriterionLine('/'.repeat(5000), [plain])).toBeNull();
});

const sums = {
  path: 'benches/sums.rs',
  text: `criterion.bench_function(format!("alone {n}"), |b| {});
let mut group = criterion.benchmark_group("sums");
for n in [10u64, 1000] {
    group.bench_with_input(BenchmarkId::from_parameter(n), &n, |b, n| {});
    group.bench_function(&format!("of {n}, {:?}", mode), |b| {});
    group.bench_with_input(BenchmarkId::new(format!("by {n}"), n), &n, |b, n| {});
}
let mut group = criterion.benchmark_group(format!("{kind} trees"));
group.bench_function(name, |b| {});
group.bench_function("of all", |b| {});
let mut group = criterion.benchmark_group("lists");
group.bench_function("of all", |b| {});
group.bench_function(first, |b| {});
group.bench_function(second, |b| {});
`,
};

test.each([
  ['alone 3', 1],
  ['sums/10', 4],
  ['sums/of 10, Fast', 5],
  ['sums/by 10/10', 6],
  ['red trees/deep', 9],
  ['red trees/of all', 10],
  ['lists/of all', 12],
])('a name that is formatted at run time has the line of the call that can make it: %s', (id, line) => {
  expect(findCriterionLine(id, [sums, plain])).toEqual({ file: sums.path, line });
});

test('an ambiguous call has the line that opens its group', () => {
  expect(findCriterionLine('lists/third', [sums])).toEqual({ file: sums.path, line: 11 });
});

test('the functions of Criterion 0.3 are known too', () => {
  const text = `c.bench(
    "group",
    ParameterizedBenchmark::new("one", |b, i| {}, vec![1])
        .with_function("two", |b, i| {}),
);
c.bench_function_over_inputs("three", |b, i| {}, vec![1]);
`;
  const lineOf = (id: string) => findCriterionLine(id, [{ path: 'a.rs', text }])?.line;
  expect(['group/one/1', 'group/two/1', 'three/1'].map(lineOf)).toEqual([3, 4, 6]);
});
