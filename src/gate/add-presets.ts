// Gate: what presets write into objects, and the sections that `[[program]]` names. The guest agent reads the objects:
// on this host, in a process of its own for each, which ends after a time.

import { type RunOptions, run } from '../adapters/process.ts';
import { readBytesBelow, UnreadableFile } from '../adapters/regular-file.ts';
import { maxObject } from '../common/bpf-object.ts';
import { InputError } from '../common/errors.ts';
import { suggest } from '../inputs/nearest-name.ts';
import type { Builds, ObjectPreset, RevisionName } from '../model/build.ts';
import type { Config, PresetEntry, PresetVariable } from '../model/inputs.ts';
import type { Warning } from '../model/warning.ts';

/** Maximum number of bytes that presets write, in all objects together. */
const maxBytes = 1024 * 1024;
/** Maximum length of the agent's answer, in characters: a byte takes four. */
const maxAnswer = 16 * maxBytes;
const timeoutMs = 20_000;
/** Maximum number of an object's names among which one is suggested. */
const maxSuggested = 2000;

type Given = Pick<Config, 'presets' | 'sections' | 'file'>;

/** The agent's answer about one object: `Answer` of vm/agent/src/presets.rs. */
export interface ReadObject {
  readonly sections: readonly string[];
  readonly variables: readonly string[];
  readonly maps: readonly string[];
  /**
   * What each preset writes, and for each of its variables and then its entries: null if the object has no such, empty
   * if it is written, else why it does not fit.
   */
  readonly presets: readonly (readonly [ObjectPreset, readonly (string | null)[]])[];
  /** Sections whose given type is unknown. */
  readonly unknown: readonly string[];
}

/** Answers a request about an object, or says why it cannot be read. */
type ReadBy = (request: string, object: Buffer) => Promise<ReadObject | string>;

/** @param agent the agent's file, for when it is needed */
export function readByAgent(agent: () => Promise<string>, { signal }: Pick<RunOptions, 'signal'>): ReadBy {
  let file: Promise<string> | undefined;
  return async (request, object) => {
    file ??= agent();
    const input = Buffer.concat([Buffer.from(`${request}\n`), object]);
    const options = { input, timeoutMs, signal, maxOutput: maxAnswer };
    const { exitCode, timedOut, stdout, stderr } = await run(await file, ['presets'], options);
    // Of a longer answer, stdout is only the end.
    if (stdout.length >= maxAnswer) return 'presets write too much into it';
    if (exitCode === 0) return JSON.parse(stdout) as ReadObject;
    if (timedOut) return `reading it takes more than ${timeoutMs / 1000} s`;
    return /^bpfgate-agent: (.*)/m.exec(stderr)?.[1] ?? 'it is damaged';
  };
}

/**
 * Adds to the objects of each revision what its own presets write into them.
 *
 * @param ofBase base's configuration; if it is head's, either needs only one object
 * @throws InputError when all objects can be read and none has what a preset of head sets
 */
export async function addPresets(builds: Builds, read: ReadBy, ofHead: Given, ofBase: Given): Promise<Builds> {
  const contentOf = ({ presets, sections }: Given) => JSON.stringify([presets, sections]);
  if (contentOf(ofBase) === contentOf(ofHead)) return await addTo(builds, read, ofHead);
  const only = (revision: RevisionName) => builds.objects.filter((object) => object.revision === revision);
  const head = await addTo({ ...builds, objects: only('head') }, read, ofHead);
  const base = await addTo({ ...head, objects: only('base') }, read, ofBase).catch((error: unknown): Builds => {
    if (!(error instanceof InputError)) throw error;
    // Base is as it is: a pull request may fix it.
    const warning = { about: [], revision: 'base' as const, reason: `presets are not used: ${error.message}` };
    return { ...head, objects: only('base'), warnings: [...head.warnings, warning] };
  });
  const added = new Map(
    [...base.objects, ...head.objects].map((object) => [`${object.revision} ${object.path}`, object]),
  );
  const objects = builds.objects.map((object) => added.get(`${object.revision} ${object.path}`) ?? object);
  return { ...base, objects };
}

/**
 * Adds to objects what presets write into them; nothing of a preset with a value that does not fit. Warns about objects
 * that cannot be read, which stay as they are, and about what none has if one cannot be read.
 *
 * @throws InputError when all objects can be read and none has what a preset sets, and when presets write too much
 */
async function addTo(builds: Builds, read: ReadBy, { presets, sections, file }: Given): Promise<Builds> {
  if (presets.length + Object.keys(sections).length === 0 || builds.objects.length === 0) return builds;
  const settings = presets.map(({ variables, entries }) => [...variables, ...entries]);
  const request = JSON.stringify({
    presets: presets.map(({ name, variables, entries }) => ({
      name,
      variables: variables.map((own) => [own.name, own.value]),
      entries: entries.map(({ map, key = null, value }) => [map, key, value]),
    })),
    sections,
  });
  const warnings: Warning[] = [];
  const names = { sections: new Set<string>(), variables: new Set<string>(), maps: new Set<string>() };
  /** Settings that an object has: empty where a value fits, else why the first does not. */
  const settled = new Map<PresetVariable | PresetEntry, string>();
  let [isWhole, left] = [true, maxBytes];
  const objects = [];
  for (const object of builds.objects) {
    const { name, revision } = object;
    const content = await readBytesBelow(builds[revision].dir, object.path, maxObject).catch((error: unknown) => {
      if (!(error instanceof UnreadableFile)) throw error;
      return error.message;
    });
    const answer = Buffer.isBuffer(content) ? await read(request, content) : (content ?? 'it is missing');
    if (typeof answer === 'string') {
      isWhole = false;
      objects.push(object);
      if (presets.length > 0) warnings.push({ about: [name], revision, reason: `presets are not used: ${answer}` });
      continue;
    }
    for (const section of answer.unknown) {
      const given = `\`type\` of section \`${section}\` in [[program]] is "${sections[section]}"`;
      const allowed = "a section's name of docs.kernel.org/bpf/libbpf/program_types.html";
      throw new InputError(`${file}: ${given}; allowed: ${allowed}, such as "xdp" or "kprobe/vfs_read"`);
    }
    for (const kind of ['sections', 'variables', 'maps'] as const) {
      for (const own of answer[kind]) names[kind].add(own);
    }
    const used: ObjectPreset[] = [];
    for (const [index, [placed, outcomes]] of answer.presets.entries()) {
      for (const [at, item] of (settings[index] ?? []).entries()) {
        const outcome = outcomes[at] ?? null;
        if (outcome === '' || (outcome !== null && !settled.has(item))) settled.set(item, outcome);
      }
      const misfit = outcomes.find((outcome) => outcome);
      if (misfit) {
        const reason = `preset \`${placed.name}\` is not used: ${misfit}`;
        warnings.push({ about: [name], revision, reason });
      } else if (placed.data.length + placed.entries.length > 0) {
        used.push(placed);
      }
      for (const { bytes } of placed.data) left -= bytes.length;
      for (const { key, value } of placed.entries) left -= key.length + value.length;
    }
    if (left < 0) {
      throw new InputError(`${file}: presets write more than ${maxBytes / 1024} KiB into objects`, {
        hint: 'set less, or in fewer objects',
      });
    }
    objects.push(used.length === 0 ? object : { ...object, presets: used });
  }
  const suggestOf = (wanted: string, all: ReadonlySet<string>) => suggest(wanted, [...all].slice(0, maxSuggested));
  for (const [index, { name }] of presets.entries()) {
    const item = settings[index]?.find((each) => settled.get(each) !== '');
    if (item === undefined) continue;
    const [what, wanted, all] =
      'map' in item ? ['map', item.map, names.maps] : ['variable', item.name, names.variables];
    const reason = settled.get(item) ?? `no object has a ${what} \`${wanted}\`${suggestOf(wanted, all)}`;
    const message = `${file}:${item.line}: preset \`${name}\`: ${reason}`;
    if (isWhole) throw new InputError(message);
    warnings.push({ about: [], reason: message });
  }
  for (const section of Object.keys(sections)) {
    if (!isWhole || names.sections.has(section)) continue;
    const reason = `no object has a section \`${section}\`${suggestOf(section, names.sections)}`;
    warnings.push({ about: [], reason: `${file}: [[program]]: ${reason}` });
  }
  return { ...builds, objects, warnings: [...builds.warnings, ...warnings] };
}
