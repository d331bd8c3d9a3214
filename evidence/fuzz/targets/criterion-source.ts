// The search for a Criterion benchmark's line: its id, on the first line, and the Rust files of a bench.

import { findCriterionLine } from '../../../src/bench/find-criterion-line.ts';
import { check, type Target } from '../target.ts';

export const target: Target = {
  shape: 'text',
  refusals: [],
  words: ['group.bench_function("', 'BenchmarkId::new("', 'c.benchmark_group("', '"', '/'],
  run(input) {
    const [id = '', ...lines] = input.toString('utf8').split('\n');
    const text = lines.join('\n');
    const place = findCriterionLine(id, [
      { path: 'benches/a.rs', text },
      { path: 'benches/b.rs', text: text.slice(text.length / 2) },
    ]);
    check(place === null || (place.line >= 1 && place.line <= lines.length), `line ${place?.line}`);
  },
};
