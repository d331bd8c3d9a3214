// Fuzzing: what the process that watches and the one that is watched say to each other.

export interface WorkerOptions {
  /** Absolute path of the instrumented target. */
  readonly bundle: string;
  readonly branches: number;
  readonly words: readonly string[];
  readonly seed: number;
  readonly seconds: number;
  /** Folder of the inputs in the repository. */
  readonly corpus: string;
  /** Folder of those that were found, which a worker that follows another goes on with. */
  readonly queue: string;
  /** File of the input that is being run: its number, its length, its bytes. */
  readonly current: string;
}

export interface Counts {
  readonly executions: number;
  /** Of them, those that were read without an error. */
  readonly accepted: number;
  readonly corpus: number;
  readonly slowestMs: number;
  /** In bytes. */
  readonly largestHeap: number;
  /** Branches. */
  readonly reached: number;
}

export type FromWorker =
  | { readonly type: 'started' | 'done' }
  | ({ readonly type: 'progress' } & Counts)
  | { readonly type: 'finding'; readonly kind: string; readonly input: string; readonly detail: string };
