// Foreign objects: runs veristat, and so libbpf, on the objects in a kernel's guest.

import { MachineError } from '../../src/common/errors.ts';
import type { Host } from '../host.ts';
import type { Corpus } from './obtain.ts';
import { runInGuest } from './run-in-guest.ts';

/** One program in veristat's CSV. */
export interface Verified {
  readonly isLoaded: boolean;
  /** Whether it has a duration. Without one the verifier has not seen the program, and all numbers are 0. */
  readonly isTimed: boolean;
  /** The columns after the duration, the first of which is the verified instructions: `152,11,9,3,5`. */
  readonly numbers: string;
}

/** Programs by `OBJECT/PROGRAM`. An object that libbpf does not open has none. */
export async function askReference(
  corpus: Corpus,
  objects: readonly string[],
  kernel: string,
  host: Host,
): Promise<Map<string, Verified>> {
  host.log.progress(`veristat on ${kernel}`);
  const files = objects.map((object) => `'${object}.bpf.o'`).join(' ');
  // One process for each object: a crash on one object does not affect the others.
  const script = `cd objects && for file in ${files}; do ../veristat -q -o csv "$file"; done; true`;
  const found = parseVeristat(await runInGuest(kernel, script, corpus.folder, host));
  if (found.size === 0) throw new MachineError(`veristat says nothing on ${kernel}`);
  return found;
}

/** Reads veristat's CSV: its own, which can have a header for each object, or one from `--format veristat`. */
export function parseVeristat(text: string): Map<string, Verified> {
  const found = new Map<string, Verified>();
  for (const line of text.split('\n')) {
    const [, object, program, verdict, duration, numbers] =
      /^(.+)\.bpf\.o,([^,]+),(success|failure),(\d+),(\d+(?:,\d+){4})\s*$/.exec(line) ?? [];
    if (object === undefined || numbers === undefined) continue;
    found.set(`${object}/${program}`, { isLoaded: verdict === 'success', isTimed: duration !== '0', numbers });
  }
  return found;
}
