// Guest, pure: BPF programs that a guest does not survive. A kernel can verify or run one program for hours without
// looking for signals, or panic, so nothing in the guest can go on with the others.

import { VmError } from '../common/errors.ts';

/**
 * Time without a record after which a guest is lost, in milliseconds. The slowest of 969 foreign objects took 5 minutes
 * to load, with four emulated guests on two cores. The agent ends a run after 20 s of the guest's time, if it can.
 */
const limitsMs = { read: 10 * 60_000, load: 10 * 60_000, run: 4 * 60_000, attached: 10 * 60_000 };

/** What a guest was doing with an object. A program that is loaded has its position among the object's, from 0. */
export type Step =
  | { readonly kind: 'read' | 'attached' }
  | { readonly kind: 'load'; readonly number: number }
  | { readonly kind: 'run'; readonly program: string };

/** A guest did not survive one step with one object. */
export class LostProgramError extends VmError {
  readonly object: string;
  readonly step: Step;

  constructor(object: string, step: Step, message: string, options: ConstructorParameters<typeof VmError>[1] = {}) {
    super(message, options);
    this.object = object;
    this.step = step;
  }
}

const doing = {
  read: 'making its maps',
  load: 'loading it',
  run: 'running it',
  attached: "running the object's attached programs",
} as const satisfies Record<Step['kind'], string>;

/** Follows a guest's records to what it does with an object. */
export class ObjectWatch {
  readonly #now: () => number;
  #object: string | undefined;
  #step: Step = { kind: 'read' };
  #loaded = 0;
  #seenAt = 0;

  /** @param now in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  see(record: {
    readonly record: string;
    readonly object?: string | undefined;
    readonly program?: unknown;
    readonly runs?: unknown;
  }): void {
    this.#seenAt = this.#now();
    if (record.record === 'loading') {
      this.#object = record.object;
      this.#step = { kind: 'read' };
      this.#loaded = 0;
    } else if (record.record === 'load') {
      this.#loaded += 1;
      this.#step =
        record.runs === true && typeof record.program === 'string'
          ? { kind: 'run', program: record.program }
          : { kind: 'load', number: this.#loaded };
    } else if (record.record === 'object' || record.record === 'inputs' || record.record === 'attached') {
      this.#step = { kind: 'load', number: this.#loaded };
    } else if (record.record === 'attaching') {
      this.#step = { kind: 'attached' };
    } else if (record.record === 'calibration' || record.record === 'progress') {
      this.#object = undefined;
    }
  }

  /** The error of a guest that ended at this step; undefined if it is at no object. */
  lost(error: VmError): LostProgramError | undefined {
    const { hint, consoleTail } = error;
    return this.#errorOf(`the guest was lost while ${doing[this.#step.kind]}: ${error.message}`, {
      cause: error,
      hint,
      consoleTail,
    });
  }

  /** The error of a step that takes too long. */
  stalled(): LostProgramError | undefined {
    const { kind } = this.#step;
    if (this.#now() - this.#seenAt <= limitsMs[kind]) return undefined;
    return this.#errorOf(`the kernel did not finish ${doing[kind]} within ${limitsMs[kind] / 60_000} min`);
  }

  #errorOf(message: string, options?: ConstructorParameters<typeof VmError>[1]): LostProgramError | undefined {
    return this.#object === undefined ? undefined : new LostProgramError(this.#object, this.#step, message, options);
  }
}

/** What is not tried of an object again, with the reasons, as the agent's plan has it. */
export interface LeftOut {
  readonly whole?: string;
  readonly loads: Readonly<Record<number, string>>;
  readonly runs: Readonly<Record<string, string>>;
  readonly attached?: string;
}

/** Guests that an object may cost before all of it is left out. */
const maxLost = 8;

/**
 * Runs again without each step that a guest does not survive.
 *
 * @param run gets what is left out, by the object's name
 * @param onLost called before it runs again
 */
export async function leaveOutLost<T>(
  run: (leftOut: ReadonlyMap<string, LeftOut>) => Promise<T>,
  onLost: (lost: LostProgramError) => void = () => {},
): Promise<T> {
  const leftOut = new Map<string, LeftOut>();
  const guests = new Map<string, number>();
  for (;;) {
    try {
      return await run(leftOut);
    } catch (error) {
      if (!(error instanceof LostProgramError)) throw error;
      const { object, step } = error;
      const before = leftOut.get(object) ?? { loads: {}, runs: {} };
      const cost = (guests.get(object) ?? 0) + 1;
      // It was not to be tried.
      if (before.whole !== undefined) throw error;
      guests.set(object, cost);
      const isInVain = cost >= maxLost || isLeftOut(before, step);
      leftOut.set(object, isInVain ? { ...before, whole: error.message } : addStep(before, error));
      onLost(error);
    }
  }
}

function isLeftOut({ loads, runs, attached }: LeftOut, step: Step): boolean {
  if (step.kind === 'run') return step.program in runs;
  return step.kind === 'load' ? step.number in loads : step.kind === 'attached' && attached !== undefined;
}

function addStep(before: LeftOut, { step, message }: LostProgramError): LeftOut {
  if (step.kind === 'run') return { ...before, runs: { ...before.runs, [step.program]: message } };
  if (step.kind === 'load') return { ...before, loads: { ...before.loads, [step.number]: message } };
  return step.kind === 'attached' ? { ...before, attached: message } : { ...before, whole: message };
}
