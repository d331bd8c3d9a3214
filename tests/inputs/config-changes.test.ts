import { expect, test } from 'vitest';
import { parseConfig } from '../../src/inputs/config.ts';
import { describeConfigChanges } from '../../src/inputs/config-changes.ts';

const changes = (base: string, head: string) => {
  const [one, other] = [base, head].map((text) => parseConfig(text, 'bpfgate.toml'));
  return one === undefined || other === undefined ? [] : describeConfigChanges(one, other);
};
const bench = (name: string, more = '') => `[[bench]]\nname = "${name}"\ncommand = "run ${name}"\n${more}\n`;
const input = (file: string) => `[[input]]\nname = "own"\nfile = "${file}"\n`;
const context = (bytes: string) => `[[input]]\nname = "own"\ncontext = "syscall"\nbytes = "${bytes}"\n`;
const preset = (depth: number) => `[preset.deep]\nset.max_depth = ${depth}\n`;
const program = (type: string) => `[[program]]\nsection = "prog"\ntype = "${type}"\n`;

test.each([
  ['kernels = ["5.10", "6.1"]', 'kernels = ["6.1"]', '`kernels` was ["5.10","6.1"] and is ["6.1"]'],
  ['', 'lanes = ["verifier"]', '`lanes` was ["instructions","verifier"] and is ["verifier"]'],
  ['', 'time-budget = "1 s"', '`time-budget` was 600 s and is 1 s'],
  ['', 'runner = "virtme-ng"', '`runner` was vmtest and is virtme-ng'],
  ['[build]\ncommand = "make"', '[build]\ncommand = "true"', '`build.command` was make and is true'],
  ['', '[build]\nwhere = "guest"', '`build.where` was host and is guest'],
  ['', '[build]\nobjects = ["a.o"]', '`build.objects` was null and is ["a.o"]'],
  ['', '[build]\nenv = ["FAST"]', '`build.env` was [] and is ["FAST"]'],
  [bench('a'), bench('b'), 'bench `a` is gone'],
  [bench('a'), bench('a', 'observe = false'), '`observe` of bench `a` was true and is false'],
  [bench('a'), bench('a', 'format = "bmf"'), '`format` of bench `a` was auto and is bmf'],
  [bench('a'), bench('a').replace('run a', 'true'), '`command` of bench `a` was run a and is true'],
  ['', bench('a'), '`standard-inputs` was true and is false'],
  [input('a.pcap'), '', 'input `own` is gone'],
  [input('a.pcap'), input('b.pcap'), '`file` of input `own` was a.pcap and is b.pcap'],
  [context('0x01'), '', 'input `own` of syscall is gone'],
  [context('0x01'), context('0x02'), '`bytes` of input `own` was [1] and is [2]'],
  [preset(1), '', 'preset `deep` is gone'],
  [
    preset(1),
    preset(2),
    '`preset.deep` was {"set":{"max_depth":1},"entries":[]} and is {"set":{"max_depth":2},"entries":[]}',
  ],
  [program('xdp'), program('tc'), '`type` of section `prog` was xdp and is tc'],
  [program('xdp'), '', '`type` of section `prog` was xdp and is its own'],
  ['', '[gate]\nverifier = "5 %"', '`gate.verifier` was 0 % and is 5 %'],
  [
    '',
    '[[gate.override]]\nkernel = "6.1"\nlimit = "off"',
    '`gate.override` was [] and is [{"kernel":"6.1","limit":"off"}]',
  ],
])('from %j to %j', (base, head, said) => {
  expect(changes(base, head)).toEqual([said]);
});

test('additions, moved keys and other notations are no change', () => {
  const base = `${bench('a')}${bench('b')}`;
  expect(changes(base, `# more\n${bench('c')}${bench('b')}${bench('a', 'profile = true')}`)).toEqual([]);
});

test('a long value is cut', () => {
  const [said] = changes(bench('a'), bench('a').replace('run a', 'x'.repeat(5000)));
  expect(said?.length).toBeLessThan(200);
});
