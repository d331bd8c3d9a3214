// The gate with fake guests: the outcome of a run that is interrupted or fails everywhere, and when it removes what is
// kept for the next run.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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
import type { GuestRun } from '../src/model/guest-run.ts';
import type { KernelPin } from '../src/model/kernel.ts';
import { publishRun } from '../src/publish/write-outputs.ts';
import { exitCodeOf } from '../src/report/gate-verdict.ts';
import { renderMarkdown } from '../src/report/markdown.ts';
import { buildReport } from '../src/report/report-model.ts';
import type { GuestContext } from '../src/vm/guest.ts';
import { type Audit, type MeasureRequest, measureInGuest } from '../src/vm/measure-in-guest.ts';
import { timeInGuest } from '../src/vm/time-in-guest.ts';
import { hasNews } from '../src/workflow/workflow-run.ts';
import { commit } from './e2e/gated-project.ts';

vi.mock('../src/kernels/fetch.ts', () => ({ fetchKernel: vi.fn() }));
vi.mock('../src/vm/measure-in-guest.ts', () => ({ measureInGuest: vi.fn() }));
vi.mock('../src/vm/time-in-guest.ts', () => ({ timeInGuest: vi.fn() }));

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

function runOf(kernel: string, latency = 100, ofHead = latency): GuestRun {
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
    bench: 'counted',
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
    benches: ['base', 'head'].flatMap((revision) => {
      const stdoutText = print(revision === 'head' ? ofHead : latency);
      return [1, 2].map((reading) => ({ ...bench, stdoutText, revision, reading }));
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
    return { run: runOf(id, 100, ofHead), profiles: [], agent: { file: 'agent', version: 'a' }, audits: audits(id) };
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

  test('in the time lane keeps the counts', async () => {
    vi.mocked(timeInGuest).mockImplementation(async (_, { signal }) => {
      interrupt();
      signal?.throwIfAborted();
      return [];
    });
    const run = await gate({ '6.1': finishes, '6.12': finishes }, 'instructions,time');
    expect(timeInGuest).toHaveBeenCalledOnce();
    expect(run.results.kernels).toMatchObject([
      { id: '6.1', error: interrupted },
      { id: '6.12', error: interrupted },
    ]);
    expect(run.results.comparisons.map(({ kernel }) => kernel)).toEqual(['6.1', '6.12']);
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
      keys: ['k'],
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

test('what head removes from bpfgate.toml is reported', async () => {
  const project = join(folder, 'project');
  const own = readFileSync(join(project, 'bpfgate.toml'), 'utf8');
  const quiet = `${own}[[bench]]\nname = "slow"\ncommand = "true"\n`;
  rmSync(project, { recursive: true });
  commit(project, 'base', { 'bpfgate.toml': quiet });
  commit(project, 'head', { 'bpfgate.toml': `${own}[gate]\ninstructions = "off"\n` });
  const { results } = await gate({ '6.1': finishes });
  expect(results.verdict).toBe('pass');
  expect(results.project.configChanges).toEqual(['bench `slow` is gone', '`gate.instructions` was 0 % and is off']);
  expect(renderMarkdown(buildReport(results))).toContain(
    'What is measured, and how, is not as base has it: bench `slow` is gone; `gate.instructions` was 0 % and is off.',
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

test('an unreadable bpfgate.toml in base is reported', async () => {
  const project = join(folder, 'project');
  const own = readFileSync(join(project, 'bpfgate.toml'), 'utf8');
  rmSync(project, { recursive: true });
  commit(project, 'base', { 'bpfgate.toml': 'kernels = 7\n' });
  commit(project, 'head', { 'bpfgate.toml': own });
  const { results } = await gate({ '6.1': finishes });
  expect(results.project.configChanges).toEqual([
    expect.stringMatching(/^what base has cannot be read: bpfgate.toml:1: /),
  ]);
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
