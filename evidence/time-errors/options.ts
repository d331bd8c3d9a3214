// Time errors: the options of `npm run time-errors`. Pure.

import { parseArgs } from 'node:util';
import { InputError } from '../../src/common/errors.ts';
import { durationExamples, parseDuration } from '../../src/inputs/duration.ts';
import { commandOf, readPositive } from '../options.ts';

const defaults = { kernels: '6.1', runs: '59', 'power-runs': '20', 'time-budget': '25 s' };
type Name = keyof typeof defaults;

export interface MakeOptions {
  readonly kernels: string;
  /** Number of runs of base against itself. */
  readonly runs: number;
  /** Number of runs of base against each slower head. */
  readonly powerRuns: number;
  /** Time budget of each run, such as `25 s`. */
  readonly timeBudget: string;
  /** Seed of the runs' order; undefined to draw one. */
  readonly seed: number | undefined;
  /** Command that repeats the runs. */
  readonly command: string;
}

export interface TimeErrorsOptions {
  /** Earlier runs, as `--out-data` wrote them; otherwise the runs to make. */
  readonly todo: { readonly from: string } | MakeOptions;
  /** File of the record; undefined: its own place. */
  readonly out: string | undefined;
  /** Undefined: the default place. */
  readonly outData: string | undefined;
}

/**
 * @param args arguments as typed, without the script
 * @throws InputError for an unknown option or an invalid value
 */
export function readOptions(args: readonly string[]): TimeErrorsOptions {
  const string = { type: 'string' } as const;
  const options = {
    kernels: string,
    runs: string,
    'power-runs': string,
    'time-budget': string,
    seed: string,
    from: string,
    out: string,
    'out-data': string,
  };
  const given = parse(() => parseArgs({ args: [...args], options }).values);
  const { from, out, 'out-data': outData } = given;
  if (from !== undefined) {
    const other = Object.keys(given).find((name) => name !== 'from' && name !== 'out');
    if (other === undefined) return { todo: { from }, out, outData };
    throw new InputError(`--${other} has no place next to --from, which takes runs that were made`);
  }
  const value = (name: Name) => given[name] ?? defaults[name];
  const timeBudget = value('time-budget');
  if (parseDuration(timeBudget) === null) {
    throw new InputError(`--time-budget ${timeBudget}: it is no time; allowed: ${durationExamples}`);
  }
  const seed = given.seed === undefined ? undefined : readPositive('seed', given.seed);
  if (seed !== undefined && seed >= 2 ** 32) throw new InputError(`--seed ${seed}: at most ${2 ** 32 - 1} is allowed`);
  return {
    todo: {
      kernels: value('kernels'),
      runs: readPositive('runs', value('runs')),
      powerRuns: readPositive('power-runs', value('power-runs')),
      timeBudget,
      seed,
      command: commandOf(
        'time-errors',
        {
          kernels: value('kernels'),
          runs: value('runs'),
          'power-runs': value('power-runs'),
          'time-budget': timeBudget === defaults['time-budget'] ? timeBudget : `'${timeBudget}'`,
        },
        defaults,
      ),
    },
    out,
    outData,
  };
}

/** Reports an unknown option or a missing value as the user's error. */
function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new InputError(message.split('\n')[0] ?? message, { cause });
  }
}
