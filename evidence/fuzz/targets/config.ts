// bpfgate.toml.

import { InputError } from '../../../src/common/errors.ts';
import { parseConfig } from '../../../src/inputs/config.ts';
import { lanes, runners } from '../../../src/model/inputs.ts';
import { check, type Target } from '../target.ts';

export const target: Target = {
  shape: 'text',
  refusals: [InputError],
  words: ['[[bench]]\n', '[gate]\n', '[[gate.override]]\n', ' = ', '"""', "'''", '{ a = 1 }', '[1, 2]', '2026-11-22'],
  run(input) {
    const config = parseConfig(input.toString('utf8'), 'bpfgate.toml');
    check(config.kernels.length > 0 && config.kernels.every((each) => each.trim() !== ''), 'kernels');
    check(config.lanes.length > 0 && config.lanes.every((each) => lanes.includes(each)), 'lanes');
    check(runners.includes(config.runner), 'runner');
    check(config.build.command.trim() !== '', 'build.command');
    const names = config.benches.map(({ name }) => name);
    check(new Set(names).size === names.length, 'two benches of one name');
    for (const { name, command, line } of config.benches) {
      check(/^\w[\w.-]{0,99}$/.test(name), `the name ${name}`);
      check(command.trim() !== '' && line > 0, `the bench ${name}`);
    }
    for (const limit of [...Object.values(config.gate.limits), ...config.gate.overrides.map((each) => each.limit)]) {
      check(limit === 'off' || (Number.isFinite(limit) && limit >= 0), `the limit ${limit}`);
    }
  },
};
