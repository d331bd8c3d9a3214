// `npm run kernels:table`: boots every kernel that this machine has or can fetch ready-made, and counts the example
// on it. docs/kernels.md shows that, with all pins.

import { homedir } from 'node:os';
import { join } from 'node:path';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { type Cache, openCache } from '../../src/cache/cache.ts';
import { demoBase, makeDemoRepository } from '../../src/commands/demo-project.ts';
import { GateError, InterruptedError } from '../../src/common/errors.ts';
import { runGate } from '../../src/gate.ts';
import { cachedKernel, chooseKernels, listTreeKernels } from '../../src/kernels/cached.ts';
import { fetchKernel } from '../../src/kernels/fetch.ts';
import { compareKernels, readMissing, readPins } from '../../src/kernels/pins.ts';
import type { CachedKernel, KernelPin, SourcePin } from '../../src/model/kernel.ts';
import type { MeasurementRecord } from '../../src/report/results.ts';
import { bootFloor, bootLane, freshSnapshot, makeFloorInitramfs, prepareBoot } from '../boot/subjects.ts';
import { exampleGroups, type Host, withHost } from '../host.ts';
import { keepMeasured } from '../keep.ts';
import { readOptions, readPositive, withoutPaths } from '../options.ts';
import { firstLine, runRounds, type Subject } from '../rounds.ts';
import { kernelTables, type LeftOutKernel, type RanKernel, starts } from './tables.ts';

/** Timeout for a server to confirm that it has a tarball. */
const answerMs = 15_000;

const { given, command } = readOptions('kernels:table', { kernels: '', rounds: '3' }, ['seed']);

const log = openLog();
await runScript(log, async () => {
  const rounds = readPositive('rounds', given.rounds);
  const seed = given.seed === undefined ? Date.now() % 2 ** 32 : readPositive('seed', given.seed);
  const cache = openCache();
  const all = [...readPins(), ...listTreeKernels(cache)].sort(compareKernels);
  const pins = given.kernels === '' ? all : chooseKernels([given.kernels], cache);

  await withHost(exampleGroups, { cache, log }, async (host) => {
    const errors = new Map<string, string>();
    const folders = [host.folder, cache.root, packageRoot, homedir()];
    const note = (pin: KernelPin, error: unknown) => {
      if (error instanceof InterruptedError) throw error;
      const line = withoutPaths(firstLine(error), folders);
      log.warn(`${pin.id}: ${line}`);
      if (!errors.has(pin.id)) errors.set(pin.id, line);
    };
    const { runnable, leftOut } = await divide(pins, cache);

    const floor = await makeFloorInitramfs(host);
    const subjects: Subject[] = [];
    const booting: KernelPin[] = [];
    for (const pin of runnable) {
      try {
        const kernel = await fetchKernel(pin, { cache, log, signal: host.signal, environment: host.environment });
        subjects.push(...(await prepareSubjects(host, kernel, floor)));
        booting.push(pin);
      } catch (error) {
        note(pin, error);
      }
    }
    const samples = await runRounds(subjects, { rounds, seed, log });
    const measurements = await countExample(booting, host, note);

    await keepMeasured('kernels', {
      command,
      qemu: host.versions.qemu,
      conditions: { rounds, seed },
      tables: kernelTables({
        ran: runnable.map((pin): RanKernel => ({ pin, error: errors.get(pin.id) })),
        leftOut,
        missing: readMissing().filter(({ minor }) => pins.some((pin) => pin.minor === minor)),
        samples: samples.map((sample) => ({ ...sample, error: sample.error && withoutPaths(sample.error, folders) })),
        measurements,
      }),
      out: given.out,
      log,
    });
  });
});

/** Separates runnable kernels: Debian's are fetched ready-made; others run only if they are built already. */
async function divide(
  pins: readonly KernelPin[],
  cache: Cache,
): Promise<{ readonly runnable: KernelPin[]; readonly leftOut: LeftOutKernel[] }> {
  const runnable: KernelPin[] = [];
  const others: SourcePin[] = [];
  for (const pin of pins) {
    if (pin.origin !== 'source' || isCached(pin, cache)) runnable.push(pin);
    else others.push(pin);
  }
  const [first] = others;
  // All come from one server.
  const reason = first === undefined ? '' : await whyNotBuilt(first);
  return { runnable, leftOut: others.map((pin) => ({ pin, reason })) };
}

/** Whether the cache has the kernel. An unreadable entry counts, and fails when it is booted. */
function isCached(pin: KernelPin, cache: Cache): boolean {
  try {
    return cachedKernel(pin, cache) !== undefined;
  } catch {
    return true;
  }
}

async function whyNotBuilt({ url }: SourcePin): Promise<string> {
  const reached = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(answerMs) }).then(
    ({ ok }) => ok,
    () => false,
  );
  return reached
    ? 'it has not been built on this machine'
    : 'its tarball cannot be fetched from this machine, and it has not been built here';
}

async function prepareSubjects(host: Host, kernel: CachedKernel, floor: string): Promise<Subject[]> {
  const lane = await prepareBoot(host, kernel, 'tcg-icount');
  host.log.progress(`${kernel.pin.id}: saving the machine that the snapshot starts from`);
  await freshSnapshot(host, lane);
  await bootLane(host, lane, 'boot, saving a snapshot');
  const { id } = kernel.pin;
  return [
    { kernel: id, name: starts.floor, boot: () => bootFloor(host, kernel, floor) },
    { kernel: id, name: starts.cold, boot: () => bootLane(host, lane, 'boot') },
    { kernel: id, name: starts.snapshot, boot: () => bootLane(host, lane, 'snapshot') },
  ];
}

/** Counts the example's first revision on every kernel. */
async function countExample(
  pins: readonly KernelPin[],
  host: Host,
  note: (pin: KernelPin, error: unknown) => void,
): Promise<MeasurementRecord[]> {
  if (pins.length === 0) return [];
  const inputs = await readInputs({
    project: await makeDemoRepository(host.cache),
    base: demoBase,
    head: demoBase,
    kernels: pins.map(({ id }) => id).join(','),
    lanes: 'instructions',
    runner: 'vmtest',
    out: join(host.folder, 'out'),
  });
  // The page shows only the programs' counts.
  const config = { ...inputs.config, benches: inputs.config.benches.filter(({ name }) => name === 'macro') };
  try {
    const { results } = await runGate({ ...inputs, config }, host);
    for (const { id, error } of results.kernels) {
      const pin = pins.find((each) => each.id === id);
      if (error !== null && pin !== undefined) note(pin, error.message);
    }
    return results.measurements.filter(({ revision }) => revision === 'base');
  } catch (error) {
    // Every kernel failed, or the example does not build.
    if (!(error instanceof GateError)) throw error;
    for (const pin of pins) note(pin, error);
    return [];
  }
}
