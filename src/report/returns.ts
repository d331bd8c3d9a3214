// Report: programs that return something else than in base, which is shown and never judged. Pure.

import { groupBy } from '../common/group-by.ts';
import { type Sentence, toPlainLine } from './plain-text.ts';
import type { Results } from './results.ts';
import { nameKernels } from './row.ts';

/** What one program returned in base and in head on one input and kernel. */
interface Returned {
  readonly kernel: string;
  readonly program: string;
  readonly input: string;
  readonly before: string;
  readonly after: string;
}

/** Writes a line for each program and change: `` `x/one` returns XDP_DROP in the place of XDP_PASS on `udp-64` (6.1) ``. */
export function describeReturns({ measurements }: Pick<Results, 'measurements'>): Sentence[] {
  const all = groupBy(measurements, ({ kernel, benchmark }) => JSON.stringify([kernel, benchmark])).flatMap(
    (group): Returned[] => {
      const [{ kernel, benchmark }] = group;
      const [before, after] = ['base', 'head'].map(
        (revision) => group.find((each) => each.revision === revision && each.behavior !== null)?.behavior?.returned,
      );
      if (before === undefined || after === undefined) return [];
      const at = benchmark.lastIndexOf('/');
      return [{ kernel, program: benchmark.slice(0, at), input: benchmark.slice(at + 1), before, after }];
    },
  );
  return groupBy(all, ({ program }) => program).flatMap((own) => {
    const inputs = new Set(own.map(({ input }) => input));
    const changed = own.filter(({ before, after }) => before !== after);
    return groupBy(changed, ({ before, after }) => JSON.stringify([before, after])).map((group): Sentence => {
      const [{ program, input, before, after }] = group;
      const others = new Set(group.map((each) => each.input)).size - 1;
      const isAll = others > 0 && others + 1 === inputs.size;
      const where: Sentence = isAll
        ? [`all ${inputs.size} inputs`]
        : [{ code: toPlainLine(input) }, ...(others > 0 ? [` and ${others} more`] : [])];
      const kernels = nameKernels([...new Set(group.map(({ kernel }) => toPlainLine(kernel)))]);
      const change = ` returns ${toPlainLine(after)} in the place of ${toPlainLine(before)} on `;
      return [{ code: toPlainLine(program) }, change, ...where, ` (${kernels})`];
    });
  });
}
