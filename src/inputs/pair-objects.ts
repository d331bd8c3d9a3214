// Inputs: gives objects of base and head that belong together one path. Pure.

import { InputError } from '../common/errors.ts';
import { groupBy } from '../common/group-by.ts';
import { listNames } from '../common/list-names.ts';
import type { GivenObject, GivenObjects } from '../model/inputs.ts';

/**
 * Pairs objects by path. One whose path the other side has not pairs by its name, if no other of its side and exactly
 * one left on the other has that name; head's then gets base's path.
 *
 * @param areFiles whether each side is one file that the user named, without a glob: they pair whatever their names are
 * @throws InputError when no object pairs
 */
export function pairObjects({ base, head }: GivenObjects, areFiles: boolean): GivenObjects {
  const [before, after] = [base, head].map((objects) => new Set(objects.map(({ path }) => path)));
  const left = nameOnce(base.filter(({ path }) => !after?.has(path)));
  const lone = nameOnce(head.filter(({ path }) => !before?.has(path)));
  const pathOf = (object: GivenObject) =>
    lone.get(nameOf(object)) === object ? (left.get(nameOf(object))?.path ?? object.path) : object.path;
  const paired = head.map((object) => ({
    ...object,
    path: areFiles ? (base[0]?.path ?? object.path) : pathOf(object),
  }));
  if (!paired.some(({ path }) => before?.has(path))) {
    const [was, is] = [base, head].map((objects) => listNames(objects.map(({ path }) => path)));
    throw new InputError(`no object of base has a counterpart in head: base has ${was}, head has ${is}`, {
      hint: 'give files of the same names in two folders, or one file each',
    });
  }
  return { base, head: paired };
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
