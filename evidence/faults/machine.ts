// Machine: the processes and files that exist because of one sandbox.

import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ofHead, readdirOrNone, type Sandbox } from './sandbox.ts';

export interface RunningProgram {
  readonly pid: number;
  readonly arguments: readonly string[];
  readonly workingFolder: string;
}

/** Running programs that name a folder in their arguments or environment, or work in it. */
export function programsOf(folder: string): RunningProgram[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const [cmdline, environ, workingFolder] = [
        attempt(() => readFileSync(`/proc/${name}/cmdline`, 'utf8')),
        attempt(() => readFileSync(`/proc/${name}/environ`, 'latin1')),
        attempt(() => readlinkSync(`/proc/${name}/cwd`)),
      ];
      if (cmdline === '') return []; // A thread of the kernel, or waiting to be reaped.
      if (![cmdline, environ, `${workingFolder}/`].some((text) => text.includes(`${folder}/`))) return [];
      return [{ pid: Number(name), arguments: cmdline.split('\0').slice(0, -1), workingFolder }];
    });
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return ''; // It has ended meanwhile.
  }
}

/** The run folders of a sandbox's guests. */
function runFoldersOf({ temporary }: Sandbox): string[] {
  return readdirOrNone(temporary)
    .filter((name) => name.startsWith('bpfgate-run-'))
    .map((name) => join(temporary, name));
}

/** The run folder of head's guest of one kernel, undefined when there is none (yet). */
export function runFolderOf(sandbox: Sandbox, kernel: string): string | undefined {
  const read = (folder: string, name: string) => attempt(() => readFileSync(join(folder, name), 'utf8'));
  // A guest has one revision's tree, and its plan names no revision.
  const treeOf = (folder: string) => /"tree":"([^"]+)"/.exec(read(folder, 'plan.json'))?.[1] ?? '';
  return runFoldersOf(sandbox).find(
    (folder) =>
      read(folder, 'vmtest.toml').includes(`bpfgate-${kernel}"`) && read(treeOf(folder), 'bpf.h').endsWith(ofHead),
  );
}

/** The process of head's guest of a kernel: QEMU, or vmtest that started it. */
export function guestProcess(sandbox: Sandbox, kernel: string, program: 'qemu' | 'vmtest'): number | undefined {
  const folder = runFolderOf(sandbox, kernel);
  if (folder === undefined) return undefined;
  const isIt = program === 'qemu' ? isQemu : (name = '') => basename(name) === 'vmtest';
  return programsOf(sandbox.folder).find(
    (each) => isIt(each.arguments[0]) && `${each.workingFolder}/`.startsWith(`${folder}/`),
  )?.pid;
}

function isQemu(program = ''): boolean {
  return /^qemu-system-/.test(basename(program));
}

/** The processor time that a process has used, in seconds; 0 if it has ended. */
export function cpuSeconds(pid: number): number {
  // The second field is a name, which may hold blanks; user and system are the 14th and 15th, in hundredths.
  const fields = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

/** The memory in KiB of all descendants of a process, except QEMU, most of whose memory is the guest's. */
export function memoryBelow(pid: number): number {
  const own = attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
  const children = readdirOrNone(`/proc/${pid}/task`).flatMap((thread) =>
    attempt(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'))
      .split(' ')
      .filter((child) => child !== ''),
  );
  return children.reduce((sum, child) => {
    const cmdline = attempt(() => readFileSync(`/proc/${child}/cmdline`, 'latin1'));
    const status = attempt(() => readFileSync(`/proc/${child}/status`, 'utf8'));
    // A child that has not become another program yet shares its parent's pages.
    const isCounted = cmdline !== own && !isQemu(cmdline.split('\0')[0]);
    const resident = isCounted ? Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) : 0;
    return sum + resident + memoryBelow(Number(child));
  }, 0);
}

/**
 * Records the sockets and scripts that vmtest makes outside the temporary folder, under random names.
 *
 * @returns a function that stops recording and returns their paths
 */
export function followSockets(sandbox: Sandbox): () => string[] {
  const paths = new Set<string>();
  const look = () => {
    for (const folder of runFoldersOf(sandbox)) {
      const given = attempt(() => readFileSync(join(folder, 'runner.arguments'), 'utf8'));
      for (const [path] of given.matchAll(/\/tmp\/(?:(?:qga|qmp)-\d+\.sock|vmtest-init\w+\.sh)/g)) paths.add(path);
    }
  };
  const timer = setInterval(look, 20);
  return () => {
    clearInterval(timer);
    look();
    return [...paths];
  };
}

/** The leftovers of a gate that has ended, in words. Killed programs get three seconds to disappear. */
export async function findLeftovers(sandbox: Sandbox, sockets: readonly string[]): Promise<string[]> {
  const deadline = performance.now() + 3000;
  let programs = programsOf(sandbox.folder);
  while (programs.length > 0 && performance.now() < deadline) {
    await setTimeout(50);
    programs = programsOf(sandbox.folder);
  }
  return [
    ...programs.map((each) => `process ${each.pid}: ${each.arguments.join(' ').slice(0, 200)}`),
    ...sockets.filter((path) => existsSync(path)),
    ...readdirOrNone(sandbox.temporary).map((name) => `$TMPDIR/${name}`),
  ];
}
