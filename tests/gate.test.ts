// The gate with fake guests: the outcome of a run that is interrupted or fails everywhere, and when it removes what is
// kept for the next run.

import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { packageRoot } from '../src/adapters/package-root.ts';
import { readInputs } from '../src/adapters/read-inputs.ts';
import type { Cache } from '../src/cache/cache.ts';
import { isLocked } from '../src/cache/lock.ts';
import {
  BenchError,
  type GateError,
  InputError,
  InterruptedError,
  KernelError,
  VmError,
} from '../src/common/errors.ts';
import { type GateOptions, runGate } from '../src/gate.ts';
import { fetchKernel } from '../src/kernels/fetch.ts';
import { revisionNames } from '../src/model/build.ts';
import type { GuestRun } from '../src/model/guest-run.ts';
import type { KernelPin } from '../src/model/kernel.ts';
import { type Plan, planFor } from '../src/plan/plan.ts';
import { publishRun } from '../src/publish/write-outputs.ts';
import { exitCodeOf } from '../src/report/gate-verdict.ts';
import { renderMarkdown } from '../src/report/markdown.ts';
import { buildReport } from '../src/report/report-model.ts';
import type { GuestContext } from '../src/vm/guest.ts';
import { type Audit, type MeasureRequest, measureInGuest } from '../src/vm/measure-in-guest.ts';
import { hasNews } from '../src/workflow/workflow-run.ts';
import { commit } from './e2e/gated-project.ts';

vi.mock('../src/kernels/fetch.ts', () => ({ fetchKernel: vi.fn() }));
vi.mock('../src/vm/measure-in-guest.ts', () => ({ measureInGuest: vi.fn() }));

let folder: string;
let cache: Cache;
let out: string;
let interruption: AbortController;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-main-')));
  cache = { root: join(folder, 'cache') };
  out = join(folder, 'out');
  interruption = new AbortController();
  const toml =
    '[build]\ncommand = "true"\n[[bench]]\nname = "counted"\ncommand = "tell"\nformat = "bmf"\nobserve = false\n';
  commit(join(folder, 'project'), 'base', { 'bpfgate.toml': toml });
  commit(join(folder, 'project'), 'head', { 'other.txt': 'a change\n' });
  vi.mocked(fetchKernel).mockImplementation(async (pin: KernelPin) => kernelOf(pin));
});
afterEach(() => {
  vi.resetAllMocks();
  rmSync(folder, { recursive: true });
});

function kernelOf(pin: KernelPin) {
  return { pin, imageSha256: '0'.repeat(64) } as unknown as Awaited<ReturnType<typeof fetchKernel>>;
}

/** Counts of the benches that each revision plans. */
function runOf(kernel: string, latency = 100, ofHead = latency, plan?: Plan): GuestRun {
  const machine = {
    accelerator: 'tcg-icount',
    runner: 'vmtest',
    acceleratorReason: null,
    qemuVersion: '7.2',
    cpuModel: 'Nehalem',
    commandLine: 'quiet',
    startedFrom: 'boot',
    memoryMiB: 2048,
    agent: 'a',
    initramfs: 'i',
  } as const;
  const print = (value: number) => `{"x": {"latency": {"value": ${value}}}}`;
  const bench = {
    record: 'bench',
    exit_code: 0,
    signal: null,
    stderrTail: '',
    tookMs: 1,
    duration_ns: 1,
  };
  return {
    kernel,
    machine,
    kept: [],
    unproven: [],
    guest: { record: 'guest', release: `${kernel}.0`, cmdline: '' },
    benches: revisionNames.flatMap((revision) => {
      const stdoutText = print(revision === 'head' ? ofHead : latency);
      const names = plan === undefined ? ['counted'] : planFor(plan, revision).benches.map(({ name }) => name);
      return names.flatMap((name) =>
        [1, 2].map((reading) => ({ ...bench, bench: name, stdoutText, revision, reading })),
      );
    }),
    calibrations: [],
    programs: [],
    objects: [],
    loads: [],
    warnings: [],
  } as unknown as GuestRun;
}

/** The outcome of each kernel's guest. */
type Ends = Readonly<Record<string, (request: MeasureRequest, context: GuestContext) => Promise<void>>>;

const finished = new Set<string>();

async function gate(
  ends: Ends,
  lanes = 'instructions',
  audits = (_: string): Audit[] => [],
  { ofHead, ...options }: GateOptions & { ofHead?: number } = {},
) {
  finished.clear();
  vi.mocked(measureInGuest).mockImplementation(async (request, context) => {
    const { id } = request.kernel.pin;
    await ends[id]?.(request, context);
    finished.add(id);
    return {
      run: runOf(id, 100, ofHead, request.plan),
      profiles: [],
      agent: { file: 'agent', version: 'a' },
      audits: audits(id),
    };
  });
  const project = join(folder, 'project');
  const kernels = Object.keys(ends).join(',');
  const given = { project, base: 'base', head: 'head', kernels, lanes, out };
  const inputs = await readInputs(given, (option) => option);
  const log = { progress: (text: string) => said.push(text), warn: (text: string) => said.push(text) };
  const said: string[] = [];
  const context = { cache, environment: process.env, log, signal: interruption.signal };
  return await runGate(inputs, context, options);
}

const finishes = async () => {};
const failsWith = (error: GateError) => () => Promise.reject(error);
/** Hangs until the run is interrupted; then its QEMU is gone. */
const hangs = (_: MeasureRequest, { signal }: GuestContext) =>
  new Promise<void>((_resolve, reject) => {
    const end = () => reject(new VmError('the guest ended'));
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
const interrupt = () => interruption.abort(new InterruptedError('interrupted by SIGINT'));
/** Hangs, and interrupts the run once the other kernel has finished. */
const isInterruptedAfter = (kernel: string) => async (request: MeasureRequest, context: GuestContext) => {
  const hanging = hangs(request, context);
  hanging.catch(() => {});
  await vi.waitFor(() => expect(finished).toContain(kernel));
  // Delayed, so that the other kernel's result has been handed on by then.
  setImmediate(interrupt);
  await hanging;
};

const interrupted = { kind: 'machine', message: 'interrupted' };

describe('an interrupted run', () => {
  test('keeps the numbers of finished kernels, and reports the others as interrupted', async () => {
    const run = await gate({ '6.1': finishes, '6.12': isInterruptedAfter('6.1') });
    expect(run.results.verdict).toBe('error');
    expect(run.results.kernels).toMatchObject([
      { id: '6.1', error: null },
      { id: '6.12', error: interrupted },
    ]);
    expect(run.results.comparisons).toMatchObject([{ kernel: '6.1', verdict: 'unchanged' }]);
    expect(renderMarkdown(buildReport(run.results))).toContain('interrupted');
  });

  test('without a finished kernel has no result', async () => {
    const run = gate({
      '6.1': hangs,
      '6.12': async (...given) => {
        setImmediate(interrupt);
        await hangs(...given);
      },
    });
    await expect(run).rejects.toThrow(InterruptedError);
  });

  test("keeps another kernel's failure next to the numbers", async () => {
    const failure = new BenchError('bench `counted` exited with 1');
    const run = await gate({ '5.10': failsWith(failure), '6.1': finishes, '6.12': isInterruptedAfter('6.1') });
    expect(run.results.kernels.map(({ error }) => error?.message)).toEqual([failure.message, undefined, 'interrupted']);
  });

  test('is complete if the last kernel had finished', async () => {
    const run = await gate({
      '6.1': async () => {
        setImmediate(interrupt);
      },
    });
    await vi.waitFor(() => expect(interruption.signal.aborted).toBe(true));
    expect(run.results.kernels).toMatchObject([{ id: '6.1', error: null }]);
  });
});

describe('a run in which every kernel fails', () => {
  test('reports each kernel’s failure, and exits with their code', async () => {
    vi.mocked(fetchKernel).mockImplementation(async (pin) => {
      if (pin.id === '6.12') throw new KernelError('cannot fetch 6.12');
      return kernelOf(pin);
    });
    const run = await gate({ '6.1': failsWith(new VmError('6.1 panicked')), '6.12': finishes });
    expect(run.results.kernels.map(({ error }) => error?.message)).toEqual(['6.1 panicked', 'cannot fetch 6.12']);
    expect(run.results.verdict).toBe('error');
    expect(exitCodeOf(run.results)).toBe(3);
    const report = renderMarkdown(buildReport(run.results));
    for (const said of ['6.1 panicked', 'cannot fetch 6.12']) expect(report).toContain(said);
    await publishRun(run, out);
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toBe(report);
  });

  test('names its revisions also if nothing was built', async () => {
    vi.mocked(fetchKernel).mockImplementation(async ({ id }) => {
      throw new KernelError(`cannot fetch ${id}`);
    });
    const { results } = await gate({ '6.1': finishes, '6.12': finishes });
    expect(results.revisions).toMatchObject({ base: { ref: 'base', tools: {} }, head: { ref: 'head' } });
    expect(results.revisions.head.tree).toMatch(/^[0-9a-f]{40}$/);
  });

  test('exits with 4 if one failure is the project’s', async () => {
    const failed = { '6.1': failsWith(new VmError('lost')), '6.12': failsWith(new BenchError('it exited with 1')) };
    expect(exitCodeOf((await gate(failed)).results)).toBe(4);
  });

  test('is one error with a single kernel or a bad input', async () => {
    await expect(gate({ '6.1': failsWith(new VmError('6.1 panicked')) })).rejects.toThrow('6.1 panicked');
    const bad = { '6.1': failsWith(new VmError('lost')), '6.12': failsWith(new InputError('no such archive')) };
    await expect(gate(bad)).rejects.toThrow(InputError);
  });
});

test('the last kernel to finish gets the processors of the others', async () => {
  const waits = async (_: MeasureRequest, { guests }: GuestContext) => {
    await vi.waitFor(() => expect(guests?.concurrency).toBe(availableParallelism()), { timeout: 10_000 });
  };
  const { results } = await gate({ '6.1': finishes, '6.12': waits });
  expect(results.kernels.map(({ error }) => error)).toEqual([null, null]);
});

describe('a cached base that was counted again', () => {
  const drop = vi.fn(async () => {});
  const audit = (...latencies: [number, number]): Audit => {
    const [kept, now] = latencies.map((latency) => runOf('6.1', latency).benches);
    const benches = [...(kept ?? []).slice(0, 2), ...(now ?? []).slice(2)];
    return {
      revision: 'base',
      kind: 'benches',
      benches: benches.map(({ bench }) => bench),
      at: new Date(0),
      by: 'workflow run 7',
      key: 'k',
      both: { ...runOf('6.1'), benches },
      drop,
    };
  };

  test('is an error if a bench fails now, and is dropped', async () => {
    const { both, ...passed } = audit(100, 100);
    const benches = both.benches.map((bench) => ({ ...bench, exit_code: bench.revision === 'head' ? 1 : 0 }));
    const failed = { ...passed, both: { ...both, benches } };
    const { results } = await gate({ '6.1': finishes, '6.12': finishes }, 'instructions', (id) =>
      id === '6.1' ? [failed] : [],
    );
    expect(results.kernels[0]?.error?.message).toMatch(
      /differently from workflow run 7 at .*: bench `.*` exited with 1/,
    );
    expect(drop).toHaveBeenCalledOnce();
  });

  test('is an error that names both runs if the counts differ, and is dropped', async () => {
    const { results } = await gate({ '6.1': finishes, '6.12': finishes }, 'instructions', (id) =>
      id === '6.1' ? [audit(100, 101)] : [],
    );
    expect(results.verdict).toBe('error');
    expect(results.kernels.map(({ error }) => error?.message)).toEqual([
      'audit: kernel 6.1 counts base differently from workflow run 7 at 1970-01-01T00:00:00.000Z: counted/x latency was 100 then and is 101 now',
      undefined,
    ]);
    expect(drop).toHaveBeenCalledOnce();
  });

  test('is not reported if the counts agree', async () => {
    drop.mockClear();
    const { results } = await gate({ '6.1': finishes }, 'instructions', () => [audit(100, 100)]);
    expect(results.kernels).toMatchObject([{ error: null }]);
    expect(drop).not.toHaveBeenCalled();
  });
});

test('builds are locked only while the run needs them', async () => {
  const dirs: string[] = [];
  const looks = async ({ builds }: MeasureRequest) => {
    dirs.push(builds.base.dir, builds.head.dir);
    for (const dir of dirs) expect(await isLocked(dir)).toBe(true);
  };
  await gate({ '6.1': looks });
  expect(dirs).toHaveLength(2);
  for (const dir of dirs) expect(await isLocked(dir)).toBe(false);
});

describe('benches of two configurations', () => {
  const bench = (name: string, command = 'tell') =>
    `[[bench]]\nname = "${name}"\ncommand = "${command}"\nformat = "bmf"\n`;
  /** Commits each text as bpfgate.toml, undefined as none, and runs the gate. */
  const compare = async (
    base: string | undefined,
    head: string | undefined,
    more: Record<string, string> = {},
    lanes = 'instructions',
  ) => {
    const project = join(folder, 'project');
    rmSync(project, { recursive: true });
    commit(project, 'base', { 'other.txt': '', ...more, ...(base === undefined ? {} : { 'bpfgate.toml': base }) });
    rmSync(join(project, 'bpfgate.toml'), { force: true });
    commit(project, 'head', { 'other.txt': 'changed', ...(head === undefined ? {} : { 'bpfgate.toml': head }) });
    const commands: string[] = [];
    const listen = async ({ plan }: MeasureRequest) => {
      for (const revision of revisionNames) {
        const { benches } = planFor(plan, revision);
        commands.push(...benches.map(({ name, command }) => `${revision} ${name}: ${command}`));
      }
    };
    const { results } = await gate({ '6.1': listen }, lanes);
    const verdicts = results.comparisons.map(({ benchmark, verdict }) => `${benchmark} ${verdict}`);
    return { results, commands, verdicts, changes: results.project.configChanges };
  };
  const build = '[build]\ncommand = "true"\n';

  test('one that only head has is added, and passes', async () => {
    const { results, verdicts, changes } = await compare(build + bench('a'), build + bench('a') + bench('new'));
    expect(verdicts).toEqual(['a/x unchanged', 'new/x added']);
    expect([results.verdict, exitCodeOf(results), changes]).toEqual(['pass', 0, []]);
    expect(renderMarkdown(buildReport(results))).toContain('1 benchmark added');
  });

  test('one that only base has is removed, and named', async () => {
    const { results, verdicts, changes } = await compare(build + bench('a') + bench('old'), build + bench('a'));
    expect(verdicts).toEqual(['a/x unchanged', 'old/x removed']);
    expect([results.verdict, changes]).toEqual(['pass', ['bench `old` is gone']]);
  });

  test('one with another name is both', async () => {
    const { verdicts } = await compare(build + bench('old'), build + bench('new'));
    expect(verdicts.toSorted()).toEqual(['new/x added', 'old/x removed']);
  });

  test('one that both have runs by the command of each, and is named', async () => {
    const { commands, verdicts, changes } = await compare(build + bench('a', 'one'), build + bench('a', 'two'));
    expect(commands).toEqual(['base a: one', 'head a: two']);
    expect(verdicts).toEqual(['a/x unchanged']);
    expect(changes).toEqual(['`command` of bench `a` was one and is two']);
  });

  const manifest = { Makefile: 'all:\n\ttest ! -e broken\n' };
  const detected = ['`build.command` was make and is true', expect.stringMatching(/^inputs `arp`, .* are gone$/)];

  test('are what is detected where base has no bpfgate.toml', async () => {
    const { commands, changes } = await compare(undefined, build + bench('a'), manifest);
    expect(commands).toEqual(['head a: tell']);
    expect(changes).toEqual(['base has no bpfgate.toml, so it is measured as detected', ...detected]);
    expect((await compare(undefined, build + bench('a'))).verdicts).toEqual(['a/x added']);
  });

  test('are what is detected in head that deletes its bpfgate.toml, and limits are named', async () => {
    const base = `${build}${bench('a')}[gate]\ninstructions = "1%"\n`;
    const { changes, verdicts } = await compare(base, undefined, manifest, 'instructions,verifier');
    expect(verdicts).toEqual(['a/x removed']);
    expect(changes).toEqual([
      '`gate.instructions` was 1 % and is 0 %',
      'head has no bpfgate.toml, so it is measured as detected',
      'bench `a` is gone',
      '`build.command` was true and is make',
    ]);
  });

  test.each([
    ['as detected', undefined, 'make'],
    ['by its own command', '[build]\ncommand = "exit 3"\n', 'exit 3'],
  ])(
    'are none of base where it does not build %s and head is built otherwise, which is named',
    async (_, base, command) => {
      const { results, verdicts, changes } = await compare(base, build + bench('a'), { ...manifest, broken: '' });
      expect([results.verdict, verdicts]).toEqual(['pass', ['a/x added']]);
      expect(changes[0]).toMatch(/^nothing is built in base, whose own build failed: the build of base /);
      expect(changes[0]).toContain(`: ${command}`);
    },
  );

  test('are not asked for again where head itself does not build', async () => {
    const failing = '[build]\ncommand = "exit 3"\n';
    await expect(compare(build.replace('true', ':') + bench('a'), failing + bench('a'))).rejects.toThrow(
      /^the build of head /,
    );
    const kept = globSync('builds/*/*.seal', { cwd: cache.root });
    expect(kept).toHaveLength(1);
  });

  test.each([
    ['no TOML', 'kernels = 7\n', /^what base has cannot be read, so it is measured as detected: bpfgate.toml:1: /],
    [
      'an input without its file',
      `${build}[[input]]\nname = "own"\nfile = "a.pcap"\n`,
      /as detected: .*no file a\.pcap/,
    ],
  ])('are what is detected where base has %s', async (_, base, change) => {
    const { results, changes } = await compare(base, build + bench('a'), manifest);
    expect(changes).toEqual([expect.stringMatching(change), ...detected]);
    expect(results.verdict).toBe('pass');
  });

  test("are those of head's own commit, or the working tree's for both if that is asked for", async () => {
    const checkOut = (ref: string) =>
      execFileSync('git', ['checkout', '--quiet', ref], { cwd: join(folder, 'project') });
    await compare(build, build + bench('a'));
    const run = async (options: GateOptions) => {
      const { results } = await gate({ '6.1': finishes }, 'instructions,verifier', undefined, options);
      return results.comparisons.map(({ benchmark, verdict }) => `${benchmark} ${verdict}`);
    };
    expect(await run({ isConfigShared: true })).toEqual(['a/x unchanged']);
    checkOut('base');
    expect(await run({})).toEqual(['a/x added']);
  });
});

test('what a pull request changes without a word of its own is in the headline', { tags: ['hostile'] }, async () => {
  const project = join(folder, 'project');
  const compare = async (base: Record<string, string | Uint8Array>, head: Record<string, string | Uint8Array>) => {
    rmSync(project, { recursive: true });
    commit(project, 'base', base);
    commit(project, 'head', head);
    const { results } = await gate({ '6.1': finishes });
    return renderMarkdown(buildReport(results))
      .split('\n')
      .find((line) => line.includes('Changed configuration'));
  };
  const bench = '[[bench]]\nname = "a"\ncommand = "tell"\nformat = "bmf"\n';
  // The first bpfgate.toml, with limits off.
  const off = `${bench}[gate]\ninstructions = "off"\nverifier = "off"\n`;
  expect(await compare({ Makefile: 'all:\n' }, { 'bpfgate.toml': off })).toContain(
    'Changed configuration: `gate.instructions` was 0 % and is off; `gate.verifier` was 0 % and is off; base has no',
  );
  // Another packet in the file of an input.
  const packet = readFileSync(join(packageRoot, 'packets', 'arp.pcap'));
  const toml = `[build]\ncommand = "true"\n${bench}[[input]]\nname = "own"\nfile = "own.pcap"\n`;
  const other = Buffer.from(packet).fill(1, packet.length - 1);
  expect(await compare({ 'bpfgate.toml': toml, 'own.pcap': packet }, { 'own.pcap': other })).toMatch(
    /Changed configuration: `bytes` of input `own` was 0x[0-9a-f…]+ and is 0x/,
  );
});

test('each revision is built by its own command, and another one is named', async () => {
  const project = join(folder, 'project');
  rmSync(project, { recursive: true });
  const building = (what: string) =>
    `[build]\ncommand = "echo ${what} >built"\n[[bench]]\nname = "a"\ncommand = "tell"\nformat = "bmf"\n`;
  commit(project, 'base', { 'bpfgate.toml': building('one') });
  commit(project, 'head', { 'bpfgate.toml': building('two') });
  const built: string[] = [];
  const look = async ({ builds }: MeasureRequest) => {
    built.push(...revisionNames.map((revision) => readFileSync(join(builds[revision].dir, 'built'), 'utf8')));
  };
  const { results } = await gate({ '6.1': look });
  expect(built).toEqual(['one\n', 'two\n']);
  expect(results.project.configChanges).toEqual(['`build.command` was echo one >built and is echo two >built']);
});

test('what head removes from bpfgate.toml is reported', async () => {
  const project = join(folder, 'project');
  const own = readFileSync(join(project, 'bpfgate.toml'), 'utf8');
  const quiet = `${own}[[bench]]\nname = "slow"\ncommand = "true"\n`;
  rmSync(project, { recursive: true });
  commit(project, 'base', { 'bpfgate.toml': quiet });
  commit(project, 'head', { 'bpfgate.toml': `${own}[gate]\ninstructions = "off"\n` });
  const { results } = await gate({ '6.1': finishes });
  expect(results.verdict).toBe('pass');
  expect(results.project.configChanges).toEqual(['`gate.instructions` was 0 % and is off', 'bench `slow` is gone']);
  expect(renderMarkdown(buildReport(results))).toContain(
    'Changed configuration: `gate.instructions` was 0 % and is off; bench `slow` is gone.',
  );
  expect(hasNews(results)).toBe(true);
});

test('a trailer of a commit between base and head accepts a regression, if the caller lets it', async () => {
  const project = join(folder, 'project');
  const who = ['-c', 'user.name=e2e', '-c', 'user.email=e2e@bpfgate.invalid', '-c', 'commit.gpgsign=false'];
  const message = 'change\n\nbpfgate-accept: x latency +50 IPv6';
  execFileSync('git', [...who, 'commit', '--quiet', '--allow-empty', '--message', message], { cwd: project });
  execFileSync('git', ['tag', '--force', 'head'], { cwd: project });
  const { results } = await gate({ '6.1': finishes }, undefined, undefined, { ofHead: 150 });
  expect(results.accepts).toEqual([{ text: 'x latency +50 IPv6', by: expect.stringMatching(/^commit [0-9a-f]{10}$/) }]);
  expect(results.comparisons).toMatchObject([{ verdict: 'regression', accepted: { reason: 'IPv6' } }]);
  expect([results.verdict, exitCodeOf(results)]).toEqual(['pass', 0]);
  const refused = await gate({ '6.1': finishes }, undefined, undefined, { ofHead: 150, acceptsOf: () => [] });
  expect([refused.results.verdict, exitCodeOf(refused.results)]).toEqual(['regression', 1]);
});

test('what head changes next to the line of a finding is in the result', async () => {
  const project = join(folder, 'project');
  const own = readFileSync(join(project, 'bpfgate.toml'), 'utf8');
  rmSync(project, { recursive: true });
  commit(project, 'base', { 'bpfgate.toml': own });
  commit(project, 'head', { 'bpfgate.toml': own.replace('"tell"', '"tell --more"') });
  const { results } = await gate({ '6.1': finishes }, 'instructions', undefined, { ofHead: 150 });
  const source = { file: 'bpfgate.toml', line: 4 };
  expect(results.comparisons).toMatchObject([{ verdict: 'regression', source }]);
  expect(results.diffs).toEqual([{ source, removed: ['command = "tell"'], added: ['command = "tell --more"'] }]);
});
