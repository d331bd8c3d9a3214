// Model: what a person should know of a run though it decides nothing.

import type { RevisionName } from './build.ts';

/**
 * A warning about a run or about parts of it. Reports have one line for all warnings of one reason, with their subjects
 * and kernels, so the reason names neither.
 */
export interface Warning {
  /** Names of what it is about: benches, objects, programs, files. None: the whole run. */
  readonly about: readonly string[];
  /** The only revision that it is about. Default: both, or neither. */
  readonly revision?: RevisionName | undefined;
  /** Why, in words that fit one subject and many. Names stand between backticks. */
  readonly reason: string;
  /** What only these subjects have: a number, an input, a line of output. Default: nothing. */
  readonly detail?: string | undefined;
}
