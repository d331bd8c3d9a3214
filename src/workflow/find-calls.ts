// Workflow: finds where a workflow uses bpfgate, and with which inputs. Pure.

import type { Callable, Job, Step, Value, Workflow } from './parse-workflow.ts';

/** The steps and reusable workflows, by their files in bpfgate's repository. */
export const callableFiles = [
  'action.yml',
  'plan/action.yml',
  'report/action.yml',
  'record/action.yml',
  'publish/action.yml',
  '.github/workflows/gate.yml',
  '.github/workflows/publish.yml',
] as const;
export type CallableFile = (typeof callableFiles)[number];

/** One use of bpfgate. */
export interface Call {
  readonly job: Job;
  /** Null where the job calls a reusable workflow. */
  readonly step: Step | null;
  /** Steps of the job before this one. */
  readonly before: readonly Step[];
  readonly uses: Value;
  readonly file: CallableFile;
  /** The action or reusable workflow in that file. */
  readonly callable: Callable;
  readonly inputs: ReadonlyMap<string, Value>;
}

/** A use of bpfgate that names none of its actions and workflows. */
export interface UnknownCall {
  readonly uses: Value;
  readonly path: string;
}

export function findCalls(
  workflow: Workflow,
  callables: ReadonlyMap<CallableFile, Callable>,
): { calls: readonly Call[]; unknown: readonly UnknownCall[] } {
  const calls: Call[] = [];
  const unknown: UnknownCall[] = [];
  const add = (uses: Value | null, call: Pick<Call, 'job' | 'step' | 'before' | 'inputs'>) => {
    const [whole, folder = ''] = /^[^/@\s]+\/bpfgate(?:\/([^@]*))?(?:@|$)/.exec(uses?.text ?? '') ?? [];
    if (uses === null || whole === undefined) return;
    const wanted = call.step === null ? folder : `${folder}${folder === '' ? '' : '/'}action.yml`;
    const file = callableFiles.find((name) => name === wanted);
    if (file === undefined) unknown.push({ uses, path: folder });
    else calls.push({ ...call, uses, file, callable: callables.get(file) as Callable });
  };
  for (const job of workflow.jobs) {
    add(job.uses, { job, step: null, before: [], inputs: job.with });
    job.steps.forEach((step, index) => {
      add(step.uses, { job, step, before: job.steps.slice(0, index), inputs: step.with });
    });
  }
  return { calls, unknown };
}

/** The earlier step that checks out the project's repository; undefined where there is none. */
export function checkoutOf({ before }: Call): Step | undefined {
  return before.findLast(
    ({ uses, with: inputs }) => uses?.text.startsWith('actions/checkout@') === true && !inputs.has('repository'),
  );
}

/** Whether a call builds and measures the project. */
export function measures({ file }: Call): boolean {
  return file === 'action.yml' || file === '.github/workflows/gate.yml';
}

/**
 * Values of an input: the given one, every value of a matrix key, or the default. Null where only a run knows.
 *
 * @returns no value where the input is empty and has no default
 */
export function valuesOf(call: Call, name: string): readonly Value[] | null {
  const given = call.inputs.get(name);
  if (given === undefined || given.text === '') {
    const text = call.callable.inputs.get(name)?.default ?? '';
    return text === '' ? [] : text.includes('${{') ? null : [{ line: call.uses.line, text }];
  }
  return resolve(given, call.job);
}

/** The values of an expression that is a key of the matrix; null for every other expression. */
export function resolve(value: Value, job: Job): readonly Value[] | null {
  if (!value.text.includes('${{')) return [value];
  const key = /^\$\{\{\s*matrix\.([\w-]+)\s*\}\}$/.exec(value.text)?.[1];
  const values = key === undefined ? undefined : job.matrix.get(key);
  return values === undefined || values.some(({ text }) => text.includes('${{')) ? null : values;
}
