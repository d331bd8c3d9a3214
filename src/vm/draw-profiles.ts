// Guest: writes the guest's profiles as files for a person, and draws folded stacks as flame graphs.

import { isUtf8 } from 'node:buffer';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../adapters/process.ts';
import { InterruptedError } from '../common/errors.ts';
import { groupBy } from '../common/group-by.ts';
import type { GuestProfile } from '../model/guest-run.ts';
import type { Warning } from '../model/warning.ts';
import type { ProfileFile, ProfileKind } from '../profile/profile.ts';
import { toPlainText } from '../report/plain-text.ts';

export interface DrawOptions {
  /** Kernel id. */
  readonly kernel: string;
  /** Absolute path of the guest agent, which also draws: on the host, in a process of its own. */
  readonly agent: string;
  readonly signal?: AbortSignal | undefined;
}

export interface DrawnProfiles {
  readonly files: readonly ProfileFile[];
  /** Each names bench and kernel. */
  readonly warnings: readonly Warning[];
}

/** The agent's profile of how long threads were off the CPU, and from where. */
const offCpu = 'off-cpu.folded';
/** Time limit for all pictures of a kernel. */
const deadlineMs = 120_000;

/**
 * Returns every profile unchanged, and for folded stacks (`*.folded`) flame graphs of base, of head and of their
 * difference. A failure to draw is only a warning, because a profile decides nothing.
 *
 * @throws InterruptedError when `signal` aborts
 */
export async function drawProfiles(
  profiles: readonly GuestProfile[],
  { kernel, agent, signal }: DrawOptions,
): Promise<DrawnProfiles> {
  const files: ProfileFile[] = [];
  const warnings: Warning[] = [];
  const add = (bench: string, kind: ProfileKind, name: string, content: Buffer) => {
    // Kernels' ids can contain a colon, which is not allowed in the names of uploaded files.
    const file = `profiles/${kernel.replaceAll(':', '-')}/${bench}/${kind}.${name}`;
    files.push({ profile: { kernel, bench, kind, file }, content });
  };
  for (const { bench, revision, name, content } of profiles) add(bench, revision, name, content);
  const folded = profiles.filter(({ name }) => name.endsWith('.folded'));
  if (folded.length === 0) return { files, warnings };

  const startedAt = performance.now();
  const draw = async (folder: string, bench: string, kind: ProfileKind, name: string, args: readonly string[]) => {
    const svg = join(folder, 'flame-graph.svg');
    const timeoutMs = deadlineMs - (performance.now() - startedAt);
    const [command = '', title = '', ...paths] = args;
    const unit = name === offCpu ? 'microseconds' : 'samples';
    const result =
      timeoutMs <= 0 ? undefined : await run(agent, [command, title, unit, ...paths, svg], { signal, timeoutMs });
    if (result?.exitCode === 0) return add(bench, kind, name.replace(/folded$/, 'svg'), await readFile(svg));
    const isLate = result === undefined || result.timedOut;
    const reason = isLate ? 'it takes too long' : result.stderr.trim().replace(/^bpfgate-agent: /, '');
    warnings.push({ about: [bench], reason: `no flame graph is drawn: ${reason}`, detail: `${kind}, ${name}` });
  };
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), 'bpfgate-profiles-'));
    for (const own of groupBy(folded, ({ bench, name }) => `${bench}/${name}`)) {
      const paths = new Map<string, string>();
      for (const { bench, revision, name, content } of own) {
        const path = join(folder, `${revision}.folded`);
        // XML has no control characters. The agent refuses content that is not text.
        await writeFile(path, isUtf8(content) ? toPlainText(content.toString()) : content);
        paths.set(revision, path);
        const title = `${bench}: ${revision}, kernel ${kernel}`;
        await draw(folder, bench, revision, name, ['flame-graph', title, path]);
      }
      const [first] = own;
      const [base, head] = [paths.get('base'), paths.get('head')];
      if (first === undefined || base === undefined || head === undefined) continue;
      const title = `${first.bench}: head against base, kernel ${kernel}`;
      await draw(folder, first.bench, 'difference', first.name, ['flame-graph-difference', title, base, head]);
    }
  } catch (error) {
    // A full disk, for example.
    if (error instanceof InterruptedError) throw error;
    warnings.push({ about: [], reason: `no more flame graphs are drawn: ${(error as Error).message}` });
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
  return { files, warnings };
}
