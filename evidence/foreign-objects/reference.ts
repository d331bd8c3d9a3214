// Foreign objects: runs veristat, and so libbpf, on the objects in a kernel's guest.

import { MachineError } from '../../src/common/errors.ts';
import type { Host } from '../host.ts';
import type { Corpus } from './obtain.ts';
import { runInGuest } from './run-in-guest.ts';

/** Result of the reference for one program. */
export interface Verified {
  readonly isLoaded: boolean;
  readonly instructions: number;
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
  const script = `cd objects && for file in ${files}; do ../veristat -q -o csv -e file,prog,verdict,insns "$file"; done; true`;
  const found = parseVeristat(await runInGuest(kernel, script, corpus.folder, host));
  if (found.size === 0) throw new MachineError(`veristat says nothing on ${kernel}`);
  return found;
}

export function parseVeristat(text: string): Map<string, Verified> {
  const found = new Map<string, Verified>();
  for (const line of text.split('\n')) {
    const [, object, program, verdict, instructions] =
      /^(.+)\.bpf\.o,([^,]+),(success|failure),(\d+)\s*$/.exec(line) ?? [];
    if (object === undefined) continue;
    found.set(`${object}/${program}`, { isLoaded: verdict === 'success', instructions: Number(instructions) });
  }
  return found;
}
