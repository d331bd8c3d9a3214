// Inputs: what a pull request changes in what is measured, by the effect of both configurations. Pure.

import { clipMiddle } from '../common/clip-middle.ts';
import { listNames } from '../common/list-names.ts';
import type { Config, Inputs, Preset } from '../model/inputs.ts';

/** Maximum number of characters shown of a value. */
const maxValue = 120;

/** A setting of a revision, with its value as text. */
interface Setting {
  /** What has it, and can be missing in a revision; undefined for a setting that every revision has. */
  readonly of?: string;
  readonly name: string;
  readonly value: string;
}

type Configured = Pick<Inputs, 'config' | 'packets'>;

/**
 * Lists what head changes in what is measured, and how. Each revision is built and measured by its own configuration:
 * without this list a bench that does less, or is gone, would look like an improvement. Pure additions are left out.
 * Limits are compared by {@link describeLimitChanges}.
 *
 * @param given what options give to both revisions, whatever their configurations say
 * @returns such as "bench `micro` is gone" and "`build.command` was make and is true"
 */
export function describeConfigChanges(base: Configured, head: Configured, given: Inputs['given'] = []): string[] {
  const ofHead = new Map(settingsOf(head, base.config).map((setting) => [setting.name, setting.value]));
  const gone = base.packets.filter(({ name }) => !ofHead.has(bytesOf(name))).map(({ name }) => `\`${name}\``);
  const changes = settingsOf(base, head.config).flatMap(({ of, name, value }): string[] => {
    const now = ofHead.get(name);
    if (now === value || given.some((option) => name === `\`${option}\``)) return [];
    if (now === undefined) return of === undefined ? [] : [`${of} is gone`];
    const [was, is] = [value, now].map((text) => clipMiddle(text, maxValue));
    return [was === is ? `${name} is another, which is too long to show` : `${name} was ${was} and is ${is}`];
  });
  const verb = gone.length === 1 ? ['input', 'is'] : ['inputs', 'are'];
  return [...new Set([...changes, ...(gone.length === 0 ? [] : [`${verb[0]} ${listNames(gone)} ${verb[1]} gone`])])];
}

/** Lists everything that shapes what a revision measures. */
function settingsOf({ config, packets }: Configured, other: Config): Setting[] {
  const { build, benches, contexts, presets, namedKernels, sections } = config;
  const set = (name: string, value: unknown, of?: string): Setting => ({
    ...(of === undefined ? {} : { of }),
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  });
  return [
    ...benches.flatMap((bench) =>
      (['command', 'format', 'observe'] as const).map((key) =>
        set(`\`${key}\` of bench \`${bench.name}\``, bench[key], `bench \`${bench.name}\``),
      ),
    ),
    ...(['command', 'where', 'network', 'objects', 'env'] as const).map((key) => set(`\`build.${key}\``, build[key])),
    ...(['kernels', 'lanes', 'runner'] as const).map((key) => set(`\`${key}\``, config[key])),
    ...namedKernels.map(({ name, url, sha256 }) =>
      set(`kernel \`${name}\``, `${sha256} (${url})`, `kernel \`${name}\``),
    ),
    ...packets.map(({ name, bytes }) => set(bytesOf(name), `0x${Buffer.from(bytes).toString('hex')}`)),
    ...contexts.map(({ name, type, bytes }) =>
      set(`\`bytes\` of input \`${name}\` of ${type}`, bytes, `input \`${name}\` of ${type}`),
    ),
    ...presets.map((preset) => set(`\`preset.${preset.name}\``, plainOf(preset), `preset \`${preset.name}\``)),
    ...Object.keys({ ...sections, ...other.sections }).map((section) =>
      set(`\`type\` of section \`${section}\``, sections[section] ?? 'its own'),
    ),
  ];
}

function bytesOf(packet: string): string {
  return `\`bytes\` of input \`${packet}\``;
}

/** What a preset says, wherever it stands. */
function plainOf({ variables, entries }: Preset) {
  return {
    set: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    entries: entries.map(({ line: _, ...entry }) => entry),
  };
}
