// Foreign objects: runs veristat and the gate's verifier lane on one kernel.

import type { JumpableRandomGenerator } from 'pure-rand/types/JumpableRandomGenerator';
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
  readonly random: JumpableRandomGenerator;
}

/** @param project repository of the corpus's objects, from `makeProject` */
export async function measureForeign(
  corpus: Corpus,
  project: string,
  { kernel, rounds, random }: Options,
  host: Host,
): Promise<{ readonly run: KernelRun; readonly verdicts: ReturnType<typeof countVerdicts> }> {
  const reference = await askReference(corpus, objectsOf(corpus), kernel, host);
  const pair = { project, kernels: kernel, base: 'base', head: 'base', lanes: 'verifier' };
  const inputs = await readInputs(pair, (option) => `--${option}`);
  const orderObjects = <T>(items: readonly T[]) => shuffle(items, random);
  const verdicts = { comparisons: 0, wrong: 0 };
  let run: KernelRun | undefined;
  for (let round = 1; round <= rounds; round++) {
    host.log.progress(`the gate on ${kernel}, round ${round}`);
    const { results } = await runGate(inputs, { ...host, fresh: true, orderObjects }, { kernelTimeoutMs });
    const failed = results.kernels.find(({ error }) => error !== null);
    if (failed !== undefined) throw new Error(`${failed.id}: ${failed.error?.message}`);
    const { comparisons, wrong } = countVerdicts(results);
    verdicts.comparisons += comparisons;
    verdicts.wrong += wrong;
    const release = results.kernels[0]?.release ?? kernel;
    run ??= { kernel, release, programs: pairPrograms(corpus.sources, reference, results) };
  }
  if (run === undefined) throw new RangeError('no round');
  return { run, verdicts };
}
