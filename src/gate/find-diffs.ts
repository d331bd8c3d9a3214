// Gate: what head changes next to the source lines that findings name, for reports, which have no tree.

import { readBoth } from '../build/read-both.ts';
import { groupBy } from '../common/group-by.ts';
import { findingVerdicts } from '../compare/comparison.ts';
import { findHunks, findNearDiff } from '../compare/near-diff.ts';
import type { Builds } from '../model/build.ts';
import type { ComparisonRecord, Results } from '../report/results.ts';

/** Places of a run, and files, beyond which none is looked up: comparing two long files can take a second. */
const maxPlaces = 500;
const maxFiles = 30;

/**
 * Looks up each changed comparison's place, and its line that grew most; no more once `signal` aborts.
 *
 * @param moved names in base of the files that have another name in head, by that. Default: none has
 */
export async function findDiffs(
  comparisons: readonly ComparisonRecord[],
  builds: Builds,
  moved: ReadonlyMap<string, string> = new Map(),
  signal?: AbortSignal,
): Promise<Results['diffs']> {
  // Without head's value, the place is one of base.
  const changed = comparisons.filter(
    ({ verdict, head }) => head !== null && findingVerdicts.some((each) => each === verdict),
  );
  // Files outside the repository have absolute paths.
  const isOwn = ({ file }: { readonly file: string }) => !file.startsWith('/');
  const places = changed
    .flatMap(({ source, lines }) => [source, lines?.find((line) => isOwn(line.source))?.source])
    .flatMap((place) => (place && isOwn(place) ? [place] : []));
  const distinct = [...new Map(places.map((place) => [JSON.stringify([place.file, place.line]), place])).values()];
  const diffs: Results['diffs'][number][] = [];
  for (const own of groupBy(distinct.slice(0, maxPlaces), ({ file }) => file).slice(0, maxFiles)) {
    if (signal?.aborted) break;
    const [{ file }] = own;
    const texts = await readBoth(builds, moved.get(file) ?? file, file);
    const hunks = texts === null ? [] : findHunks(...texts);
    for (const source of own) {
      const near = findNearDiff(hunks, source.line);
      if (near !== null) diffs.push({ source, ...near });
    }
  }
  return diffs;
}
