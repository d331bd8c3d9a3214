// A benchmark's output: cargo-criterion's messages, formats of other tools, and lines about kernels that are too old.

import { unitOf } from '../../../src/bench/bmf.ts';
import { looksLikeCriterion, parseCriterion } from '../../../src/bench/criterion.ts';
import { parseNeeds, printsNeedsOnly } from '../../../src/bench/needs.ts';
import { findPrintedFormats, parsePrinted } from '../../../src/bench/printed-formats.ts';
import { BenchError } from '../../../src/common/errors.ts';
import { printedFormats } from '../../../src/model/inputs.ts';
import { check, type Target } from '../target.ts';

export const target: Target = {
  shape: 'json-lines',
  refusals: [BenchError],
  words: ['{"reason":"benchmark-complete"', 'bpfgate: needs 5.18: ', '{"a": {"latency": {"value": 1}}}', '-bytes'],
  run(input) {
    const text = input.toString('utf8');
    // All parsers read the same output, so one's refusal must not keep it from the others.
    const refusals: unknown[] = [];
    const attempt = (read: () => void) => {
      try {
        read();
      } catch (error) {
        refusals.push(error);
      }
    };
    attempt(() => {
      const needs = parseNeeds(text, '5.10', 'bench', 'libtest');
      check(needs.size <= 1000, 'more needs than are allowed');
      printsNeedsOnly(text);
    });
    attempt(() => {
      const isExpected = looksLikeCriterion(text);
      const benchmarks = parseCriterion(text, 'bench');
      check(isExpected || benchmarks.length === 0 || /\{"reason"/.test(text), 'benchmarks out of nothing');
      for (const { id, samples } of benchmarks) {
        check(id !== '' && samples.length > 0, 'a benchmark without a name or samples');
        check(
          samples.every(({ count, total }) => count > 0 && total >= 0 && Number.isFinite(total)),
          'a sample',
        );
      }
    });
    findPrintedFormats(text);
    for (const format of printedFormats) {
      attempt(() => {
        for (const { benchmark, measure, value } of parsePrinted(format, text, 'bench').metrics) {
          check(benchmark !== '' && measure !== '' && Number.isFinite(value), `${benchmark}.${measure}`);
          unitOf(measure);
        }
      });
    }
    const unexpected = refusals.find((error) => !(error instanceof BenchError));
    if (unexpected !== undefined) throw unexpected;
    if (refusals.length === 2 + printedFormats.length) throw refusals[0];
  },
};
