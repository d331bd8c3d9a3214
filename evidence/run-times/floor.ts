// The floor of a run's readings: the instructions that they execute, over the speed at which this host emulates.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { run } from '../../src/adapters/process.ts';
import { BenchError } from '../../src/common/errors.ts';
import { shellQuote } from '../../src/common/shell-quote.ts';
import { type Builds, revisionNames } from '../../src/model/build.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { commandOf } from '../../src/vm/guest-commands.ts';

/** Rounds of a loop that takes seconds. */
const spins = 300_000;

/** Readings of a run: their number by bench and revision, and the seconds that they take of a guest's time. */
export interface Readings {
  readonly numbers: ReadonlyMap<string, number>;
  readonly seconds: number;
}

/** Follows the lines of a run on one kernel with one guest for base and one for head, up to its further boots. */
export function followReadings(now = () => performance.now()) {
  const numbers = new Map<string, number>();
  const running = new Map<string, number>();
  let ms = 0;
  let isOver = false;
  const end = (revision: string) => {
    const since = running.get(revision);
    if (since !== undefined) ms += now() - since;
    running.delete(revision);
  };
  const onLine = (line: string) => {
    isOver ||= / again(?:, to see inside| \(1 of \d+\))/.test(line);
    const [, bench, revision, what] = /: (\S+), (base|head), (reading|profile)/.exec(line) ?? [];
    if (isOver || /: measured$/.test(line)) {
      for (const name of revisionNames) end(name);
    } else if (bench !== undefined && revision !== undefined) {
      end(revision);
      if (what !== 'reading') return;
      running.set(revision, now());
      const key = `${bench} ${revision}`;
      numbers.set(key, (numbers.get(key) ?? 0) + 1);
    }
  };
  return { onLine, readings: (): Readings => ({ numbers, seconds: ms / 1000 }) };
}

/**
 * Runs the same commands again, one after the other, in a guest that runs nothing else.
 *
 * @param out output folder of the run
 * @returns seconds: the instructions of all readings over those of a loop in each second
 */
export async function measureFloor(out: string, numbers: Readings['numbers'], cache: string): Promise<number> {
  const read = async (name: string) => JSON.parse(await readFile(join(out, 'stages', name), 'utf8'));
  const [builds]: Builds[] = await read('builds.json');
  const plan: Plan = await read('plan.json');
  if (builds === undefined) throw new BenchError(`${out} has no builds`);
  const project = join(builds.workDir, builds.projectPath);
  const works = revisionNames.flatMap((revision) => [
    `mount --bind ${builds[revision].dir} ${builds.workDir} && cd ${project}`,
    ...plan.benches.flatMap((bench) => {
      const command = commandOf(bench, bench.guestCommand, builds[revision]);
      const number = numbers.get(`${bench.name} ${revision}`) ?? 0;
      return Array(number).fill(`mark; sh -c ${shellQuote(command)} >/dev/null 2>&1; mark work`);
    }),
    `cd / && umount ${builds.workDir}`,
  ]);
  const script = [
    'mark() { read up idle </proc/uptime; echo "mark $up $idle $1"; }',
    `i=0; mark; while [ $i -lt ${spins} ]; do i=$((i+1)); done; mark loop`,
    `mkdir -p ${builds.workDir}`,
    ...works,
  ].join('\n');
  const trees = revisionNames.map((revision) => builds[revision].dir);
  const marks: Mark[] = [];
  const onLine = (line: string) => {
    const [, up, idle, of] = /^mark (\S+) (\S+) ?(\w*)$/.exec(line) ?? [];
    if (up !== undefined) marks.push({ atMs: performance.now(), busy: Number(up) - Number(idle), of });
  };
  const args = ['exec', '--icount', '--kernel', '6.1', '--', 'sh', '-c', script];
  const variables = { BPFGATE_CACHE: cache, BPFGATE_GUEST_READ: trees.join(':') };
  const { exitCode, stderr } = await run(process.execPath, [join(packageRoot, 'bin', 'bpfgate'), ...args], {
    variables,
    onLine,
    timeoutMs: 1_800_000,
  });
  if (exitCode !== 0) throw new BenchError(`the guest exited with ${exitCode}: ${stderr}`);
  return floorOf(marks);
}

interface Mark {
  readonly atMs: number;
  /** Seconds of the guest's time, in which it was not idle: 1e9 instructions each. */
  readonly busy: number;
  /** What ended there; empty at a beginning. */
  readonly of: string | undefined;
}

function floorOf(marks: readonly Mark[]): number {
  let [work, speed] = [0, Number.NaN];
  for (const [index, mark] of marks.entries()) {
    const before = marks[index - 1];
    if (mark.of === '' || before === undefined) continue;
    const busy = mark.busy - before.busy;
    if (mark.of === 'work') work += busy;
    else speed = (busy * 1000) / (mark.atMs - before.atMs);
  }
  return work / speed;
}
