// `npm run run-times -- --against REV`: how long runs of this version take beside those of another one, by turns, and
// docs/benchmarks/run-times.md of it: a first run, a change of one line, the same commit again, three kernels in the place of
// one, and objects alone.

import { appendFile, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openLog } from '../src/adapters/log.ts';
import { packageRoot } from '../src/adapters/package-root.ts';
import { run, runOrThrow } from '../src/adapters/process.ts';
import { removeTree } from '../src/adapters/remove-tree.ts';
import { InputError, MachineError } from '../src/errors.ts';
import { describeMachine, formatTime } from './boot-times/host.ts';
import { commandOf, readPositive, runScript } from './boot-times/options.ts';
import {
  type Measured,
  renderRunTimes,
  type Scenario,
  scenarios,
  type VersionName,
  versions,
} from './run-times/page.ts';

const defaults = { against: '', rounds: '3' };
const { values: given } = parseArgs({
  options: {
    against: { type: 'string', default: defaults.against },
    rounds: { type: 'string', default: defaults.rounds },
    out: { type: 'string', default: join(packageRoot, 'docs', 'benchmarks', 'run-times.md') },
  },
});
const objectCount = 50;
const timeoutMs = 3_600_000;
/** What of the cache is not made by runs. */
const installed = ['tools', 'rust-src', 'downloads', 'kernels', 'kernels-2', 'sums', 'kvm-failures'];

const log = openLog();
await runScript(log, async () => {
  if (given.against === '') throw new InputError('--against REV is needed: the version to compare with');
  const rounds = readPositive('rounds', given.rounds);
  const git = (...args: string[]) => runOrThrow('git', args, { cwd: packageRoot });
  const folder = await mkdtemp(join(tmpdir(), 'bpfgate-run-times-'));
  try {
    const commits = { own: 'HEAD', other: given.against } as const;
    const prepared: Version[] = [];
    for (const name of versions) {
      const commit = (await git('rev-parse', '--short', `${commits[name]}^{commit}`)).trim();
      prepared.push(await prepare(name, commit, join(folder, name)));
    }
    const measured: Measured[] = [];
    for (let round = 1; round <= rounds; round++) {
      for (const scenario of scenarios) {
        // Which comes first changes, as the machine may.
        for (const version of round % 2 === 0 ? prepared.toReversed() : prepared) {
          const ms = await version.time(scenario, round);
          log.progress(`round ${round}: ${scenario}, ${version.name}: ${(ms / 1000).toFixed(1)} s`);
          measured.push({ version: version.name, scenario, round, ms });
        }
      }
    }
    const page = renderRunTimes({
      command: commandOf('run-times', { against: given.against, rounds: given.rounds }, defaults),
      time: formatTime(new Date()),
      machine: describeMachine(await runOrThrow('qemu-system-x86_64', ['--version'])),
      commits: { own: prepared[0]?.commit ?? '', other: prepared[1]?.commit ?? '' },
      measured,
    });
    const file = resolve(given.out);
    await writeFile(file, page);
    await writeFile(file.replace(/\.md$/, '.json'), `${JSON.stringify(measured)}\n`);
    log.clear();
    process.stdout.write(page);
  } finally {
    await removeTree(folder);
  }
});

interface Version {
  readonly name: VersionName;
  readonly commit: string;
  /** Wall time, in milliseconds. */
  time(scenario: Scenario, round: number): Promise<number>;
}

/** A version in a folder of its own, with a cache that holds its tools and kernels. */
async function prepare(name: VersionName, commit: string, folder: string): Promise<Version> {
  const checkout = join(folder, 'bpfgate');
  const cache = join(folder, 'cache');
  await mkdir(folder);
  await runOrThrow('git', ['clone', '--quiet', packageRoot, checkout]);
  await runOrThrow('git', ['checkout', '--quiet', commit], { cwd: checkout });
  const bpfgate = async (...args: string[]) => {
    const start = performance.now();
    const options = { cwd: folder, variables: { BPFGATE_CACHE: cache }, timeoutMs };
    const result = await run(process.execPath, [join(checkout, 'bin', 'bpfgate'), ...args], options);
    // A regression is what it is to find.
    if (result.exitCode === 0 || result.exitCode === 1) return performance.now() - start;
    throw new MachineError(`${commit}: bpfgate ${args.join(' ')} exited with ${result.exitCode}: ${result.stderr}`);
  };
  log.progress(`${name} (${commit}): installing its tools and fetching kernels`);
  await bpfgate('doctor', '--install', '--project', join(checkout, 'example-project'));
  await bpfgate('kernels', 'fetch', '5.10', '6.1', '6.12');
  // The other version may have no audits yet.
  const out = ['--out', join(folder, 'out'), ...(name === 'own' ? ['--audit', '0'] : [])];
  const objects = join(folder, 'objects');
  await makeObjects(objects);
  const demo = async () => {
    const [entry = ''] = (await readdir(join(cache, 'demo'))).filter((each) => !each.startsWith('.'));
    return join(cache, 'demo', entry, 'example-project');
  };
  /** The demo's head with one more line changed, as a commit. */
  const change = async (round: number, kernels: string) => {
    const cwd = await demo();
    const file = join(cwd, 'xdp-common', 'src', 'source_addr.rs');
    const factor = 15 * (2 * round + kernels.split(',').length);
    await runOrThrow('git', ['checkout', '--quiet', '--detach', 'head'], { cwd });
    await writeFile(file, (await readFile(file, 'utf8')).replace('is_multiple_of(15)', `is_multiple_of(${factor})`));
    await commitAll(cwd, `changed-${round}-${kernels}`);
    const which = ['--project', cwd, '--base', 'base', '--head', 'HEAD', '--kernels', kernels];
    return await bpfgate('run', ...which, ...out);
  };
  const compareObjects = async (head: string) =>
    await bpfgate('run', '--project', objects, '--base', 'base', '--head', head, '--kernels', '6.1', ...out);
  const runs: Readonly<Record<Scenario, (round: number) => Promise<number>>> = {
    first: async () => {
      for (const entry of await readdir(cache)) {
        if (!installed.includes(entry)) await removeTree(join(cache, entry));
      }
      return await bpfgate('demo', '--kernels', '6.1', ...out);
    },
    again: () => bpfgate('demo', '--kernels', '6.1', ...out),
    line: (round) => change(round, '6.1'),
    kernels: async (round) => {
      // Base is known on all of them by then.
      await bpfgate('demo', '--kernels', '5.10,6.1,6.12', ...out);
      return await change(round, '5.10,6.1,6.12');
    },
    objects: async (round) => {
      // Base is known by then.
      await compareObjects('base');
      await appendFile(join(objects, 'object1.bpf.o'), '.');
      await commitAll(objects, `head-${round}`);
      return await compareObjects('HEAD');
    },
  };
  return { name, commit, time: (scenario, round) => runs[scenario](round) };
}

/** A repository of 50 objects. */
async function makeObjects(folder: string): Promise<void> {
  await mkdir(folder);
  const object = await readFile(join(packageRoot, 'vm', 'agent', 'tests', 'fixtures', 'good.bpf.o'));
  await writeFile(join(folder, 'bpfgate.toml'), 'lanes = ["verifier"]\n[build]\ncommand = "true"\n');
  for (let number = 1; number <= objectCount; number++) {
    // What follows the sections makes it another file, and no other program.
    await writeFile(join(folder, `object${number}.bpf.o`), Buffer.concat([object, Buffer.from(`${number}`)]));
  }
  await runOrThrow('git', ['init', '--quiet'], { cwd: folder });
  await commitAll(folder, 'base');
}

async function commitAll(cwd: string, tag: string): Promise<void> {
  const who = ['-c', 'user.name=bpfgate', '-c', 'user.email=times@bpfgate.invalid', '-c', 'commit.gpgsign=false'];
  await runOrThrow('git', ['add', '--all'], { cwd });
  await runOrThrow('git', [...who, 'commit', '--quiet', '--message', tag], { cwd });
  await runOrThrow('git', ['tag', '--force', tag], { cwd });
}
