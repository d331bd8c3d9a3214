// `npm run probe-overhead`: measures the cost of a probe on several kernels, in instructions and in nanoseconds.
// docs/benchmarks/probe-overhead.md shows it.

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { runOrThrow } from '../../src/adapters/process.ts';
import { openCache } from '../../src/cache/cache.ts';
import { BuildError, InterruptedError } from '../../src/common/errors.ts';
import { chooseKernels } from '../../src/kernels/cached.ts';
import { fetchKernel } from '../../src/kernels/fetch.ts';
import type { Accelerator } from '../../src/model/guest-run.ts';
import type { CachedKernel } from '../../src/model/kernel.ts';
import { prepareBoot } from '../boot/subjects.ts';
import { exampleGroups, type Host, withHost } from '../host.ts';
import { keepMeasured } from '../keep.ts';
import { readOptions, readPositive, withoutPaths } from '../options.ts';
import { formatLoad, readLoad } from '../record.ts';
import { firstLine } from '../rounds.ts';
import { runInGuest } from './guest.ts';
import { parseProbeCosts } from './results.ts';
import { type KernelCosts, type LaneCosts, probeTables } from './tables.ts';

const { given, command } = readOptions(
  'probe-overhead',
  {
    kernels: '5.8:tree,5.10,6.1,6.12,6.18,7.3',
    // Used for nanoseconds. Instructions take one pass of few rounds, because only timer ticks disturb them.
    passes: '5',
    rounds: '200',
    calls: '64',
  },
  // Path of an executable that is already built.
  ['bench'],
);

const instructionRounds = 16;

const log = openLog();
await runScript(log, async () => {
  const rounds = readPositive('rounds', given.rounds);
  const passes = readPositive('passes', given.passes);
  const calls = readPositive('calls', given.calls);
  const cache = openCache();

  await withHost(exampleGroups, { cache, log }, async (host) => {
    const bench = given.bench === undefined ? await buildBench(host) : resolve(given.bench);
    const before = readLoad();
    const folders = [host.folder, cache.root, packageRoot, homedir()];
    const lineOf = (id: string, error: unknown) => {
      if (error instanceof InterruptedError) throw error;
      const line = withoutPaths(firstLine(error), folders);
      log.warn(`${id}: ${line}`);
      return line;
    };
    const measure = async (
      kernel: CachedKernel,
      accelerator: Accelerator,
      counts: { readonly passes: number; readonly rounds: number },
    ): Promise<LaneCosts> => {
      const { id } = kernel.pin;
      try {
        log.progress(`${id}: measuring under ${accelerator}`);
        const options = Object.entries({ ...counts, calls }).flatMap(([name, value]) => [`--${name}`, String(value)]);
        const output = await runInGuest(host, await prepareBoot(host, kernel, accelerator), [bench, ...options]);
        return { found: parseProbeCosts(output, `the bench on ${id}`) };
      } catch (error) {
        return { error: lineOf(id, error) };
      }
    };

    const kernels: KernelCosts[] = [];
    for (const selector of given.kernels.split(',')) {
      try {
        for (const pin of chooseKernels([selector], cache)) {
          const kernel = await fetchKernel(pin, { cache, log, signal: host.signal, environment: host.environment });
          kernels.push({
            id: pin.id,
            release: pin.release,
            instructions: await measure(kernel, 'tcg-icount', { passes: 1, rounds: instructionRounds }),
            nanoseconds: await measure(kernel, 'tcg', { passes, rounds }),
          });
        }
      } catch (error) {
        const line = lineOf(selector, error);
        kernels.push({ id: selector, release: null, instructions: { error: line }, nanoseconds: { error: line } });
      }
    }

    await keepMeasured('probe-overhead', {
      command,
      qemu: host.versions.qemu,
      conditions: {
        'rounds for instructions': instructionRounds,
        'for nanoseconds': `${passes} × ${rounds}`,
        'calls a round': calls,
        load: formatLoad(before),
      },
      tables: probeTables(kernels),
      out: given.out,
      log,
    });
  });
});

/**
 * Builds the bench on the host.
 *
 * @returns absolute path of the executable, which is the same in guests
 */
async function buildBench(host: Host): Promise<string> {
  log.progress('building the bench');
  const project = join(packageRoot, 'example-project');
  const argv = [
    ...['bench', '--no-run', '--locked', '--message-format', 'json-render-diagnostics'],
    ...['--package', 'probe-overhead', '--bench', 'probe_overhead'],
  ];
  const output = await runOrThrow('cargo', argv, { cwd: project, env: host.environment, signal: host.signal });
  const executables = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): unknown => JSON.parse(line))
    .flatMap((message) =>
      typeof message === 'object' && message !== null && 'executable' in message ? [message.executable] : [],
    )
    .filter((executable) => typeof executable === 'string');
  const executable = executables.at(-1);
  if (executable === undefined) throw new BuildError('cargo did not say where it built the bench `probe_overhead`');
  return executable;
}
