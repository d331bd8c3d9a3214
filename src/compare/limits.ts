// Compare: finds the limit that applies to a measurement. The defaults are in src/inputs/config.ts.

import { matchesGlob } from '../common/glob.ts';
import { groupBy } from '../common/group-by.ts';
import { listNames } from '../common/list-names.ts';
import { compare } from '../common/order.ts';
import { type Config, type Lane, type Limit, type LimitOverride, lanes } from '../model/inputs.ts';

interface Subject {
  readonly benchmark: string;
  readonly kernel: string;
  readonly lane: Lane;
}

/**
 * The limit for one measurement: the last override whose every given key matches, else the lane's own.
 *
 * The last match wins, so that a narrow exception is written below a wide one.
 */
export function limitFor(subject: Subject, gate: Config['gate']): Limit {
  const override = gate.overrides.findLast((each) => isFor(each, subject));
  return override?.limit ?? gate.limits[subject.lane];
}

/**
 * Lists the limits of head that base's configuration would have otherwise, the loosest first: of lanes and of whatever
 * overrides name, measured or not, and of what was measured.
 *
 * @param measured everything that was compared
 * @returns such as "`gate.verifier` was 0 % and is off" and "the verifier limit of `xdp/x` on 6.1 was 0 % and is 5 %"
 */
export function describeLimitChanges(
  base: Config['gate'],
  head: Config['gate'],
  measured: readonly Subject[],
): string[] {
  const overrides = [...base.overrides, ...head.overrides].flatMap(({ benchmark = '*', kernel = '*', lane }) =>
    (lane === undefined ? lanes : [lane]).map((lane) => ({ benchmark, kernel, lane })),
  );
  const written = [...lanes.map((lane) => ({ benchmark: '*', kernel: '*', lane })), ...overrides];
  const changed = [written, measured].flatMap((subjects) =>
    subjects.flatMap(({ benchmark, kernel, lane }) => {
      const subject = { benchmark, kernel, lane };
      const [was, is] = [limitFor(subject, base), limitFor(subject, head)];
      return was === is ? [] : [{ ...subject, isWritten: subjects === written, was, is }];
    }),
  );
  const groups = groupBy(changed, ({ lane, was, is }) => JSON.stringify([lane, was, is]));
  const rank = (limit: Limit) => (limit === 'off' ? Number.POSITIVE_INFINITY : limit);
  const isLoosened = ({ was, is }: { was: Limit; is: Limit }) => rank(is) > rank(was);
  groups.sort(([a], [b]) => Number(isLoosened(b)) - Number(isLoosened(a)) || compare(rank(b.is), rank(a.is)));
  return groups.map((group) => {
    const [{ lane, was, is }] = group;
    // What is measured is named if no override that changes so is for it.
    const given = group.filter(({ isWritten }) => isWritten);
    const isWhole = given.some(({ benchmark, kernel }) => benchmark === '*' && kernel === '*');
    const named = isWhole ? [] : group.filter((one) => one.isWritten || !given.some((other) => isFor(other, one)));
    const names = named.map(({ benchmark, kernel }) => `\`${benchmark}\`${kernel === '*' ? '' : ` on ${kernel}`}`);
    const what = isWhole ? `\`gate.${lane}\`` : `the ${lane} limit of ${listNames([...new Set(names)])}`;
    return `${what} was ${formatLimit(was)} and is ${formatLimit(is)}`;
  });
}

function formatLimit(limit: Limit): string {
  return limit === 'off' ? limit : `${Number((limit * 100).toPrecision(6))} %`;
}

/**
 * Finds overrides that apply to no measured benchmark, and returns their `benchmark` as written. A changed or mistyped
 * name leaves the intended limit unset. Overrides for kernels or lanes that were not measured are no mistake.
 *
 * @param subjects everything that was compared
 */
export function findUnusedOverrides(subjects: readonly Subject[], gate: Config['gate']): string[] {
  const unused = gate.overrides.flatMap(({ benchmark, ...rest }) =>
    benchmark !== undefined &&
    subjects.some((subject) => isFor(rest, subject)) &&
    !subjects.some((subject) => isFor({ benchmark, ...rest }, subject))
      ? [benchmark]
      : [],
  );
  return [...new Set(unused)];
}

function isFor({ benchmark, kernel, lane }: Omit<LimitOverride, 'limit'>, subject: Subject): boolean {
  return (
    (benchmark === undefined || matchesGlob(benchmark, subject.benchmark)) &&
    (kernel === undefined || matchesGlob(kernel, subject.kernel)) &&
    (lane === undefined || lane === subject.lane)
  );
}
