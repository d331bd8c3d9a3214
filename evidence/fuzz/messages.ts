// Fuzzing: messages between the watching process and its worker.

export interface WorkerOptions {
  /** Absolute path of the instrumented target. */
  readonly bundle: string;
  readonly branches: number;
  readonly words: readonly string[];
  readonly seed: number;
  readonly seconds: number;
  /** Folder of the target's inputs in the repository. */
  readonly corpus: string;
  /** Folder of the inputs found. A worker that replaces another continues with them. */
  readonly queue: string;
  /** File of the input being run: its number, its length, its bytes. */
  readonly current: string;
}

export interface Counts {
  readonly executions: number;
  /** Number of executions that read the input without an error. */
  readonly accepted: number;
  readonly corpus: number;
  readonly slowestMs: number;
  /** Bytes. */
  readonly largestHeap: number;
  /** Number of branches. */
  readonly reached: number;
}

export type FromWorker =
  | { readonly type: 'started' | 'done' }
  | ({ readonly type: 'progress' } & Counts)
  | { readonly type: 'finding'; readonly kind: string; readonly input: string; readonly detail: string };
