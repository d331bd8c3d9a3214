// Guest: times the stages of one boot from the host, because the guest's own clock is not real time under icount.

import { statSync } from 'node:fs';
import { join } from 'node:path';

/** The stages of a boot, in order. A boot has either `kernel` and `initramfs`, or `restore`. */
export type Stage =
  | 'runner'
  | 'firmware'
  | 'kernel'
  | 'initramfs'
  | 'restore'
  | 'init'
  | 'agent'
  | 'command'
  | 'shutdown';

export interface StageTime {
  readonly stage: Stage;
  readonly ms: number;
}

/** Description of each stage, for a person. */
const stageMeanings: Readonly<Record<Stage, string>> = {
  runner: 'the runner starts QEMU',
  firmware: "QEMU and SeaBIOS, to the kernel's first line",
  kernel: 'to its first process',
  initramfs: 'busybox, modules, saving a snapshot; until the host says go on',
  restore: 'QEMU reads the snapshot; until the guest goes on',
  init: 'mounts of the host, overlay, run folder',
  agent: 'the agent prepares the guest',
  command: 'the command, or all readings',
  shutdown: 'QEMU and the runner end',
};

/** Console lines that begin the next stage. */
const marks: readonly (readonly [text: string, begins: Stage])[] = [
  ['Linux version ', 'kernel'],
  ['Run /init as init process', 'initramfs'],
  ['bpfgate-initramfs: start signal received', 'init'],
  ['bpfgate-initramfs: starting the agent', 'agent'],
];

/** Collects when each stage of one boot began. */
export class TimeLine {
  readonly #folder: string;
  readonly #begun: { readonly stage: Stage; readonly at: number }[] = [];
  #end: number | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#begin('runner');
  }

  /** Evaluates a console line. */
  read(line: string): void {
    const mark = marks.find(([text]) => line.includes(text));
    if (mark === undefined) return;
    // A saved machine shows no kernel: the time before this was restoring it.
    if (mark[1] === 'init' && !this.#has('kernel')) this.#rename('firmware', 'restore');
    this.#begin(mark[1]);
  }

  /** Evaluates the files in the run folder. */
  look(): void {
    if (!this.#has('firmware') && !this.#has('restore') && this.#size('runner.arguments') > 0) this.#begin('firmware');
    // The agent's first record is written when it is ready.
    if (!this.#has('command') && this.#size('records.jsonl') > 0) this.#begin('command');
    if (!this.#has('shutdown') && this.#size('status.json') > 0) this.#begin('shutdown');
  }

  /** Records that the guest has ended. */
  end(): void {
    this.#end = performance.now();
  }

  /** The stages that were reached, in order. */
  stages(): StageTime[] {
    const end = this.#end ?? performance.now();
    return this.#begun.map(({ stage, at }, index) => ({ stage, ms: (this.#begun[index + 1]?.at ?? end) - at }));
  }

  #begin(stage: Stage): void {
    if (!this.#has(stage)) this.#begun.push({ stage, at: performance.now() });
  }

  #rename(from: Stage, to: Stage): void {
    const index = this.#begun.findIndex(({ stage }) => stage === from);
    const found = this.#begun[index];
    if (found !== undefined) this.#begun[index] = { ...found, stage: to };
  }

  #has(stage: Stage): boolean {
    return this.#begun.some((begun) => begun.stage === stage);
  }

  #size(name: string): number {
    return statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size ?? 0;
  }
}

/** Renders a table for `bpfgate exec --timing`. */
export function renderTiming(times: readonly StageTime[]): string {
  const total = times.reduce((sum, { ms }) => sum + ms, 0);
  const row = (name: string, ms: number, meaning: string) =>
    `  ${name.padEnd(10)} ${(ms / 1000).toFixed(2).padStart(8)} s  ${meaning}`.trimEnd();
  return [...times.map(({ stage, ms }) => row(stage, ms, stageMeanings[stage])), row('total', total, '')].join('\n');
}
