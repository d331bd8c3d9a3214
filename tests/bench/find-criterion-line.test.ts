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

test('a benchmark is where its function is named', () => {
  expect(findCriterionLine('source_addr', [plain])).toEqual({ file: plain.path, line: 2 });
  expect(findCriterionLine('parse_headers', [plain])).toEqual({ file: plain.path, line: 4 });
});

test('of a group, in the file that opens it, with and without a value', () => {
  const sources = [plain, grouped('fast'), grouped('small')];
  expect(findCriterionLine('small/encode', sources)).toEqual({ file: 'benches/small.rs', line: 2 });
  expect(findCriterionLine('fast/decode/1024', sources)).toEqual({ file: 'benches/fast.rs', line: 3 });
});

test('where several places could be meant, or none, nothing is said', () => {
  expect(findCriterionLine('encode', [grouped('a'), grouped('b')])).toBeNull();
  expect(findCriterionLine('other', [plain])).toBeNull();
  expect(findCriterionLine('source.addr', [plain])).toBeNull();
  expect(findCriterionLine('', [plain])).toBeNull();
  const elsewhere = { path: 'a.rs', text: 'c.bench_function("fast", |b| {});' };
  expect(findCriterionLine('fast/encode', [elsewhere, grouped('fast')])).toBeNull();
  expect(findCriterionLine('/'.repeat(5000), [plain])).toBeNull();
});
