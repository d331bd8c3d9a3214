// `npm run sharding-gain`: measures how long shards of a project's benches take on one kernel, compared with all
// benches in one run, alternating on this machine. docs/scaling.md shows it.

import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { openCache } from '../../src/cache/cache.ts';
import { runGate } from '../../src/gate.ts';
import { formatShard } from '../../src/inputs/shard.ts';
import type { Shard } from '../../src/model/inputs.ts';
import { type Host, withHost } from '../host.ts';
import { keepMeasured } from '../keep.ts';
import { readOptions, readPositive } from '../options.ts';
import { formatLoad, readLoad } from '../record.ts';
import { commitAll } from '../repository.ts';
import { randomFrom, shuffle } from '../statistics.ts';
import { nameShard, type ShardSample, shardingTables, shardsOf } from './tables.ts';

const { given, command } = readOptions('sharding-gain', { kernel: '6.1', rounds: '3', seed: '1' });

const benches = 6;
const counts = [2, 6];
/** Loads three programs one after the other, and runs each 200,000 times. */
const benchCommand = './many 3 200000';

const log = openLog();
await runScript(log, async () => {
  const rounds = readPositive('rounds', given.rounds);
  const random = randomFrom(readPositive('seed', given.seed));
  await withHost([], { cache: openCache(), log }, async (host) => {
    const project = await makeProject(host.folder);
    const shards = [null, ...counts.flatMap(shardsOf)];
    const before = readLoad();
    const samples: ShardSample[] = [];
    // Round 0 builds, and unpacks the guests' files.
    for (let round = 0; round <= rounds; round++) {
      for (const shard of round === 0 ? [null] : shuffle(shards, random)) {
        const taken = await take(host, project, shard);
        if (round > 0) samples.push({ ...taken, shard, round });
        log.warn(`round ${round} of ${rounds}: ${nameShard(shard)}: ${taken.seconds.toFixed(1)} s`);
      }
    }
    await keepMeasured('sharding-gain', {
      command,
      qemu: host.versions.qemu,
      conditions: { kernel: given.kernel, benches, rounds, load: formatLoad(before) },
      tables: shardingTables(counts, samples),
      out: given.out,
      log,
    });
  });
});

/** Runs the gate like `bpfgate run --shard` on a runner that has kernel, tools and builds, but no guest files. */
async function take(
  host: Host,
  project: string,
  shard: Shard | null,
): Promise<Pick<ShardSample, 'seconds' | 'untilFirst'>> {
  const inputs = await readInputs({
    project,
    base: 'HEAD',
    head: 'HEAD',
    kernels: given.kernel,
    lanes: 'instructions',
    out: join(host.folder, 'out'),
    ...(shard === null ? {} : { shard: formatShard(shard) }),
  });
  const startedAt = performance.now();
  let firstAt: number | undefined;
  const progress = (message: string) => {
    if (/, (base|head), reading 1$/.test(message)) firstAt ??= performance.now();
    host.log.progress(message);
  };
  const { results } = await runGate(inputs, {
    ...host,
    log: { ...host.log, progress },
    fresh: true,
    snapshots: false,
  });
  const endedAt = performance.now();
  const [kernel] = results.kernels;
  if (kernel === undefined || kernel.error !== null) throw new Error(kernel?.error?.message ?? 'no kernel');
  if (firstAt === undefined) throw new Error('no bench was seen to begin');
  return { seconds: (endedAt - startedAt) / 1000, untilFirst: (firstAt - startedAt) / 1000 };
}

async function makeProject(folder: string): Promise<string> {
  const project = join(folder, 'project');
  await cp(join(packageRoot, 'tests', 'e2e', 'fixtures', 'raw-bpf'), project, { recursive: true });
  const tables = Array.from(
    { length: benches },
    (_, index) => `[[bench]]\nname = "b${index}"\ncommand = "${benchCommand}"\n`,
  );
  await writeFile(join(project, 'bpfgate.toml'), `[build]\ncommand = "cc -O2 -o many many.c"\n${tables.join('')}`);
  await commitAll(project, 'all');
  return project;
}
