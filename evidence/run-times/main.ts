// `npm run run-times -- --against REV`: times runs of this version and of another by turns: a first run, the same commit
// again, one changed line, three kernels, and objects alone. docs/benchmarks/run-times.md shows it.

import { appendFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { run, runOrThrow } from '../../src/adapters/process.ts';
import { removeTree } from '../../src/adapters/remove-tree.ts';
import { withTemporaryFolder } from '../../src/adapters/temporary-folder.ts';
import { openCache } from '../../src/cache/cache.ts';
import { InputError, MachineError } from '../../src/common/errors.ts';
import { keepMeasured } from '../keep.ts';
import { readOptions, readPositive } from '../options.ts';
import { commitAll } from '../repository.ts';
import { followReadings, measureFloor, type Readings } from './floor.ts';
import { type Run, runTimesTables, type Scenario, scenarios } from './tables.ts';

const { given, command } = readOptions('run-times', { against: '', rounds: '3' });
const kernels = '5.10,6.1,6.12';
const objectCount = 50;
const timeoutMs = 3_600_000;
/** Entries of a cache that no run of a gate makes. */
const installed = ['tools', 'rust-src', 'downloads', 'kernels', 'kernels-2', 'sums'];

const log = openLog();
await runScript(log, async () => {
  if (given.against === '') throw new InputError('--against REV is needed: the version to compare with');
  const rounds = readPositive('rounds', given.rounds);
  await withTemporaryFolder(join(tmpdir(), 'bpfgate-run-times-'), async (folder) => {
    const versions = [await prepare('HEAD', join(folder, 'own')), await prepare(given.against, join(folder, 'other'))];
    const runs: Run[] = [];
    const floors: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      for (const scenario of scenarios) {
        // Which version comes first changes, as the machine may.
        for (const version of round % 2 === 0 ? versions.toReversed() : versions) {
          const seconds = (await version.time(scenario, round)) / 1000;
          log.progress(`round ${round}: ${scenario}, ${version.commit}: ${seconds.toFixed(1)} s`);
          runs.push({ commit: version.commit, scenario, seconds });
          if (scenario === 'first' && version === versions[0]) floors.push(await version.floor());
        }
      }
    }
    const [own, other] = versions.map(({ commit }) => commit);
    await keepMeasured('run-times', {
      command,
      qemu: await runOrThrow('qemu-system-x86_64', ['--version']),
      tables: runTimesTables(
        runs,
        { own: own ?? '', other: other ?? '' },
        {
          floors,
          seconds: new Map(versions.map(({ commit, readings }) => [commit, readings.map((each) => each.seconds)])),
        },
      ),
      out: given.out,
      log,
    });
  });
});

interface Version {
  readonly commit: string;
  /** Wall time, in milliseconds. */
  time(scenario: Scenario, round: number): Promise<number>;
  /** Readings of the first runs so far. */
  readonly readings: readonly Readings[];
  /** Floor of the readings of the last first run, in seconds. */
  floor(): Promise<number>;
}

/** Puts a version into a folder of its own, with a cache that holds this machine's tools and kernels. */
async function prepare(revision: string, folder: string): Promise<Version> {
  const git = (...args: string[]) => runOrThrow('git', args, { cwd: packageRoot });
  const commit = (await git('rev-parse', '--short', `${revision}^{commit}`)).trim();
  const checkout = join(folder, 'bpfgate');
  const cache = join(folder, 'cache');
  await mkdir(folder, { recursive: true });
  await runOrThrow('git', ['clone', '--quiet', packageRoot, checkout]);
  await runOrThrow('git', ['checkout', '--quiet', commit], { cwd: checkout });
  for (const entry of installed) {
    await cp(join(openCache().root, entry), join(cache, entry), { recursive: true }).catch(() => {});
  }
  const bpfgate = async (...args: string[]) => await follow(args);
  const follow = async (args: readonly string[], onLine: (line: string) => void = () => {}) => {
    const startedAt = performance.now();
    const options = { cwd: folder, variables: { BPFGATE_CACHE: cache }, timeoutMs, onLine };
    const result = await run(process.execPath, [join(checkout, 'bin', 'bpfgate'), ...args], options);
    // Some of these runs find a regression.
    if (result.exitCode === 0 || result.exitCode === 1) return performance.now() - startedAt;
    throw new MachineError(`${commit}: bpfgate ${args.join(' ')} exited with ${result.exitCode}: ${result.stderr}`);
  };
  log.progress(`${commit}: installing what is missing of its tools and kernels`);
  await bpfgate('doctor', '--install');
  await bpfgate('kernels', 'fetch', ...kernels.split(','));
  // The other version may have no audits.
  const isOwn = (await runOrThrow(process.execPath, [join(checkout, 'bin', 'bpfgate'), 'run', '--help'])).includes(
    '--audit',
  );
  const out = ['--out', join(folder, 'out'), ...(isOwn ? ['--audit', '0'] : [])];
  const firstOut = join(folder, 'first-out');
  const readings: Readings[] = [];
  const objects = join(folder, 'objects');
  await makeObjects(objects);
  const demo = async () => {
    const [entry = ''] = (await readdir(join(cache, 'demo'))).filter((each) => !each.startsWith('.'));
    return join(cache, 'demo', entry, 'example-project');
  };
  /** Gates a commit that changes one more line of the demo's head. */
  const change = async (round: number, on: string) => {
    const cwd = await demo();
    const file = join(cwd, 'xdp-common', 'src', 'source_addr.rs');
    // No packet of the benches comes from there, so they do what they did.
    const address = 0xffff_0000 + 2 * round + on.split(',').length;
    await runOrThrow('git', ['checkout', '--quiet', '--detach', 'head'], { cwd });
    await writeFile(file, (await readFile(file, 'utf8')).replace('if is_fib', `if address != ${address} && is_fib`));
    await commitAll(cwd, `changed-${round}-${on}`);
    const which = ['--project', cwd, '--base', 'base', '--head', 'HEAD', '--kernels', on];
    return await bpfgate('run', ...which, ...out);
  };
  const compareObjects = async (head: string) =>
    await bpfgate('run', '--project', objects, '--base', 'base', '--head', head, '--kernels', '6.1', ...out);
  const runs: Readonly<Record<Scenario, (round: number) => Promise<number>>> = {
    first: async () => {
      for (const entry of await readdir(cache)) {
        if (!installed.includes(entry)) await removeTree(join(cache, entry));
      }
      const followed = followReadings();
      const ms = await follow(['demo', '--kernels', '6.1', ...out, '--out', firstOut], followed.onLine);
      readings.push(followed.readings());
      return ms;
    },
    again: () => bpfgate('demo', '--kernels', '6.1', ...out),
    line: (round) => change(round, '6.1'),
    kernels: async (round) => {
      // Base is known on all of them by then.
      await bpfgate('demo', '--kernels', kernels, ...out);
      return await change(round, kernels);
    },
    objects: async (round) => {
      // Base is known by then.
      await compareObjects('base');
      await appendFile(join(objects, 'object1.bpf.o'), '.');
      await commitAll(objects, `head-${round}`);
      return await compareObjects('HEAD');
    },
  };
  return {
    commit,
    time: (scenario, round) => runs[scenario](round),
    readings,
    floor: () => measureFloor(firstOut, readings.at(-1)?.numbers ?? new Map(), cache),
  };
}

/** Makes a repository of 50 objects. */
async function makeObjects(folder: string): Promise<void> {
  await mkdir(folder);
  const object = await readFile(join(packageRoot, 'vm', 'agent', 'tests', 'fixtures', 'good.bpf.o'));
  await writeFile(join(folder, 'bpfgate.toml'), 'lanes = ["verifier"]\n[build]\ncommand = "true"\n');
  for (let number = 1; number <= objectCount; number++) {
    // Bytes after the sections make it another file with the same programs.
    await writeFile(join(folder, `object${number}.bpf.o`), Buffer.concat([object, Buffer.from(`${number}`)]));
  }
  await commitAll(folder, 'base');
}
