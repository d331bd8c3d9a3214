// Guest: the runner virtme-ng. It boots with virtme-ng's devices, initramfs and init, whose script then builds the
// guest that the agent knows from vmtest (vm/virtme-ng/start). It always boots: no machine is saved.

import { hash } from 'node:crypto';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../adapters/package-root.ts';
import { type Cache, publishEntry } from '../cache/cache.ts';
import { MachineError, VmError } from '../common/errors.ts';
import {
  type Boot,
  type BootEnd,
  checkPaths,
  type Launch,
  launchGuest,
  lostGuest,
  qemuVariables,
  type RunnerEnd,
  writeAccess,
} from './boot.ts';
import { machineArguments, socketArguments } from './machine.ts';

/** Folders that the guest's init writes to before the agent's root exists. virtme-ng lays an overlay over each. */
const writtenByInit = ['/etc', '/tmp', '/var'];
/** Path in the guest. The option needs a folder that can be made there. */
const runFolderMount = '/run/bpfgate';

/**
 * Starts a guest, lets the agent carry out plan.json, and ends it as soon as the agent has written status.json.
 *
 * @throws MachineError when virtme-ng fails before it starts the kernel
 * @throws VmError when the guest ends or its time is up without that file; with the end of the guest's console
 * @throws InterruptedError when `signal` aborts
 */
export async function runVirtmeNg(boot: Boot, cache: Cache): Promise<RunnerEnd> {
  checkPaths([boot.image, boot.runFolder, boot.agent, boot.kernel.modulesRoot ?? '/', cache.root]);
  const start = new Start(boot, await findableKernel(boot, cache));
  await start.prepare();
  const end = await launchGuest(boot, start);
  if (end.status === undefined) throw start.failure(end);
  return { status: end.status, startedFrom: 'boot', timing: end.timing, initramfs: start.initramfs };
}

/**
 * Arguments of virtme-run. `vng` starts it through a shell after adding the user's own defaults, which a measurement
 * must not depend on.
 *
 * @param image absolute path of the kernel; its modules are in `lib/modules` of a folder above it
 * @param initramfs absolute path of a file to write
 */
export function virtmeArguments(boot: Boot, image: string, initramfs: string): string[] {
  const machine = machineArguments(boot.accelerator);
  return [
    ...['--kimg', image, '--mods', boot.kernel.modulesRoot === undefined ? 'none' : 'auto'],
    ...['--force-initramfs', '--save-initramfs', initramfs],
    ...['--cpus', `${boot.cpus}`, '--memory', `${boot.memoryMiB}M`],
    // Accelerator and CPU model are given below. Otherwise virtme-run would choose by whether /dev/kvm can be opened.
    // virtiofsd is not used: it has its own threads and outlives virtme-run when that is killed.
    ...['--disable-kvm', '--force-9p'],
    ...['--show-boot-console', '--verbose'],
    ...writtenByInit.flatMap((folder) => ['--overlay-rwdir', folder]),
    ...['--rwdir', `${runFolderMount}=${boot.runFolder}`],
    // The script is read as a whole first, because it unmounts the folder that contains it.
    ...['--script-sh', `exec sh -c "$(cat ${runFolderMount}/start)"`],
    ...machine.kernel.map((parameter) => `--kopt=${parameter}`),
    ...['--qemu-bin', join(packageRoot, 'vm', 'virtme-ng', 'qemu')],
    // Takes all arguments that follow.
    '--qemu-opts',
    ...['-fsdev', 'local,id=bpfgate-root,path=/,security_model=none,readonly=on,multidevs=remap'],
    ...['-device', 'virtio-9p-pci,fsdev=bpfgate-root,mount_tag=bpfgate-root'],
    ...machine.qemu,
    ...socketArguments(boot.cpus),
  ];
}

/**
 * Prepares the kernel for virtme-run, which finds modules in `lib/modules` of the nearest folder above the image that
 * has one. It is in the cache, so that the kernel's command line, which names it, is the same in every run.
 */
async function findableKernel({ kernel, image }: Boot, cache: Cache): Promise<string> {
  const key = hash('sha256', JSON.stringify([kernel.imageSha256, image, kernel.modulesRoot]));
  const entry = await publishEntry(cache, 'virtme-ng', key.slice(0, 16), async (folder) => {
    await symlink(image, join(folder, 'vmlinux'));
    if (kernel.modulesRoot !== undefined) await symlink(join(kernel.modulesRoot, 'lib'), join(folder, 'lib'));
  });
  return join(entry, 'vmlinux');
}

/** One start of virtme-run. */
class Start implements Launch {
  readonly argv: readonly [string, ...string[]];
  readonly variables: Readonly<Record<string, string>>;
  /** SHA-256 of the initramfs; set at the end of the start. */
  initramfs = '';

  readonly #boot: Boot;
  /** Folder for files that virtme-run writes. The guest cannot change it, and it is removed with the boot. */
  readonly #folder: string;
  readonly #initramfs: string;
  #kernelSeen = false;
  #lastError: string | undefined;

  constructor(boot: Boot, image: string) {
    this.#boot = boot;
    this.#folder = `${boot.runFolder}-virtme-ng`;
    this.#initramfs = join(this.#folder, 'initramfs.cpio');
    this.argv = ['virtme-run', ...virtmeArguments(boot, image, this.#initramfs)];
    this.variables = {
      PATH: boot.path,
      LANG: 'C.UTF-8',
      HOME: this.#folder,
      TMPDIR: this.#folder,
      ...qemuVariables(boot),
    };
  }

  async prepare(): Promise<void> {
    const { runFolder, kernel, agent } = this.#boot;
    const script = await readFile(join(packageRoot, 'vm', 'virtme-ng', 'start'), 'utf8');
    await writeFile(join(runFolder, 'start'), `set -- ${kernel.modulesRoot ?? '-'} ${agent}\n${script}`);
    await mkdir(this.#folder);
    await writeAccess(this.#boot, [this.#folder]);
  }

  onLine(line: string): void {
    if (line.includes('Linux version ')) this.#kernelSeen = true;
    // Python ends a traceback with the error, which is not indented.
    if (!this.#kernelSeen && !/^(\s|WARNING:|warning:|Traceback |If full|script -q|\(or use)/.test(line)) {
      this.#lastError = line;
    }
  }

  async cleanUp(): Promise<void> {
    const archive = await readFile(this.#initramfs).catch(() => undefined);
    if (archive !== undefined) this.initramfs = hash('sha256', archive);
    await rm(this.#folder, { recursive: true, force: true });
  }

  failure(end: BootEnd): MachineError | VmError {
    return explainFailure(this.#boot, end, this.#kernelSeen, this.#lastError);
  }
}

/**
 * The error for a start that left no status.json. virtme-run's exit code, 255 for a guest that did not end by itself,
 * says less than the console.
 *
 * @param kernelSeen whether the kernel printed anything
 * @param lastError the last line that virtme-run or QEMU printed before that
 */
export function explainFailure(
  boot: Boot,
  end: BootEnd,
  kernelSeen: boolean,
  lastError: string | undefined,
): MachineError | VmError {
  const { id } = boot.kernel.pin;
  if (end.consoleTail.some((line) => line.includes('Failed to mount real root'))) {
    return new VmError(`the guest of kernel ${id} cannot mount the host's root: does the kernel have 9p and virtio?`, {
      consoleTail: end.consoleTail,
      hint: 'build it with what kernels/config/guest.config names',
    });
  }
  if (kernelSeen || end.timedOut) return lostGuest(boot, end);
  return new MachineError(`virtme-ng could not start kernel ${id}: ${lastError ?? `it exited with ${end.exitCode}`}`, {
    hint: 'see `bpfgate doctor --runner virtme-ng`, or use the runner vmtest',
  });
}
