// Build: gives objects of base and head that belong together one path. Pure.

import { groupBy } from '../common/group-by.ts';
import type { GivenObject, GivenObjects } from '../model/inputs.ts';

/**
 * Pairs objects by path. One whose path the other side has not pairs by its name, if no other of its side and exactly
 * one left on the other has that name; head's then gets base's path.
 */
export function pairObjects({ base, head }: GivenObjects): GivenObjects {
  const [before, after] = [base, head].map((objects) => new Set(objects.map(({ path }) => path)));
  const left = nameOnce(base.filter(({ path }) => !after?.has(path)));
  const lone = nameOnce(head.filter(({ path }) => !before?.has(path)));
  const pathOf = (object: GivenObject) =>
    lone.get(nameOf(object)) === object ? (left.get(nameOf(object))?.path ?? object.path) : object.path;
  return { base, head: head.map((object) => ({ ...object, path: pathOf(object) })) };
}

/** The objects whose name no other has, by name. */
function nameOnce(objects: readonly GivenObject[]): ReadonlyMap<string, GivenObject> {
  return new Map(
    groupBy(objects, nameOf).flatMap(([first, ...others]) =>
      first === undefined || others.length > 0 ? [] : [[nameOf(first), first]],
    ),
  );
}

function nameOf({ path }: GivenObject): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
