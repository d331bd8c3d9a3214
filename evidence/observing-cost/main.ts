// `npm run observing-cost`: measures the cost of `observe = true` in guest and host time, against the same bench with
// `observe = false`, in alternating pairs. docs/measurement.md quotes it.

import { spawn } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { runOrThrow } from '../../src/adapters/process.ts';
import { withTemporaryFolder } from '../../src/adapters/temporary-folder.ts';
import { BenchError } from '../../src/common/errors.ts';
import type { GuestRun } from '../../src/model/guest-run.ts';
import { keepMeasured } from '../keep.ts';
import { readOptions, readPositive } from '../options.ts';
import { formatLoad, type Row, readLoad } from '../record.ts';
import { commitAll } from '../repository.ts';
import { describeSpread } from '../statistics.ts';

const { given, command } = readOptions('observing-cost', { kernel: '6.1', pairs: '5' });

/** Number of programs, loaded one after the other, and runs of each. */
const workloads = [
  { name: 'few', programs: 3, runs: 400_000 },
  { name: 'many', programs: 300, runs: 1 },
] as const;

/** Readings of each revision that are used: all benches have these, and further readings depend on the counts. */
const readings = 2;

const log = openLog();
await runScript(log, async () => {
  const pairs = readPositive('pairs', given.pairs);
  await withTemporaryFolder(join(tmpdir(), 'bpfgate-observing-'), async (folder) => {
    const before = readLoad();
    const { seconds, run } = await measure(folder, pairs);
    const rows: Row[] = [];
    for (const { name, programs, runs } of workloads) {
      // The fastest reading of base and head, which are equal: other work only adds time.
      const guestMs = (bench: string) => {
        const own = run.benches.filter((each) => each.bench === bench && each.reading <= readings);
        return Math.min(...own.map(({ duration_ns }) => duration_ns / 1e6));
      };
      const hostMs = (bench: string) => Math.min(...(seconds.get(bench) ?? [])) * 1000;
      for (const [clock, of] of Object.entries({ guest: guestMs, host: hostMs })) {
        const observed = Array.from({ length: pairs }, (_, pair) => of(`${name}-observed-${pair}`));
        const alone = Array.from({ length: pairs }, (_, pair) => of(`${name}-alone-${pair}`));
        const ratios = observed.map((value, pair) => value / (alone[pair] ?? 0));
        rows.push({
          programs,
          'runs of each': runs,
          clock,
          'alone, ms a reading': describeSpread(alone, 1),
          'observed, ms a reading': describeSpread(observed, 1),
          ratio: describeSpread(ratios, 3),
        });
      }
    }
    await keepMeasured('observing-cost', {
      command,
      qemu: await runOrThrow('qemu-system-x86_64', ['--version']),
      conditions: { kernel: given.kernel, pairs, load: formatLoad(before) },
      tables: { costs: rows },
      out: given.out,
      log,
    });
  });
});

/** Measures host seconds of the readings that are used, by bench, and returns all guest records. */
async function measure(folder: string, pairs: number) {
  const project = join(folder, 'project');
  const out = join(folder, 'out');
  cpSync(join(packageRoot, 'tests', 'e2e', 'fixtures', 'raw-bpf'), project, { recursive: true });
  writeFileSync(join(project, 'bpfgate.toml'), configOf(pairs));
  await commitAll(project, 'all');

  const args = [
    'run',
    '--project',
    project,
    '--base',
    'HEAD',
    '--head',
    'HEAD',
    '--kernels',
    given.kernel,
    '--out',
    out,
  ];
  const child = spawn(process.execPath, [join(packageRoot, 'src', 'cli.ts'), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const seconds = new Map<string, number[]>();
  let last: { readonly bench: string; readonly isUsed: boolean; readonly at: number } | undefined;
  for await (const line of createInterface(child.stderr)) {
    log.progress(line);
    // A reading lasts until the next one begins, because it includes reading the programs at its end.
    const [, bench, reading] = /: (\S+), (?:base|head), reading (\d+)$/.exec(line) ?? [];
    if (bench === undefined) continue;
    const at = performance.now();
    if (last?.isUsed === true) seconds.set(last.bench, [...(seconds.get(last.bench) ?? []), (at - last.at) / 1000]);
    last = { bench, isUsed: Number(reading) <= readings, at };
  }
  const code = await ended;
  if (code !== 0) throw new BenchError(`bpfgate run exited with ${code}; its output is above`);
  const [run] = JSON.parse(readFileSync(join(out, 'stages', 'guest-runs.json'), 'utf8')) as GuestRun[];
  if (run === undefined) throw new BenchError('bpfgate run left no record');
  return { seconds, run };
}

/** Puts each pair next to each other, in alternating order. The last bench only ends the one before it. */
function configOf(pairs: number): string {
  const benches = Array.from({ length: pairs }, (_, pair) =>
    workloads.flatMap(({ name, programs, runs }) => {
      const bench = (observe: boolean) =>
        benchOf(`${name}-${observe ? 'observed' : 'alone'}-${pair}`, `./many ${programs} ${runs}`, observe);
      return pair % 2 === 0 ? [bench(true), bench(false)] : [bench(false), bench(true)];
    }),
  );
  return ['[build]\ncommand = "cc -O2 -o many many.c"\n', ...benches.flat(), benchOf('end', './many 0', false)].join(
    '',
  );
}

function benchOf(name: string, command: string, observe: boolean): string {
  return `[[bench]]\nname = "${name}"\ncommand = "${command}"\nformat = "bmf"\nobserve = ${observe}\n`;
}
