// The variables, maps and types of a BPF object, and values that a preset gives them.

import { InputError } from '../../../src/common/errors.ts';
import type { BpfObject } from '../../../src/model/build.ts';
import { PresetLayout } from '../../../src/plan/lay-out-presets.ts';
import { readLayout } from '../../../src/plan/object-layout.ts';
import { check, type Target } from '../target.ts';

const object: BpfObject = { name: 'a', revision: 'head', path: 'a.o', digest: '' };
const values = [
  1,
  '0x00',
  'a',
  [1, [2], { depth: 1 }],
  { port: 1, mode: 'ACTIVE', low: 1, inner: [{ depth: 1 }], limit: 1 },
];

export const target: Target = {
  shape: 'bytes',
  refusals: [InputError],
  run(input) {
    const layout = readLayout(input);
    if (layout === undefined) return;
    const [variables, maps] = [layout.variables, layout.maps].map((all) => [...all.keys()].slice(0, 20));
    for (const value of values) {
      const preset = {
        name: 'p',
        variables: (variables ?? []).map((name) => ({ name, value, line: 1 })),
        entries: (maps ?? []).map((map) => ({ map, key: value, value, line: 1 })),
      };
      // One at a time: a value that does not fit hides the others.
      for (const each of [
        ...preset.variables.map((own) => ({ ...preset, variables: [own], entries: [] })),
        ...preset.entries.map((own) => ({ ...preset, variables: [], entries: [own] })),
      ]) {
        const all = new PresetLayout([each], 'bpfgate.toml');
        for (const { data, entries } of all.add(object, layout).presets ?? []) {
          for (const { map, bytes } of data) {
            const variable = layout.variables.get(each.variables[0]?.name ?? '');
            check(variable?.section === map && variable.size === bytes.length, 'a variable of another size');
          }
          for (const own of entries) check(layout.maps.has(own.map), 'an entry of no map');
        }
      }
    }
  },
};
