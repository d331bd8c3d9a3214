// Report: why a job that should have measured has no result, written for the job that joins results. Pure.

import { z } from 'zod';
import {
  BenchError,
  BuildError,
  type GateError,
  InputError,
  KernelError,
  MachineError,
  VmError,
} from '../common/errors.ts';
import { revisionNames } from '../model/build.ts';
import { type Frozen, kernelErrorKinds } from './results.ts';

/** Name of the file, next to where results.json would be. */
export const failureFile = 'error.json';
/** Largest size of the file, in bytes. */
export const maxFailure = 512 * 1024;
/** Longest message, in UTF-16 units; a compiler may print more than is read. */
const maxMessage = 20_000;
/** Most console lines, and the longest, in UTF-16 units. */
const maxConsole = { lines: 60, line: 500 };

const longText = z.string().max(maxMessage + 1);
const failureSchema = z.strictObject({
  schema: z.literal('bpfgate.error/1'),
  /** Ids of the kernels that should have been measured; empty if they are not known. */
  kernels: z.array(z.string().max(64)).max(256),
  kind: z.enum(['input', ...kernelErrorKinds]),
  message: longText,
  hint: longText.nullable(),
  /** The last lines of the guest's console, oldest first; none if it was not a guest that failed. */
  consoleTail: z.array(z.string().max(maxConsole.line)).max(maxConsole.lines).default([]),
  /** The bench that failed; empty if it was not a bench, or that is not known. */
  benches: z
    .array(z.strictObject({ name: z.string().max(100), revision: z.enum(revisionNames).nullable() }))
    .max(1)
    .default([]),
});

export type Failure = Omit<Frozen<z.infer<typeof failureSchema>>, 'schema'>;

const classes = {
  input: InputError,
  kernel: KernelError,
  machine: MachineError,
  vm: VmError,
  build: BuildError,
  bench: BenchError,
} as const;

/** Finds the kind of an error by its class. */
export function kindOf(error: GateError): Failure['kind'] {
  const found = Object.entries(classes).find(([, Class]) => error instanceof Class);
  return (found?.[0] ?? 'internal') as Failure['kind'];
}

/** @param kernels ids of the kernels that should have been measured */
export function describeFailure(error: GateError, kernels: readonly string[]): Failure {
  const consoleTail = error instanceof VmError ? error.consoleTail : [];
  return {
    kernels,
    kind: kindOf(error),
    message: clipEnd(error.message),
    hint: error.hint === undefined ? null : clipEnd(error.hint),
    consoleTail: consoleTail.slice(-maxConsole.lines).map((line) => line.slice(0, maxConsole.line)),
    benches: error.bench === undefined ? [] : [error.bench],
  };
}

export function serializeFailure(failure: Failure): string {
  return `${JSON.stringify({ schema: 'bpfgate.error/1', ...failure }, null, 1)}\n`;
}

/** @throws InputError when it is not an error file of a step of bpfgate */
export function parseFailure(text: string, name: string): Failure {
  try {
    const { schema: _, ...failure } = failureSchema.parse(JSON.parse(text));
    return failure;
  } catch (cause) {
    throw new InputError(`\`${name}\` is not what bpfgate writes of an error`, {
      cause,
      hint: 'look at the log of the job that left it',
    });
  }
}

/** Creates the error of a run that measured nothing: the first failure, with the kernels of all like it. */
export function toError(failures: readonly [Failure, ...Failure[]]): GateError {
  const [{ kind, message, consoleTail, benches, ...first }] = failures;
  const alike = failures.filter((other) => other.message === message).flatMap(({ kernels }) => kernels);
  const text = alike.length === 0 ? message : `${alike.join(', ')}: ${message}`;
  const hint = first.hint ?? undefined;
  const [bench] = benches;
  if (kind === 'vm') return new VmError(text, { hint, consoleTail, bench });
  const Class = kind === 'internal' ? MachineError : classes[kind];
  return new Class(text, { hint, bench });
}

/** Keeps the end, where compilers say what is wrong, and the first line, which says who printed it. */
function clipEnd(text: string): string {
  if (text.length <= maxMessage) return text;
  const [first = ''] = text.split('\n', 1);
  const head = first.slice(0, 500);
  return `${head}\n…${text.slice(text.length - (maxMessage - head.length - 2))}`;
}
