import { expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { manifestOf } from '../../src/inputs/manifest.ts';
import type { BenchConfig, Inputs } from '../../src/model/inputs.ts';
import { addBase, makePlan } from '../../src/plan/make-plan.ts';
import { planFor, planOn, sharesInputs } from '../../src/plan/plan.ts';
import { sourcePin } from '../kernels/kernel-fixtures.ts';

const kernel = sourcePin('6.1.176');
const noCriterion = { sources: [], wholeSeconds: false };

function inputsOf(...benches: Partial<BenchConfig>[]): Inputs {
  return {
    project: '/project',
    manifest: manifestOf(() => false),
    config: {
      file: 'bpfgate.toml',
      namedKernels: [],
      kernels: ['lts'],
      lanes: ['instructions'],
      runner: 'vmtest',
      build: { command: 'make', where: 'host', network: false, objects: null, env: [] },
      benches: benches.map((bench) => ({
        name: 'b',
        command: 'true',
        format: 'auto',
        observe: true,
        profile: false,
        line: 4,
        ...bench,
      })),
      standardInputs: false,
      packetFiles: [],
      contexts: [],
      presets: [],
      sections: {},
      gate: { limits: { instructions: 0, verifier: 0 }, overrides: [] },
    },
    packets: [],
    kernels: ['lts'],
    lanes: ['instructions'],
    shard: null,
    runner: 'vmtest',
    sandbox: 'auto',
    allowProjectRegistries: false,
    out: '/out',
  };
}

test('a shard has only its benches, and the first shard has the verifier lane', () => {
  const lanes = ['instructions', 'verifier'] as const;
  const inputs = { ...inputsOf({ name: 'a' }, { name: 'b' }, { name: 'c' }), lanes };
  const parts = [1, 2].map((index) => makePlan({ ...inputs, shard: { index, count: 2 } }, [kernel], noCriterion));
  expect(parts.map(({ benches }) => benches.map(({ name }) => name))).toEqual([['a', 'c'], ['b']]);
  expect(parts.map((part) => part.lanes)).toEqual([lanes, ['instructions']]);
  expect(parts.map(({ shard }) => shard?.index)).toEqual([1, 2]);
});

test('only objects that the user named are measured next to their copies', () => {
  const copiesOf = (inputs: Partial<Inputs>) =>
    makePlan({ ...inputsOf({}), ...inputs }, [kernel], noCriterion).keepsCopies;
  expect([copiesOf({}), copiesOf({ objects: { base: [], head: [] } })]).toEqual([false, true]);
});

test('programs run on packets where both lanes are wanted, in the shard that loads them', () => {
  const packets = [{ name: 'udp', bytes: Buffer.alloc(60) }];
  const both = ['instructions', 'verifier'] as const;
  const packetsOf = (inputs: Partial<Inputs>) =>
    makePlan({ ...inputsOf({}), packets, lanes: both, ...inputs }, [kernel], noCriterion).packets;
  expect(packetsOf({})).toEqual(packets);
  expect(packetsOf({ lanes: ['instructions'] })).toEqual([]);
  expect(packetsOf({ lanes: ['verifier'] })).toEqual([]);
  expect([1, 2].map((index) => packetsOf({ shard: { index, count: 2 } }))).toEqual([packets, []]);
  // They are enough where there is no bench.
  const without = { ...inputsOf(), packets, lanes: both };
  expect(makePlan(without, [kernel], noCriterion)).toMatchObject({ packets, benches: [] });
  expect(() => makePlan({ ...without, packets: [] }, [kernel], noCriterion)).toThrow('no [[bench]]');
  // So is a context.
  const contexts = [{ name: 'own', type: 'syscall', bytes: [0] }] as const;
  const withContext = { ...without, packets: [], config: { ...without.config, contexts } };
  expect(makePlan(withContext, [kernel], noCriterion)).toMatchObject({ contexts });
  expect(makePlan({ ...withContext, lanes: ['verifier'] }, [kernel], noCriterion).contexts).toEqual([]);
});

test('all shards and lanes pass the same arguments to cargo, so that their builds are equal', () => {
  const inputs = inputsOf(
    { name: 'a', command: 'cargo bench --bench a -- --exact x' },
    { name: 'b', command: 'cargo criterion' },
    { name: 'c', command: 'make bench' },
    { name: 'd', command: 'cd d && cargo bench' },
  );
  const plans = [
    makePlan(inputs, [kernel], noCriterion),
    makePlan({ ...inputs, shard: { index: 2, count: 2 } }, [kernel], noCriterion),
    makePlan({ ...inputs, lanes: ['verifier'] }, [kernel], noCriterion),
  ];
  for (const { cargoCommands } of plans) {
    expect(cargoCommands).toEqual([
      'cargo bench --bench a',
      "cargo criterion --bench '*' --message-format=json --output-format quiet --plotting-backend disabled",
    ]);
  }
  expect(plans.map(({ notes }) => notes)).toEqual([
    ...Array.from({ length: 2 }, () => [
      'bench `d` is run by cargo in the guest, which takes longer: it is more than one simple cargo command',
    ]),
    [],
  ]);
});

const plan = (...benches: Partial<BenchConfig>[]) => makePlan(inputsOf(...benches), [kernel], noCriterion);

test('keeps the configured command next to the one that the guest runs', () => {
  const { kernels, lanes, benches, warnings } = plan({ name: 'micro', command: 'cargo criterion --bench micro' });
  expect(kernels).toEqual([kernel]);
  expect(lanes).toEqual(['instructions']);
  expect(warnings).toEqual([]);
  expect(benches[0]?.command).toBe('cargo criterion --bench micro');
  expect(benches[0]?.guestCommand).toContain('--sample-size 10');
});

test.each([
  { format: 'bmf', command: 'cargo criterion' },
  { format: 'none', command: 'cargo criterion' },
  { format: 'auto', command: 'cargo bench --bench xdp' },
  { format: 'auto', command: 'cd x && ./run' },
] as const)('runs $command with format $format as it stands', (bench) => {
  expect(plan(bench).benches[0]?.guestCommand).toBe(bench.command);
  expect(plan(bench).warnings).toEqual([]);
});

test('has two readings for values that can be exact without a BPF program, and one for criterion', () => {
  const benches = [
    { format: 'bmf' },
    { format: 'none' },
    { format: 'auto', command: 'make bench' },
    { format: 'criterion', command: 'cargo criterion --bench a' },
    { format: 'auto', command: 'cargo criterion --bench a' },
  ] as const;
  expect(plan(...benches).benches.map(({ readingsWithoutPrograms }) => readingsWithoutPrograms)).toEqual([
    2, 2, 2, 1, 1,
  ]);
});

test('profiles the benches with `profile`, criterion for longer than it is counted', () => {
  const benches = plan(
    { profile: true, command: 'cargo criterion --bench micro' },
    { profile: true, command: 'cd x && ./run' },
    { command: 'cargo criterion --bench micro' },
  ).benches.map(({ profileCommand }) => profileCommand);
  expect(benches[0]).toMatch(/^cargo criterion --bench micro .*--measurement-time 0\.25 /);
  expect(benches.slice(1)).toEqual(['cd x && ./run', null]);
});

test.each([
  { format: 'criterion', command: 'cd x && cargo criterion' },
  { format: 'auto', command: 'cd x && cargo criterion' },
  { format: 'criterion', command: 'make bench' },
] as const)('warns that it cannot add settings to $command', (bench) => {
  expect(plan(bench).benches[0]?.guestCommand).toBe(bench.command);
  expect(plan(bench).warnings).toEqual([
    expect.stringMatching(/^bpfgate\.toml:4: bench `b` runs its command as it stands/),
  ]);
});

test('adds settings to `cargo bench` if it runs only Criterion, or the format says so', () => {
  const sources = [{ path: 'benches/micro.rs', text: 'criterion_main!(benches);' }];
  const benches = [{ command: 'cargo bench' }, { command: 'cargo bench', format: 'bmf' }] as const;
  const planned = makePlan(inputsOf(...benches), [kernel], { sources, wholeSeconds: false });
  expect(planned.benches[0]?.guestCommand).toContain('--sample-size 10');
  expect(planned.benches[1]?.guestCommand).toBe('cargo bench');
  expect(plan({ format: 'criterion', command: 'cargo bench' }).benches[0]?.guestCommand).toContain('--sample-size 10');
});

test.each(['cd crate && cargo bench', "sh -c 'cargo +nightly bench'", 'nice cargo bench --bench micro'])(
  'warns that no settings are added to the `cargo bench` in %s',
  (command) => {
    const criterion = {
      sources: [{ path: 'crate/benches/micro.rs', text: 'criterion_main!(b);' }],
      wholeSeconds: false,
    };
    const inputs = inputsOf({ format: 'auto', command });
    const [planned] = makePlan(inputs, [kernel], criterion).benches;
    expect(planned?.guestCommand).toBe(command);
    expect(makePlan(inputs, [kernel], criterion).warnings).toEqual([
      "bpfgate.toml:4: bench `b` runs `cargo bench` within another command, so no settings are added, and Criterion's take minutes for each benchmark; make it one simple `cargo bench` command, with `--manifest-path` in the place of `cd`",
    ]);
    expect(makePlan(inputs, [kernel], { ...criterion, sources: [] }).warnings).toEqual([]);
    expect(makePlan(inputsOf({ format: 'bmf', command }), [kernel], criterion).warnings).toEqual([]);
  },
);

test('warns of a command that runs Criterion benches and others', () => {
  const sources = [
    { path: 'benches/micro.rs', text: 'criterion_main!(benches);' },
    { path: 'benches/xdp.rs', text: 'fn main() {}' },
  ];
  const planned = makePlan(inputsOf({ command: 'cargo bench' }), [kernel], { sources, wholeSeconds: false });
  expect(planned.benches[0]?.guestCommand).toBe('cargo bench');
  expect(planned.warnings).toEqual([
    expect.stringMatching(/^bpfgate\.toml:4: bench `b` starts benches of Criterion and/),
  ]);
});

test('warns how long Criterion 0.3 takes', () => {
  const criterion = { sources: [], wholeSeconds: true };
  const { warnings } = makePlan(inputsOf({ format: 'criterion', command: 'cargo bench' }), [kernel], criterion);
  expect(warnings).toEqual([expect.stringMatching(/^bpfgate\.toml:4: bench `b`: Criterion 0\.3 takes .* 2 billion/)]);
});

test('refuses a project without benches, with an example', () => {
  const error = catchError(() => plan());
  expect(error.message).toBe('bpfgate.toml: no [[bench]]; nothing would be measured');
  expect(error.hint).toContain('[[bench]]\nname');
});

test('refuses to run on no kernel', () => {
  expect(catchError(() => makePlan(inputsOf({}), [], noCriterion)).message).toBe('no kernel is selected by lts');
});

function catchError(run: () => unknown): InputError {
  try {
    run();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('each revision has its own benches, and those of base alone are counted in the first shard', () => {
  const lanes = ['instructions'] as const;
  const head = { ...inputsOf({ name: 'a' }, { name: 'new' }, { name: 'c', command: 'two' }), lanes };
  const { config, packets } = inputsOf({ name: 'old' }, { name: 'a' }, { name: 'c', command: 'one' });
  const plans = [1, 2].map((index) => {
    const inputs = { ...head, shard: { index, count: 2 } };
    return addBase(makePlan(inputs, [kernel], noCriterion), { config, packets, criterion: noCriterion }, inputs);
  });
  const commandsOf = (revision: 'base' | 'head') =>
    plans.map((plan) => planFor(plan, revision).benches.map(({ name, guestCommand }) => `${name} ${guestCommand}`));
  expect(commandsOf('head')).toEqual([['a true', 'c two'], ['new true']]);
  expect(commandsOf('base')).toEqual([['old true', 'a true', 'c one'], []]);
});

test('each revision has its own packets and sections, and then shares no runs with the other', () => {
  const lanes = ['instructions', 'verifier'] as const;
  const packet = (name: string) => ({ name, bytes: Buffer.from([1, 2]) });
  const inputs = { ...inputsOf({}), lanes, packets: [packet('udp'), packet('own')] };
  const add = (packets: Inputs['packets'], sections = {}) => {
    const base = { config: { ...inputs.config, lanes, sections }, packets, criterion: noCriterion };
    return addBase(makePlan(inputs, [kernel], noCriterion), base, inputs);
  };
  const plan = add([packet('udp')]);
  expect(planFor(plan, 'base').packets).toEqual([packet('udp')]);
  expect(planFor(plan, 'head').packets).toEqual(inputs.packets);
  expect([plan, add(inputs.packets), add(inputs.packets, { x: 'xdp' })].map(sharesInputs)).toEqual([
    false,
    true,
    false,
  ]);
});

test('each revision has the lanes of its own configuration, except where an option gives them', () => {
  const lanes = ['verifier'] as const;
  const ofHead = { ...inputsOf({ name: 'a' }), lanes };
  const lanesOf = (inputs: Inputs) => {
    const base = { config: inputs.config, packets: [], criterion: noCriterion };
    const plan = addBase(makePlan(inputs, [kernel], noCriterion), base, inputs);
    return (['base', 'head'] as const).map((revision) => planFor(plan, revision).lanes);
  };
  expect(lanesOf(ofHead)).toEqual([['instructions'], lanes]);
  expect(lanesOf({ ...ofHead, given: ['lanes'] })).toEqual([lanes, lanes]);
});

test('base runs on no kernel that only the configuration of head names', () => {
  const named = (name: string, sha256: string) => ({ name, url: 'https://kernels.invalid/', sha256 });
  const inputs = inputsOf({ name: 'a' });
  const withKernels = (...namedKernels: Inputs['config']['namedKernels'][number][]) => ({
    ...inputs.config,
    namedKernels,
  });
  const head = { ...inputs, config: withKernels(named('same', '1'), named('changed', '1'), named('new', '1')) };
  const config = withKernels(named('same', '1'), named('changed', '2'));
  const base = { config, packets: [], criterion: noCriterion };
  const plan = addBase(makePlan(head, [kernel], noCriterion), base, head);
  const benchesOn = (id: string) => planFor(planOn(plan, id), 'base').benches.map(({ name }) => name);
  expect(['6.1', 'same', 'changed', 'new'].map(benchesOn)).toEqual([['a'], ['a'], [], []]);
  expect(planFor(planOn(plan, 'new'), 'head').benches).toHaveLength(1);
});
