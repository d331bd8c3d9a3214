// What veristat, and so libbpf, makes of the objects in a guest of a kernel.

import { join } from 'node:path';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { runOrThrow } from '../../src/adapters/process.ts';
import { MachineError } from '../../src/errors.ts';
import type { Host } from '../boot-times/host.ts';
import type { Corpus } from './obtain.ts';

const guestSeconds = 2 * 60 * 60;

/** What the reference says of a program. */
export interface Verified {
  readonly isLoaded: boolean;
  readonly instructions: number;
}

/** Runs a shell script in a guest, which can read the folder it is run in; its standard output. */
export async function runInGuest(kernel: string, script: string, cwd: string, host: Host): Promise<string> {
  const command = [join(packageRoot, 'src', 'cli.ts'), 'exec', '--kernel', kernel, '--timeout', `${guestSeconds}`];
  return await runOrThrow(process.execPath, [...command, '--', 'bash', '-c', script], {
    cwd,
    env: host.environment,
    timeoutMs: guestSeconds * 1000,
    maxOutput: 64 * 1024 * 1024,
  });
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
  // One process for each object: what ends one costs no other.
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
