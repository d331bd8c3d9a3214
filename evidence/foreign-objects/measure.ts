// Foreign objects: runs veristat and the gate's verifier lane on one kernel.

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { InputError } from '../../src/common/errors.ts';
import { runGate } from '../../src/gate.ts';
import type { Host } from '../host.ts';
import { randomFrom, shuffle } from '../statistics.ts';
import { type Corpus, objectsOf } from './obtain.ts';
import { askReference } from './reference.ts';
import { countVerdicts, type KernelRun, pairPrograms } from './tables.ts';

const kernelTimeoutMs = 3 * 3_600_000;
/**
 * Objects that are left out, by kernel. The verifier of 6.1 did not finish with one program of this one, neither for
 * veristat in 27 minutes of a processor nor for the lane in 4.
 */
const endless: Readonly<Record<string, readonly string[]>> = { '6.1': ['selftests.verifier_search_pruning'] };

interface Options {
  readonly kernel: string;
  /** How often the commit is compared with itself. */
  readonly rounds: number;
  /** Draws the orders in which objects are loaded, another for each guest. */
  readonly seed: number;
}

/**
 * Measures each step once: an interrupted measurement goes on where it was.
 *
 * @param project repository of the corpus's objects, from `makeProject`
 */
export async function measureForeign(
  corpus: Corpus,
  project: string,
  { kernel, rounds, seed }: Options,
  host: Host,
): Promise<KernelMeasured> {
  const isMeasured = (object: string) => !(endless[kernel] ?? []).includes(object);
  const asked = await once(corpus, `veristat-${kernel}`, () =>
    timed(async () => [...(await askReference(corpus, objectsOf(corpus).filter(isMeasured), kernel, host))]),
  );
  const reference = new Map(asked.result);
  const pair = { project, kernels: kernel, base: 'base', head: 'base', lanes: 'verifier' };
  const inputs = await readInputs(pair);
  const measureRound = async (round: number) => {
    host.log.progress(`the gate on ${kernel}, round ${round}`);
    const random = randomFrom(seed + round);
    const orderObjects = <T extends { readonly name: string }>(items: readonly T[]) =>
      shuffle(
        items.filter(({ name }) => isMeasured(name)),
        random,
      );
    const { results } = await runGate(inputs, { ...host, fresh: true, orderObjects }, { kernelTimeoutMs });
    const failed = results.kernels.find(({ error }) => error !== null);
    if (failed !== undefined) throw new Error(`${failed.id}: ${failed.error?.message}`);
    const release = results.kernels[0]?.release ?? kernel;
    const programs = pairPrograms(corpus.sources, reference, results);
    return { run: { kernel, release, programs }, verdicts: countVerdicts(results) };
  };
  const measured: Timed<RoundMeasured>[] = [];
  for (let round = 1; round <= rounds; round++) {
    const name = `${host.agent.version.slice(0, 12)}-${kernel}-${seed}-${round}`;
    measured.push(await once(corpus, name, () => timed(() => measureRound(round))));
  }
  return addRounds(asked.minutes, measured);
}

export interface KernelMeasured {
  readonly run: KernelRun;
  readonly verdicts: ReturnType<typeof countVerdicts>;
  /** Time of all steps, also of earlier calls. */
  readonly minutes: number;
}

type RoundMeasured = Pick<KernelMeasured, 'run' | 'verdicts'>;

function addRounds(minutes: number, measured: readonly Timed<RoundMeasured>[]): KernelMeasured {
  const [first] = measured;
  if (first === undefined) throw new RangeError('no round');
  const sum = (of: 'comparisons' | 'wrong') => measured.reduce((total, { result }) => total + result.verdicts[of], 0);
  return {
    run: first.result.run,
    verdicts: { comparisons: sum('comparisons'), wrong: sum('wrong') },
    minutes: measured.reduce((total, each) => total + each.minutes, minutes),
  };
}

/**
 * Reads what `measureForeign` left in a corpus's folder, whichever version of bpfgate and of the agent measured it.
 *
 * @throws InputError when a round of the kernel is not there
 */
export async function readMeasured(
  folder: string,
  { kernel, rounds, seed }: Options,
): Promise<KernelMeasured & { readonly endedAt: Date }> {
  const files = (await readdir(join(folder, 'measured'))).filter((name) => name.endsWith('.json'));
  const modified = new Map<string, Date>();
  for (const name of files) modified.set(name, (await stat(join(folder, 'measured', name))).mtime);
  const byAge = [...modified].toSorted(([, a], [, b]) => Number(a) - Number(b));
  const read = async <T>(part: string) => {
    const [name, endedAt] = byAge.findLast(([each]) => each.includes(`${part}-`)) ?? [];
    if (name === undefined || endedAt === undefined) throw new InputError(`${folder} has no measured ${part}`);
    const text = await readFile(join(folder, 'measured', name), 'utf8');
    return { endedAt, ...(JSON.parse(text) as Timed<T>) };
  };
  const { minutes } = await read<unknown>(`veristat-${kernel}`);
  const measured: (Timed<RoundMeasured> & { readonly endedAt: Date })[] = [];
  for (let round = 1; round <= rounds; round++) measured.push(await read(`-${kernel}-${seed}-${round}`));
  const endedAt = new Date(Math.max(...measured.map((each) => Number(each.endedAt))));
  return { ...addRounds(minutes, measured), endedAt };
}

interface Timed<T> {
  readonly result: T;
  readonly minutes: number;
}

async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const startedAt = performance.now();
  const result = await work();
  return { result, minutes: (performance.now() - startedAt) / 60_000 };
}

/**
 * Reads what an earlier call with this name left in the corpus's folder, or does the work and leaves it there. A result
 * is of one corpus and one gate.
 */
async function once<T>({ folder }: Corpus, name: string, work: () => Promise<T>): Promise<T> {
  const shaping = [join(folder, 'corpus.json'), join(packageRoot, 'dist', 'shared.js')];
  const hash = createHash('sha256');
  for (const file of shaping) hash.update(await readFile(file));
  const file = join(folder, 'measured', `${name}-${hash.digest('hex').slice(0, 12)}.json`);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text) as T;
  const result = await work();
  await mkdir(join(folder, 'measured'), { recursive: true });
  await writeFile(`${file}.part`, JSON.stringify(result));
  await rename(`${file}.part`, file);
  return result;
}
