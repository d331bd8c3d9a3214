// Inputs: what a pull request changes in bpfgate.toml. Pure.

import { clipMiddle } from '../common/clip-middle.ts';
import { type BenchConfig, type Config, type Limit, lanes, type Preset } from '../model/inputs.ts';
import { usesStandardInputs } from './packets.ts';

/** Maximum number of characters shown of a value. */
const maxValue = 120;

/**
 * Lists what head changes in the configuration. Both revisions are measured by head's configuration, so anything that
 * only base's configuration measures would go missing silently. Pure additions are left out.
 *
 * @returns such as "bench `micro` is gone" and "`gate.instructions` was 0 % and is off"
 */
export function describeConfigChanges(base: Config, head: Config): string[] {
  return [
    ...describeChange('kernels', base.kernels, head.kernels),
    ...describeChange('lanes', base.lanes, head.lanes),
    ...describeChange('time-budget', `${base.timeBudgetMs / 1000} s`, `${head.timeBudgetMs / 1000} s`),
    ...describeChange('runner', base.runner, head.runner),
    ...(['command', 'where', 'objects', 'env'] as const).flatMap((key) =>
      describeChange(`build.${key}`, base.build[key], head.build[key]),
    ),
    ...base.benches.flatMap((bench) => describeBench(bench, head)),
    ...describeChange('standard-inputs', usesStandardInputs(base), usesStandardInputs(head)),
    ...base.packetFiles.flatMap(({ name, file }) => {
      const own = head.packetFiles.find((input) => input.name === name);
      return own === undefined
        ? [`input \`${name}\` is gone`]
        : describeChange(`file\` of input \`${name}`, file, own.file);
    }),
    ...base.contexts.flatMap(({ name, type, bytes }) => {
      const own = head.contexts.find((input) => input.name === name && input.type === type);
      return own === undefined
        ? [`input \`${name}\` of ${type} is gone`]
        : describeChange(`bytes\` of input \`${name}`, bytes, own.bytes);
    }),
    ...base.presets.flatMap((preset) => {
      const own = head.presets.find(({ name }) => name === preset.name);
      return own === undefined
        ? [`preset \`${preset.name}\` is gone`]
        : describeChange(`preset.${preset.name}`, plainOf(preset), plainOf(own));
    }),
    ...Object.entries(base.sections).flatMap(([section, type]) =>
      describeChange(`type\` of section \`${section}`, type, head.sections[section] ?? 'its own'),
    ),
    ...lanes.flatMap((lane) =>
      describeChange(`gate.${lane}`, toPercent(base.gate.limits[lane]), toPercent(head.gate.limits[lane])),
    ),
    ...describeChange('gate.override', base.gate.overrides, head.gate.overrides),
  ];
}

function describeBench(base: BenchConfig, { benches }: Config): string[] {
  const head = benches.find(({ name }) => name === base.name);
  if (head === undefined) return [`bench \`${base.name}\` is gone`];
  return (['command', 'format', 'observe'] as const).flatMap((key) =>
    describeChange(`${key}\` of bench \`${base.name}`, base[key], head[key]),
  );
}

/** What a preset says, wherever it stands. */
function plainOf({ variables, entries }: Preset) {
  return {
    set: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    entries: entries.map(({ line: _, ...entry }) => entry),
  };
}

function describeChange(key: string, base: unknown, head: unknown): string[] {
  const [was, is] = [base, head].map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  if (was === undefined || is === undefined || was === is) return [];
  return [`\`${key}\` was ${clipMiddle(was, maxValue)} and is ${clipMiddle(is, maxValue)}`];
}

function toPercent(limit: Limit): string {
  return limit === 'off' ? limit : `${limit * 100} %`;
}
