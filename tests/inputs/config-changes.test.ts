import { expect, test } from 'vitest';
import { parseConfig } from '../../src/inputs/config.ts';
import { describeConfigChanges } from '../../src/inputs/config-changes.ts';
import type { Inputs } from '../../src/model/inputs.ts';

type Packets = Readonly<Record<string, readonly number[]>>;
const configured = (text: string, packets: Packets = {}) => ({
  config: parseConfig(text, 'bpfgate.toml'),
  packets: Object.entries(packets).map(([name, bytes]) => ({ name, bytes: Uint8Array.from(bytes) })),
});
const changes = (base: string, head: string, given?: Inputs['given']) =>
  describeConfigChanges(configured(base), configured(head), given);
const bench = (name: string, more = '') => `[[bench]]\nname = "${name}"\ncommand = "run ${name}"\n${more}\n`;
const input = (file: string) => `[[input]]\nname = "own"\nfile = "${file}"\n`;
const context = (bytes: string) => `[[input]]\nname = "own"\ncontext = "syscall"\nbytes = "${bytes}"\n`;
const preset = (depth: number) => `[preset.deep]\nset.max_depth = ${depth}\n`;
const program = (type: string) => `[[program]]\nsection = "prog"\ntype = "${type}"\n`;
const kernel = (digit: string) =>
  `[[kernel]]\nname = "own"\nurl = "https://kernels.invalid/own"\nsha256 = "${digit.repeat(64)}"\n`;

test.each([
  ['kernels = ["5.10", "6.1"]', 'kernels = ["6.1"]', '`kernels` was ["5.10","6.1"] and is ["6.1"]'],
  ['', 'lanes = ["verifier"]', '`lanes` was ["instructions","verifier"] and is ["verifier"]'],
  ['', 'runner = "virtme-ng"', '`runner` was vmtest and is virtme-ng'],
  ['[build]\ncommand = "make"', '[build]\ncommand = "true"', '`build.command` was make and is true'],
  ['', '[build]\nwhere = "guest"', '`build.where` was host and is guest'],
  ['', '[build]\nobjects = ["a.o"]', '`build.objects` was null and is ["a.o"]'],
  ['', '[build]\nenv = ["FAST"]', '`build.env` was [] and is ["FAST"]'],
  [bench('a'), bench('b'), 'bench `a` is gone'],
  [bench('a'), bench('a', 'observe = false'), '`observe` of bench `a` was true and is false'],
  [bench('a'), bench('a', 'format = "bmf"'), '`format` of bench `a` was auto and is bmf'],
  [bench('a'), bench('a').replace('run a', 'true'), '`command` of bench `a` was run a and is true'],
  [context('0x01'), '', 'input `own` of syscall is gone'],
  [context('0x01'), context('0x02'), '`bytes` of input `own` of syscall was [1] and is [2]'],
  [preset(1), '', 'preset `deep` is gone'],
  [
    preset(1),
    preset(2),
    '`preset.deep` was {"set":{"max_depth":1},"entries":[]} and is {"set":{"max_depth":2},"entries":[]}',
  ],
  [program('xdp'), program('tc'), '`type` of section `prog` was xdp and is tc'],
  [program('xdp'), '', '`type` of section `prog` was xdp and is its own'],
  ['', program('xdp'), '`type` of section `prog` was its own and is xdp'],
  [kernel('0'), '', 'kernel `own` is gone'],
])('from %j to %j', (base, head, said) => {
  expect(changes(base, head)).toEqual([said]);
});

test('another kernel of the same name is named with its checksum', () => {
  expect(changes(kernel('0'), kernel('1'))).toEqual([
    expect.stringMatching(/^kernel `own` was 0{64} .* and is 1{64} /),
  ]);
});

test('inputs are compared by what they hold, whatever their files are called', () => {
  const of = (file: string, packets: Packets) => configured(input(file), packets);
  expect(describeConfigChanges(of('a', { own: [1] }), of('b', { own: [1] }))).toEqual([]);
  expect(describeConfigChanges(of('a', { own: [1] }), of('a', { own: [2], new: [1] }))).toEqual([
    '`bytes` of input `own` was 0x01 and is 0x02',
  ]);
  expect(describeConfigChanges(of('a', { own: [1] }), of('a', {}))).toEqual(['input `own` is gone']);
  expect(describeConfigChanges(of('a', { a: [1], b: [1] }), of('a', {}))).toEqual(['inputs `a`, `b` are gone']);
  const long = (middle: number) => ({ own: [...Array(500).fill(0), middle, ...Array(500).fill(0)] });
  expect(describeConfigChanges(of('a', long(1)), of('a', long(2)))).toEqual([
    '`bytes` of input `own` is another, which is too long to show',
  ]);
});

test('additions, moved keys and other notations are no change', () => {
  const base = `${bench('a')}${bench('b')}`;
  expect(changes(base, `# more\n${bench('c')}${bench('b')}${bench('a', 'profile = true')}`)).toEqual([]);
});

test('what an option gives to both revisions is no change', () => {
  const [base, head] = ['kernels = ["5.10"]', 'lanes = ["verifier"]\nrunner = "virtme-ng"'];
  expect(changes(base, head, ['kernels', 'lanes', 'runner'])).toEqual([]);
  expect(changes(base, head, ['kernels', 'runner'])).toHaveLength(1);
});

test('a long value is cut', () => {
  const [said] = changes(bench('a'), bench('a').replace('run a', 'x'.repeat(5000)));
  expect(said?.length).toBeLessThan(200);
});
