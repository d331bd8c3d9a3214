// Gate: reads objects for what presets write into them, and for the sections that `[[program]]` names.

import { readBytesBelow, UnreadableFile } from '../adapters/regular-file.ts';
import type { Builds } from '../model/build.ts';
import type { Config } from '../model/inputs.ts';
import { PresetLayout, suggestOf } from '../plan/lay-out-presets.ts';
import { readLayout } from '../plan/object-layout.ts';

/** Maximum size of an object with presets, in bytes. */
const maxObject = 16 * 1024 * 1024;

/**
 * Adds to objects what presets write into them. Warns about those that cannot be read, which stay as they are, and about
 * a `[[program]]` whose section none has.
 *
 * @throws InputError when all objects can be read and none has what a preset sets
 */
export async function addPresets(
  builds: Builds,
  { presets, sections, file }: Pick<Config, 'presets' | 'sections' | 'file'>,
): Promise<Builds> {
  const given = Object.keys(sections);
  if (presets.length + given.length === 0 || builds.objects.length === 0) return builds;
  const layouts = new PresetLayout(presets, file);
  const objects = [];
  const known = new Set<string>();
  let isWhole = true;
  for (const object of builds.objects) {
    const read = readBytesBelow(builds[object.revision].dir, object.path, maxObject);
    const content = await read.catch((error: unknown) => {
      if (!(error instanceof UnreadableFile)) throw error;
      return error.message;
    });
    const layout = Buffer.isBuffer(content) ? readLayout(content) : undefined;
    for (const section of layout?.sections ?? []) known.add(section);
    // An object of too many sections for its header seems to have none.
    if (!layout?.sections.length) isWhole = false;
    if (layout === undefined && presets.length > 0) {
      layouts.skip(object, typeof content === 'string' ? content : 'it is damaged or missing');
    }
    objects.push(layout === undefined ? object : layouts.add(object, layout));
  }
  const absent = isWhole ? given.filter((section) => !known.has(section)) : [];
  const unused = absent.map(
    (section) => `${file}: [[program]]: no object has a section \`${section}\`${suggestOf(section, known)}`,
  );
  return { ...builds, objects, warnings: [...builds.warnings, ...unused, ...layouts.finish()] };
}
