// The lanes other than instructions, in real guests: programs that the kernel refuses or that grew, with their lines;
// and times, which are only advice under emulation.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Results } from '../../src/report/results.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import { bpfgate, type Outcome, temporaryFolder } from './bpfgate.ts';
import { commit } from './gated-project.ts';

const fixtures = new URL('fixtures/verifier/', import.meta.url);
const agentFixture = (name: string) => readFileSync(new URL(`../../vm/agent/tests/fixtures/${name}`, import.meta.url));
const sourceFile = 'probe.bpf.c';

/** A repository whose base and head hold a compiled object, and its source. */
function makeProject(folder: string, config: string, files: Record<string, string | Buffer> = {}): string {
  const project = join(folder, 'project');
  const read = (name: string) => readFileSync(new URL(name, fixtures));
  const same = { 'bpfgate.toml': config, [sourceFile]: read(sourceFile), ...files };
  for (const revision of ['base', 'head']) {
    commit(project, revision, { ...same, 'probe.bpf.o': read(`${revision}.bpf.o`) });
  }
  return project;
}

const readResults = (out: string) => parseResults(readFileSync(join(out, 'results.json'), 'utf8'), 'results.json');

/** 1-based. */
function lineOf(text: string): number {
  return (
    readFileSync(new URL(sourceFile, fixtures), 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1
  );
}

describe('the verifier lane', () => {
  const kernels = ['5.10', '6.1'];
  let outcome: Outcome;
  let results: Results;

  beforeAll(async () => {
    let cleanUp = () => {};
    const folder = temporaryFolder((work) => {
      cleanUp = work;
    });
    const same = { 'core.bpf.o': agentFixture('core.bpf.o') };
    const project = makeProject(folder, 'lanes = ["verifier"]\n[build]\ncommand = "true"\n', same);
    const out = join(folder, 'out');
    const which = ['--project', project, '--base', 'base', '--head', 'head', '--kernels', kernels.join(',')];
    outcome = await bpfgate(['run', ...which, '--out', out]);
    results = readResults(out);
    return cleanUp;
  });

  const compared = (kernel: string, benchmark: string) =>
    results.comparisons.filter((each) => each.kernel === kernel && each.benchmark === benchmark);

  test.for(kernels)('reports a program that no longer loads, and the line, on %s', (kernel) => {
    const found = compared(kernel, 'probe/parse');
    expect(found).toMatchObject([{ measure: 'loads', base: 1, head: 0, verdict: 'regression' }]);
    expect(found[0]?.source).toEqual({ file: sourceFile, line: lineOf('return data[0]') });
    expect(found[0]?.refusal?.errno).toBe('EACCES');
    expect(found[0]?.refusal?.message).toMatch(/packet/);
    expect(found[0]?.refusal?.log.join('\n')).toContain(found[0]?.refusal?.message);
  });

  test.for(kernels)('reports a program that grew, by whole numbers, on %s', (kernel) => {
    const grown = compared(kernel, 'probe/count').filter(({ verdict }) => verdict === 'regression');
    expect(grown.map(({ measure }) => measure)).toEqual(['verified-instructions', 'xlated-bytes', 'jited-bytes']);
    for (const { interval, delta, source } of grown) {
      expect(interval).toBe('exact');
      expect(delta).toSatisfy(Number.isInteger);
      expect(source).toEqual({ file: sourceFile, line: expect.any(Number) });
    }
    // The new line also changes the machine code of lines around it.
    const jited = grown.find(({ measure }) => measure === 'jited-bytes');
    expect(jited?.lines?.[0]?.source).toEqual({ file: sourceFile, line: lineOf('*value ^= ') });
    expect(grown.filter(({ lines }) => lines !== null)).toEqual([jited]);
  });

  test.for(kernels)('does not report an equal program, on %s', (kernel) => {
    const same = compared(kernel, 'probe/same');
    expect(same.length).toBeGreaterThan(3);
    for (const { verdict } of same) expect(verdict).toBe('unchanged');
  });

  test.for(kernels)('verifies an object once if its bytes are equal in base and head, on %s', (kernel) => {
    const loaded = outcome.stderr.match(new RegExp(`${kernel}: loading core, .*`, 'g'));
    expect(loaded).toEqual([`${kernel}: loading core, base`]);
    expect(compared(kernel, 'core/element')[0]).toMatchObject({ measure: 'loads', base: 1, head: 1 });
  });

  test('exits with 1 and the reason', () => {
    expect(outcome.code).toBe(1);
    expect(outcome.stdout).toMatch(
      /^`parse` no longer loads on 2 kernels: EACCES: R1 offset is outside of the packet$/m,
    );
    expect(outcome.stdout).toContain(`at \`${sourceFile}:${lineOf('return data[0]')}\``);
    for (const kernel of kernels) {
      expect(outcome.stdout).toContain(`On ${kernel} the verifier's log ends with:`);
    }
  });
});

describe('objects without a project', () => {
  /** A folder with `base/probe.bpf.o` and `head/probe.bpf.o`, and a `git` that must not be called. */
  function makeObjects() {
    const folder = temporaryFolder();
    for (const revision of ['base', 'head']) {
      mkdirSync(join(folder, revision));
      writeFileSync(join(folder, revision, 'probe.bpf.o'), readFileSync(new URL(`${revision}.bpf.o`, fixtures)));
    }
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin', 'git'), `#!/bin/sh\ntouch ${folder}/called\nexit 1\n`, { mode: 0o755 });
    return { folder, options: { cwd: folder, env: { PATH: `${folder}/bin:${process.env.PATH}` } } };
  }

  test('are counted without git and a configuration', async () => {
    const { folder, options } = makeObjects();
    const { code, stdout, stderr } = await bpfgate(['count', 'head/probe.bpf.o', '--kernels', '6.1'], options);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(
      /^6\.1 \(6\.1\.\d+\): 2 programs verified, 1 refused\n +verified +states +stack +xlated +jited +maps\n/,
    );
    expect(stdout).toMatch(/\n {2}probe\/count +\d+ +\d+ +\d+ +\d+ +\d+ +[\d,]+\n/);
    expect(stdout).toContain('  probe/parse: refused: EACCES: R1 offset is outside of the packet');
    expect(stdout).toMatch(
      /\n {2}instructions per run, and return value\n {2}probe\/count +\d+ {2}XDP_PASS {2}all 16 inputs\n/,
    );
    expect(stdout).toMatch(/\n {2}probe\/same +0 {2}XDP_PASS {2}all 16 inputs\n/);
    expect(readdirSync(folder).toSorted()).toEqual(['base', 'bin', 'head']);
    writeFileSync(join(folder, 'übung.bpf.o'), agentFixture('corners.bpf.o'));
    const corners = (await bpfgate(['count', 'übung.bpf.o', '--kernels', '6.1'], options)).stdout;
    expect(corners).toContain(': 3 programs verified, 4 refused, 3 not tried\n');
    // The lock's map has its BTF, from a header that the linker made longer.
    expect(corners).toMatch(/\n {2}übung\/locked +\d+ {2}XDP_PASS {2}all 16 inputs\n/);
    expect(corners).toMatch(/\n {2}übung\/arp_only +\d+ {2}2054 +arp\n/);
    for (const reason of [
      'no_field: refused: EINVAL: CO-RE: this kernel does not have the field `struct task_struct.no_such_member[2]`',
      'no_value: refused: EINVAL: CO-RE: this kernel does not have the value `NO_SUCH_TYPE` of `enum bpf_map_type`',
      'no_kfunc: refused: EINVAL: it calls the kernel function `no_such_weak_kfunc`, which is __weak',
      'newer_helper: refused: EINVAL: it calls the helper bpf_cgrp_storage_delete, which needs kernel 6.2 or newer',
      'newer_map: not tried: map "arena" of type arena could not be made: EINVAL: the type arena needs kernel 6.9',
      'compares: not tried: it calls `memcmp` of the C library, which BPF does not have: give `__builtin_memcmp`',
      'placeholder: not tried: "dummy_func" looks like a placeholder',
    ]) {
      expect(corners).toContain(`\n  übung/${reason}`);
    }
    rmSync(join(folder, 'übung.bpf.o'));
    const asVeristat = ['count', 'head/probe.bpf.o', '--kernels', '6.1', '--format', 'veristat'];
    expect((await bpfgate(asVeristat, options)).stdout).toMatch(
      /^file_name,.*\nprobe\.bpf\.o,count,success,\d+,16,1,1,0,0\nprobe\.bpf\.o,parse,failure,\d+,2,0,0,0,0\nprobe\.bpf\.o,same,/,
    );
  });

  test('are loaded under presets, and run on contexts of the configuration', async () => {
    const { folder, options } = makeObjects();
    writeFileSync(join(folder, 'preset.bpf.o'), agentFixture('preset.bpf.o'));
    const preset = (name: string) => `[preset.deep]
set = { ${name} = 16, cfg = { port = 443 } }
[[preset.deep.entries]]
map = "allowed"
key = 443
value = { verdict = 1 }
[[preset.deep.entries]]
map = "counts"
key = 1
value = "0x01000000"
[[preset.deep.entries]]
map = "queue"
value = 1
`;
    const contexts = [
      'context = "raw_tracepoint"\nargs = [1, 2, -3]',
      'context = "syscall"\nbytes = "0x0000000009000000"',
      'context = "sk_lookup"\nprotocol = "udp"\nremote = "[2001:db8::1]:5000"\nlocal = "[2001:db8::2]:8443"',
    ].map((context) => `[[input]]\nname = "own"\n${context}\n`);
    const unused = '[preset.idle]\nset = { zeros = [1, 2] }\n';
    writeFileSync(join(folder, 'bpfgate.toml'), [...contexts, preset('max_depth'), unused].join(''));
    const count = (...more: string[]) =>
      bpfgate(['count', 'preset.bpf.o', 'head/*.o', '--kernels', '6.1', ...more], options);
    const { measurements, kernels } = parseResults((await count('--format', 'json')).stdout, 'stdout');
    const reason = 'no program refers to what it sets, so none is loaded under it';
    expect(kernels[0]?.warnings).toContainEqual({ about: ['preset.idle'], reason });
    const verified = measurements.filter(({ measure }) => measure === 'verified-instructions');
    const verifiedOf = (name: string) => verified.find(({ benchmark }) => benchmark === name)?.value ?? Number.NaN;
    // Each step that `max_depth` allows more is walked.
    expect(verifiedOf('preset/walk@deep')).toBe(verifiedOf('preset/walk') + 14 * 6);
    expect(verified.map(({ benchmark }) => benchmark).filter((name) => name.includes('@'))).toEqual([
      'preset/walk@deep',
      'preset/look_up@deep',
      // Its object has a map `counts` as well.
      'probe/count@deep',
    ]);
    const returned = measurements.flatMap(({ benchmark, behavior }) =>
      /\/(udp-64|zeros|tcp|own)$/.test(benchmark) && behavior !== null ? [[benchmark, behavior.returned]] : [],
    );
    expect(Object.fromEntries(returned)).toMatchObject({
      'preset/look_up/udp-64': 'XDP_DROP',
      'preset/look_up@deep/udp-64': 'XDP_TX',
      'preset/arguments/zeros': '0',
      'preset/arguments/own': '-2',
      'preset/call/zeros': '0',
      'preset/call/own': '9',
      'preset/connection/tcp': '1',
      'preset/connection/own': '0',
    });
    writeFileSync(join(folder, 'bpfgate.toml'), preset('max_dept'));
    const misspelt = await count();
    expect(misspelt.code).toBe(2);
    expect(misspelt.stderr).toContain(
      'bpfgate.toml:2: preset `deep`: no object has a variable `max_dept`; did you mean `max_depth`?',
    );
  });

  test('are compared as those of two commits are', async () => {
    const { folder, options } = makeObjects();
    const given = ['--base-objects', 'base/*.o', '--head-objects', 'head/*.o', '--kernels', '6.1', '--out', 'out'];
    expect((await bpfgate(['run', ...given], options)).code).toBe(1);
    const own = readResults(join(folder, 'out'));
    const project = makeProject(folder, '[build]\ncommand = "true"\n');
    const which = ['--project', project, '--base', 'base', '--head', 'head', '--kernels', '6.1'];
    await bpfgate(['run', ...which, '--out', join(folder, 'of-project')]);
    const values = ({ comparisons }: Results) =>
      comparisons
        .filter(({ measure }) => measure !== 'load-time')
        .map(({ benchmark, measure, base, head, verdict }) => ({ benchmark, measure, base, head, verdict }));
    const ofProject = readResults(join(folder, 'of-project'));
    expect(values(own)).toEqual(values(ofProject));
    const onPackets = ofProject.comparisons.filter(({ lane }) => lane === 'instructions');
    expect(onPackets).toHaveLength(32);
    for (const { benchmark, verdict, interval, delta, lines } of onPackets) {
      const isCount = benchmark.startsWith('probe/count/');
      expect({ benchmark, verdict, interval, isMore: (delta ?? 0) > 0 }).toEqual({
        benchmark,
        verdict: isCount ? 'regression' : 'unchanged',
        interval: 'exact',
        isMore: isCount,
      });
      const grown = lines?.map(({ source }) => source.line) ?? [];
      expect(grown.includes(lineOf('*value ^= '))).toBe(isCount);
    }
  });

  /** Compares fixtures with a source, by object: base's and head's file, or that of both. */
  async function compareFixtures(kernel: string, sourceName: string, objects: Record<string, [string, string?]>) {
    const folder = temporaryFolder();
    const source = readFileSync(new URL(sourceName, fixtures), 'utf8');
    writeFileSync(join(folder, sourceName), source);
    for (const [place, revision] of ['base', 'head'].entries()) {
      mkdirSync(join(folder, revision));
      for (const [name, files] of Object.entries(objects)) {
        writeFileSync(join(folder, revision, `${name}.o`), readFileSync(new URL(files[place] ?? files[0], fixtures)));
      }
    }
    const given = ['--base-objects', 'base/*.o', '--head-objects', 'head/*.o', '--kernels', kernel, '--out', 'out'];
    expect((await bpfgate(['run', ...given], { cwd: folder })).code).toBe(1);
    const { comparisons, kernels } = readResults(join(folder, 'out'));
    const all = kernels.flatMap((each) => each.warnings);
    const warnings = all.map(({ about, reason }) => `${about}: ${reason}`).join('\n');
    return { lines: source.split('\n'), comparisons, warnings };
  }

  test('programs of each type run, and an instruction more in each is found at its line', async () => {
    const { lines, comparisons, warnings } = await compareFixtures('6.12', 'types.bpf.c', {
      types: ['types-base.bpf.o', 'types-head.bpf.o'],
      denies: ['denies.bpf.o'],
    });
    const inObject =
      (object: string) =>
      ({ benchmark }: { readonly benchmark: string }) =>
        benchmark.startsWith(`${object}/`);
    // One of them denies bpf(2), which the agent needs for the others.
    const denied = comparisons.filter(inObject('denies')).filter(({ measure }) => measure === 'events');
    expect(denied.map(({ head }) => Number(head) > 0)).toEqual([true, true, true]);
    const programs = lines.flatMap((text) => /^(?:PROGRAM\(|SEC.* int )(on_\w+)/.exec(text)?.[1] ?? []);
    // The kernel has no test run for the one, and the guest has no receiver for the other.
    const idle = ['on_lwt_seg6local', 'on_lirc_mode2'];
    const inRuns = comparisons.filter(inObject('types')).filter(({ lane }) => lane === 'instructions');
    const found = (program: string, measure: string) =>
      inRuns.filter((each) => each.benchmark.startsWith(`types/${program}/`) && each.measure === measure);
    expect(programs.filter((program) => found(program, 'bpf-instructions').length === 0)).toEqual(idle);
    const undecided: string[] = [];
    for (const { benchmark, delta, lines: grown, verdict } of inRuns.filter(({ measure }) => measure !== 'events')) {
      const [, program = ''] = benchmark.split('/');
      expect(delta).toBeCloseTo(1, 2);
      if (verdict === 'inconclusive') {
        undecided.push(program);
        continue;
      }
      const line = lines.findIndex((text) => new RegExp(`\\b${program}\\(|\\(${program},`).test(text)) + 1;
      expect({ benchmark, verdict, grown: grown?.map((each) => each.source.line) }).toEqual({
        benchmark,
        verdict: 'regression',
        grown: [line],
      });
    }
    // Readings differ by what else the kernel does, such as a run for each of its threads. Their mean is right, and such a
    // change undecided.
    expect(undecided.length, undecided.join()).toBeLessThanOrEqual(2);
    const attached = programs.filter((program) => found(program, 'events').length > 0);
    expect(attached.length).toBeGreaterThan(25);
    expect(
      inRuns.filter(({ benchmark, measure, verdict }) => {
        const isUndecided = undecided.includes(benchmark.split('/')[1] ?? '');
        return measure === 'events' && verdict !== 'unchanged' && !isUndecided;
      }),
    ).toEqual([]);
    expect(warnings).toMatch(/types\/on_lwt_seg6local: did not run: the kernel does not run it \(ENOTSUPP\)/);
    expect(warnings).not.toMatch(/workload/);
  });

  test('functions of a scheduler run, and an instruction more in each is found', async () => {
    const { comparisons, warnings } = await compareFixtures('7.3', 'scheduler.bpf.c', {
      scheduler: ['scheduler-base.bpf.o', 'scheduler-head.bpf.o'],
      broken: ['scheduler-broken.bpf.o'],
    });
    const counts = comparisons.filter(({ measure }) => measure === 'bpf-instructions');
    const values = counts.map(({ benchmark, base, head, interval }) => [benchmark, base, head, interval]);
    // The same code in each costs the same: what the kernel's call of each costs is not counted.
    const same = ['on_init_task', 'on_running', 'on_sys_enter', 'on_yield'].map((name) => [
      `scheduler/${name}/workload`,
      4,
      5,
      'exact',
    ]);
    expect(values).toEqual(expect.arrayContaining(same));
    const enqueue = counts.find(({ benchmark }) => benchmark === 'scheduler/on_enqueue/workload');
    expect(enqueue).toMatchObject({ delta: 1, interval: 'exact' });
    expect(enqueue?.base).toBeGreaterThan(100);
    expect(warnings).toMatch(/scheduler\/on_select_cpu: did not run: the kernel calls it to choose among several CPUs/);
    expect(warnings).toMatch(
      /broken\/on_enqueue: did not run: the kernel ended its scheduler while the workload ran: non-existent DSQ 0x5$/m,
    );
  });

  test('on an older kernel a usdt program runs, and programs that it cannot run have a reason', async () => {
    const objects = ['denies.bpf.o', 'types-base.bpf.o'].map((name) => new URL(name, fixtures).pathname);
    const { stdout } = await bpfgate(['count', ...objects, '--kernels', '5.10']);
    // 5.10 tells such programs where they are by address, newer kernels by cookie.
    expect(stdout).toMatch(/types-base\/on_usdt +\d+ +workload: 4 events/);
    const lsm = 'denies/allows, denies/denies, types-base/on_lsm and types-base/on_lsm_bpf';
    expect(stdout).toContain(`${lsm}: did not run: this kernel runs no LSM program`);
    expect(stdout).toMatch(/on_kprobe_multi: did not run: the kernel refused kprobes at .*: kernel 5\.18 or newer/);
  });

  test('show what another kernel makes of them', async () => {
    const { folder, options } = makeObjects();
    const count = async (kernel: string) => {
      const { stdout } = await bpfgate(['count', 'base/probe.bpf.o', '--kernels', kernel, '--format', 'json'], options);
      return parseResults(stdout, 'stdout').measurements.filter(({ measure }) => measure !== 'load-time');
    };
    const given = ['--head-objects', 'base/*.o', '--kernels', '6.1', '--against', '5.10', '--out', 'out'];
    await bpfgate(['run', ...given], options);
    const { kernels, revisions, comparisons } = readResults(join(folder, 'out'));
    expect(kernels.map(({ id }) => id)).toEqual(['6.1']);
    expect(revisions.base.ref).toMatch(/^kernel 5\.10 \(5\.10\.\d+\)$/);
    const [old, now] = [await count('5.10'), await count('6.1')];
    const valueIn = (counted: typeof old, { benchmark, measure }: { benchmark: string; measure: string }) =>
      counted.find((each) => each.benchmark === benchmark && each.measure === measure)?.value;
    const compared = comparisons.filter(({ measure }) => measure !== 'load-time');
    expect(compared.map(({ base, head }) => ({ base, head }))).toEqual(
      compared.map((each) => ({ base: valueIn(old, each), head: valueIn(now, each) })),
    );
    expect(compared).toContainEqual(expect.objectContaining({ measure: 'jited-bytes', delta: expect.any(Number) }));
  });
});

test('unchanged objects are not loaded again, a missing one is removed, and a moved one is compared', async () => {
  const folder = temporaryFolder();
  const project = join(folder, 'project');
  const config = 'lanes = ["verifier"]\n[build]\ncommand = "true"\n';
  const source = readFileSync(new URL(sourceFile, fixtures));
  const same = { 'bpfgate.toml': config, 'core.bpf.o': agentFixture('core.bpf.o'), [sourceFile]: source };
  const probe = (revision: string) => readFileSync(new URL(`${revision}.bpf.o`, fixtures));
  commit(project, 'base', { ...same, 'probe.bpf.o': probe('base') });
  commit(project, 'changed', { 'probe.bpf.o': probe('head') });
  rmSync(join(project, 'probe.bpf.o'));
  commit(project, 'removed', {});
  commit(project, 'moved', { 'other.bpf.o': probe('head') });
  const compare = async (head: string) => {
    const out = join(folder, head);
    const which = ['--project', project, '--base', 'base', '--head', head, '--kernels', '6.1'];
    const { stderr } = await bpfgate(['run', ...which, '--out', out, '--audit', '0']);
    const { comparisons } = readResults(out);
    const loads = comparisons.filter(({ measure }) => measure === 'loads');
    const verdicts = Object.fromEntries(loads.map(({ benchmark, verdict }) => [benchmark, verdict]));
    const moves = loads.flatMap(({ benchmark, renamedFrom }) =>
      renamedFrom === undefined ? [] : [`${renamedFrom} → ${benchmark}`],
    );
    const grown = comparisons.flatMap(({ benchmark, measure, verdict }) =>
      measure === 'verified-instructions' && verdict === 'regression' ? [benchmark] : [],
    );
    const [loaded, taken] = [stderr.match(/(?<=loading ).*/g), stderr.match(/\w+ of \w+ are taken/g)];
    return { verdicts, moves, grown, loaded, taken };
  };
  const [core, ...programs] = ['core/element', 'probe/count', 'probe/parse', 'probe/same'] as const;
  const unchanged = Object.fromEntries(programs.map((name) => [name, 'unchanged']));
  expect(await compare('removed')).toEqual({
    verdicts: { [core]: 'unchanged', ...Object.fromEntries(programs.map((name) => [name, 'removed'])) },
    moves: [],
    grown: [],
    loaded: ['core, base', 'probe, base'],
    taken: null,
  });
  expect(await compare('changed')).toEqual({
    verdicts: { [core]: 'unchanged', ...unchanged, 'probe/parse': 'regression' },
    moves: [],
    grown: ['probe/count'],
    loaded: ['probe, head'],
    taken: ['objects of base are taken'],
  });
  expect(await compare('moved')).toEqual({
    verdicts: {
      [core]: 'unchanged',
      'other/count': 'unchanged',
      'other/same': 'unchanged',
      'other/parse': 'regression',
    },
    moves: ['count', 'parse', 'same'].map((name) => `probe/${name} → other/${name}`),
    grown: ['other/count'],
    loaded: ['other, head'],
    taken: ['objects of base are taken'],
  });
});

describe('what a loader fills in', () => {
  const kernels = ['5.10', '6.12'] as const;
  const loaded = [
    'core/element',
    ...['maps', 'kernel_version', 'configuration', 'addresses', 'jumped_to', 'jump', 'map_in_map'].map(
      (name) => `fixups/${name}`,
    ),
    ...['flavors', 'threshold', 'avoid_congestion'].map((name) => `fixups/${name}`),
    ...['replaces', 'types', 'calls_tagged', 'calls_tagged_too'].map((name) => `newer/${name}`),
  ];
  /** Programs that cannot be tried, and the reason for each. */
  const untried = {
    no_option: /`CONFIG_NO_SUCH_STRONG_OPTION` \(__kconfig\), which this kernel's configuration does not set/,
    no_symbol: /`no_such_strong_symbol` \(__ksym\), which this kernel does not have/,
    needs_sizeless: /^map "sizeless" cannot be made: the size of its keys or values is not known$/,
    needs_map:
      /^it needs `shared` of another object: join them with `bpftool gen object`, or declare it __ksym if it is the kernel's$/,
    needs_variable: /^it needs `limit` of another object/,
    needs_function: /^it needs `helper` of another object/,
    shared_member: /^it implements two members of structures \(struct_ops\)/,
    no_member:
      /^it implements `no_such_member` of `struct tcp_congestion_ops` \(struct_ops\), which this kernel's does not/,
    no_structure: /^it implements `struct no_such_ops` \(struct_ops\), which this kernel does not let BPF implement/,
    no_operation: /^no variable of the object's \.struct_ops sections has it as a member$/,
  };
  const untriedNewer = {
    replaces_unknown: /^it replaces a function \(freplace\), and its context does not show the program.s type/,
    needs_filter: /^map "filter" of type bloom_filter could not be made: EINVAL/,
  };
  /** What older and newer kernels load of the rest, and what they cannot try. */
  const differing = {
    // It has no tags, and with them no callback to look for.
    '5.10': {
      loaded: 'fixups/throws',
      name: 'newer/shares',
      reason: /^map "arena" of type arena could not be made: EINVAL: the type arena needs kernel 6\.9 or newer$/,
    },
    '6.12': {
      loaded: 'newer/shares',
      name: 'fixups/throws',
      reason: /^its exception callback `helper` is not in the object$/,
    },
  };
  let outcome: Outcome;
  let results: Results;

  beforeAll(async () => {
    let cleanUp = () => {};
    const folder = temporaryFolder((work) => {
      cleanUp = work;
    });
    const project = join(folder, 'project');
    const config = 'lanes = ["verifier"]\n[build]\ncommand = "true"\n';
    for (const revision of ['base', 'head']) {
      const objects = Object.fromEntries(
        ['core', 'fixups', 'newer'].map((name) => `${name}.bpf.o`).map((name) => [name, agentFixture(name)]),
      );
      commit(project, revision, { 'bpfgate.toml': config, revision, ...objects });
    }
    const out = join(folder, 'out');
    const which = ['--project', project, '--base', 'base', '--head', 'head', '--kernels', kernels.join(',')];
    outcome = await bpfgate(['run', ...which, '--out', out]);
    results = readResults(out);
    return cleanUp;
  });

  test('boots no guest for a head with equal objects', () => {
    expect(outcome.stderr.match(/booting .*, for \w+/g)).toHaveLength(kernels.length);
  });

  test.for(kernels)('loads the programs, and its neighbours are not affected, on %s', (kernel) => {
    const loads = results.measurements.filter((each) => each.kernel === kernel && each.measure === 'loads');
    const ofHead = loads.filter(({ revision }) => revision === 'head');
    const found = ofHead.map(({ benchmark, value }) => [benchmark, value]);
    // 5.10 refuses locks in sections of data, and has no functions for programs.
    const isNewer = kernel === '6.12' ? 1 : 0;
    const newer = ['fixups/guarded', 'fixups/flavor', 'newer/throws'].map((name) => [name, isNewer]);
    const all = [...loaded, differing[kernel].loaded];
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries([...all.map((name) => [name, 1]), ...newer]));
  });

  test.for(kernels)('gives the reason why each of the others cannot be verified, on %s', (kernel) => {
    const gaps = results.gaps.filter((each) => each.kernel === kernel && each.revision === 'head');
    const found = gaps.map(({ benchmark, reason }) => [benchmark, reason]);
    const reasons = [
      ...Object.entries(untried).map(([name, reason]) => [`fixups/${name}`, reason] as const),
      ...Object.entries(untriedNewer).map(([name, reason]) => [`newer/${name}`, reason] as const),
      [differing[kernel].name, differing[kernel].reason] as const,
    ];
    const wanted = reasons.map(([name, reason]) => [name, expect.stringMatching(reason)]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
  });
});
