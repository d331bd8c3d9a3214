// Foreign objects: runs veristat and the gate's verifier lane on one kernel.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mersenne } from 'pure-rand/generator/mersenne';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { runGate } from '../../src/gate.ts';
import { shuffle } from '../../src/statistics/balanced-orders.ts';
import type { Host } from '../boot-times/host.ts';
import { type Corpus, objectsOf } from './obtain.ts';
import { countVerdicts, type KernelRun, pairPrograms } from './page.ts';
import { askReference } from './reference.ts';

const kernelTimeoutMs = 3 * 3_600_000;

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
): Promise<{ readonly run: KernelRun; readonly verdicts: ReturnType<typeof countVerdicts> }> {
  const reference = new Map(
    await once(corpus, `veristat-${kernel}`, async () => [
      ...(await askReference(corpus, objectsOf(corpus), kernel, host)),
    ]),
  );
  const pair = { project, kernels: kernel, base: 'base', head: 'base', lanes: 'verifier' };
  const inputs = await readInputs(pair, (option) => `--${option}`);
  const measureRound = async (round: number) => {
    host.log.progress(`the gate on ${kernel}, round ${round}`);
    const random = mersenne(seed + round);
    const orderObjects = <T>(items: readonly T[]) => shuffle(items, random);
    const { results } = await runGate(inputs, { ...host, fresh: true, orderObjects }, { kernelTimeoutMs });
    const failed = results.kernels.find(({ error }) => error !== null);
    if (failed !== undefined) throw new Error(`${failed.id}: ${failed.error?.message}`);
    const release = results.kernels[0]?.release ?? kernel;
    const programs = pairPrograms(corpus.sources, reference, results);
    return { run: { kernel, release, programs }, verdicts: countVerdicts(results) };
  };
  const measured: Awaited<ReturnType<typeof measureRound>>[] = [];
  for (let round = 1; round <= rounds; round++) {
    const name = `${host.agent.version.slice(0, 12)}-${kernel}-${seed}-${round}`;
    measured.push(await once(corpus, name, () => measureRound(round)));
  }
  const [first] = measured;
  if (first === undefined) throw new RangeError('no round');
  const sum = (of: 'comparisons' | 'wrong') => measured.reduce((total, { verdicts }) => total + verdicts[of], 0);
  return { run: first.run, verdicts: { comparisons: sum('comparisons'), wrong: sum('wrong') } };
}

/** Reads what an earlier call with this name left in the corpus's folder, or does the work and leaves it there. */
async function once<T>({ folder }: Corpus, name: string, work: () => Promise<T>): Promise<T> {
  const file = join(folder, 'measured', `${name}.json`);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text) as T;
  const result = await work();
  await mkdir(join(folder, 'measured'), { recursive: true });
  await writeFile(file, JSON.stringify(result));
  return result;
}
