// Boot times: the subjects. Each boots a kernel to its first process or first command, and ends.

import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { stringify } from 'smol-toml';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { type RunResult, run, runOrThrow } from '../../src/adapters/process.ts';
import { withTemporaryFolder } from '../../src/adapters/temporary-folder.ts';
import { guestEnvironment } from '../../src/build/environment.ts';
import { MachineError } from '../../src/common/errors.ts';
import type { Accelerator } from '../../src/model/guest-run.ts';
import type { CachedKernel } from '../../src/model/kernel.ts';
import { findExecutable } from '../../src/prerequisites/executables.ts';
import type { Boot } from '../../src/vm/boot.ts';
import { makeBootImage } from '../../src/vm/boot-image.ts';
import { defaultMemoryMiB, readableIn } from '../../src/vm/guest.ts';
import { makeInitramfs } from '../../src/vm/initramfs.ts';
import { machineArguments } from '../../src/vm/machine.ts';
import { parseStatus } from '../../src/vm/records.ts';
import { findSnapshot, removeSnapshot, type Snapshot, snapshotOf } from '../../src/vm/snapshot.ts';
import { runBoot } from '../../src/vm/start.ts';
import { startVmtest } from '../../src/vm/vmtest.ts';
import type { Host } from '../host.ts';
import type { BootTimes } from '../statistics.ts';

/** Timeout of one boot. A stock kernel under icount takes 20 s on an otherwise idle machine. */
const timeoutMs = 300_000;

/**
 * Makes the initramfs of the floor, whose init ends the machine.
 *
 * @returns absolute path of the archive
 */
export async function makeFloorInitramfs(host: Host): Promise<string> {
  return packInitramfs(host, 'floor', [], '/bin/busybox echo floor: booted\nexec /bin/busybox reboot -f\n');
}

/** Boots plain QEMU, from its start to its end. */
export async function bootFloor(
  host: Host,
  kernel: CachedKernel,
  initramfs: string,
  machine: readonly string[] = ['-accel', 'tcg'],
): Promise<BootTimes> {
  const startedAt = performance.now();
  const result = await run(
    host.qemu,
    [
      ...['-nodefaults', '-display', 'none', '-no-reboot', '-serial', 'stdio'],
      ...['-smp', '1', '-m', String(defaultMemoryMiB), ...machine],
      ...['-kernel', kernel.image, '-initrd', initramfs, '-append', 'console=ttyS0 panic=-1'],
    ],
    { env: host.environment, signal: host.signal, timeoutMs },
  );
  const endMs = performance.now() - startedAt;
  if (result.timedOut || !result.stdout.includes('floor: booted')) throw failure('QEMU', result);
  return { firstMs: null, endMs };
}

/** Boots the floor on the machine of the instruction lane. */
export function bootIcountFloor(host: Host, kernel: CachedKernel, initramfs: string): Promise<BootTimes> {
  return bootFloor(host, kernel, initramfs, machineArguments('tcg-icount').qemu);
}

/** Modules of a distribution's kernel that stock vmtest needs to mount the host's root and to receive commands. */
const vmtestModules = ['virtio_pci', 'virtio_console', '9p', '9pnet_virtio', 'overlay'];

/** Mounts the root as vmtest's kernel parameters say, under an overlay, and starts vmtest's own init. */
const vmtestInit = `bb=/bin/busybox
$bb mkdir -p /proc /lower /rw /merged
$bb mount -t proc proc /proc
for module in /modules/*.ko; do
	[ -e "$module" ] && $bb insmod "$module"
done
for word in $($bb cat /proc/cmdline); do
	case $word in init=*) init=\${word#init=} ;; esac
done
$bb mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=512000,cache=loose /dev/root /lower
$bb mount -t tmpfs tmpfs /rw
$bb mkdir /rw/upper /rw/work
$bb mount -t overlay -o lowerdir=/lower,upperdir=/rw/upper,workdir=/rw/work overlay /merged
$bb mount -t devtmpfs dev /merged/dev
$bb umount /proc
exec $bb switch_root /merged "$init"
`;

/** Makes an initramfs for stock vmtest on a distribution's kernel: it loads modules before it mounts the root. */
export async function makeVmtestInitramfs(host: Host, kernel: CachedKernel): Promise<string> {
  return packInitramfs(
    host,
    `vmtest-${kernel.imageSha256}`,
    await findModules(host, kernel, vmtestModules),
    vmtestInit,
  );
}

/** Boots stock vmtest without KVM: overrides the accelerator, and sets the CPU model that vmtest uses without KVM. */
export async function bootVmtest(host: Host, kernel: CachedKernel, initramfs: string): Promise<BootTimes> {
  return withTemporaryFolder(join(host.folder, 'run-'), (folder) => {
    const config = stringify({
      target: [
        {
          name: 'stock',
          kernel: kernel.image,
          command: 'touch /mnt/vmtest/started',
          vm: {
            num_cpus: 1,
            memory: `${defaultMemoryMiB}M`,
            extra_args: ['-initrd', initramfs, '-machine', 'accel=tcg', '-cpu', 'qemu64'],
          },
        },
      ],
    });
    const file = join(folder, 'vmtest.toml');
    return writeFile(file, config).then(() =>
      untilFile(join(folder, 'started'), 'vmtest', () =>
        run('vmtest', ['--config', file], { env: host.environment, signal: host.signal, timeoutMs }),
      ),
    );
  });
}

/**
 * Makes a `vng` command from the package of bpfgate's virtme-ng runner. That package comes without two packages that
 * `vng` imports, for completion and for downloading kernels. Neither is used here, so stubs replace them.
 *
 * @returns absolute path
 */
export async function makeVng(host: Host): Promise<string> {
  const runner = await findExecutable('virtme-run', host.environment);
  if (runner === undefined) {
    throw new MachineError('virtme-ng is missing', { hint: 'bpfgate doctor --install --runner virtme-ng' });
  }
  const folder = join(host.folder, 'vng');
  await mkdir(folder);
  await writeFile(join(folder, 'requests.py'), '');
  await writeFile(join(folder, 'argcomplete.py'), 'def autocomplete(parser):\n    pass\n');
  const program = join(folder, 'vng');
  const path = [dirname(dirname(runner)), folder].map((each) => JSON.stringify(each)).join(', ');
  await writeFile(
    program,
    `#!/usr/bin/env python3\nimport sys\n\nsys.path[0:1] = [${path}]\nfrom virtme_ng.run import main\n\nsys.exit(main())\n`,
  );
  await chmod(program, 0o755);
  return program;
}

/** Boots stock `vng`, which looks for a kernel's modules in `lib/modules` of a folder above its image. */
export async function bootVng(host: Host, kernel: CachedKernel, vng: string): Promise<BootTimes> {
  return withTemporaryFolder(join(host.folder, 'run-'), async (folder) => {
    const image = join(folder, 'kernel', 'vmlinuz');
    const shared = join(folder, 'shared');
    await mkdir(dirname(image));
    await mkdir(shared);
    await symlink(kernel.image, image);
    if (kernel.modulesRoot !== undefined) await symlink(join(kernel.modulesRoot, 'lib'), join(folder, 'kernel', 'lib'));
    const started = join(shared, 'started');
    return untilFile(started, 'vng', () =>
      run(
        vng,
        [
          ...['--run', image, '--disable-kvm', '--cpus', '1', '--memory', `${defaultMemoryMiB}M`],
          ...(kernel.modulesRoot === undefined ? ['--skip-modules'] : []),
          ...['--rwdir', shared, '--', 'touch', started],
        ],
        // The home folder holds the user's own settings.
        { cwd: folder, env: { ...host.environment, HOME: folder }, signal: host.signal, timeoutMs },
      ),
    );
  });
}

/** Times a whole `bpfgate exec` process, until its command's first byte and until its end. */
export async function bootExec(
  host: Host,
  kernel: CachedKernel,
  cli: string,
  from: 'boot' | 'snapshot' | 'boot, saving a snapshot',
): Promise<BootTimes> {
  const startedAt = performance.now();
  let firstMs: number | undefined;
  const result = await run(
    process.execPath,
    [
      ...[cli, 'exec', '--kernel', kernel.pin.id, '--timing', ...(from === 'boot' ? ['--no-snapshot'] : [])],
      ...['--', 'echo', 'started'],
    ],
    {
      cwd: packageRoot,
      env: { ...process.env, BPFGATE_CACHE: host.cache.root },
      signal: host.signal,
      timeoutMs,
      onLine: (line, stream) => {
        if (stream === 'stdout' && line === 'started') firstMs ??= performance.now() - startedAt;
      },
    },
  );
  const endMs = performance.now() - startedAt;
  if (firstMs === undefined || result.exitCode !== 0) throw failure('bpfgate exec', result);
  if (/^ +restore /m.test(result.stderr) !== (from === 'snapshot')) {
    throw new MachineError(`bpfgate exec did not start from ${from}`);
  }
  const initramfs = /^ +initramfs +([\d.]+) s/m.exec(result.stderr)?.[1];
  return { firstMs, endMs, initramfsMs: initramfs === undefined ? undefined : Number(initramfs) * 1000 };
}

/**
 * Bundles the command line from these sources, as it is released.
 *
 * @param folder inside the package, so that the bundle finds the package's other files
 * @returns absolute path
 */
export async function bundleCli(folder: string): Promise<string> {
  const rolldown = join(packageRoot, 'node_modules', '.bin', 'rolldown');
  await runOrThrow(rolldown, ['--config', '--dir', folder, '--logLevel', 'silent'], { cwd: packageRoot });
  return join(folder, 'cli.js');
}

/** What the lane's machine starts from. It is made once per kernel. */
export type PreparedBoot = Omit<Boot, 'runFolder'>;

export async function prepareBoot(host: Host, kernel: CachedKernel, accelerator: Accelerator): Promise<PreparedBoot> {
  const { cache, environment, qemu } = host;
  const image = await makeBootImage(kernel, cache, environment);
  const initramfs = await makeInitramfs(kernel, cache, environment);
  const files = { kernel, image, initramfs, agent: host.agent.file, qemu };
  return {
    ...files,
    accelerator,
    memoryMiB: defaultMemoryMiB,
    cpus: 1,
    readable: await readableIn({ ...files, trees: [packageRoot] }, host),
    path: host.environment.PATH ?? '',
    timeoutMs,
    signal: host.signal,
  };
}

/** Returns where this boot's snapshot is saved, after removing an existing one. */
export async function freshSnapshot(host: Host, boot: PreparedBoot): Promise<Snapshot> {
  const snapshot = await snapshotOf({ ...boot, runFolder: host.folder }, host.cache, host.versions);
  await removeSnapshot(snapshot);
  return snapshot;
}

/**
 * The size of a snapshot in bytes.
 *
 * @throws MachineError if it was not saved
 */
export async function sizeOfSnapshot(snapshot: Snapshot): Promise<number> {
  const file = findSnapshot(snapshot);
  if (file === undefined) throw new MachineError('the booted machine was not saved');
  return (await stat(file)).size;
}

/** Boots as the instruction lane does: from the start of the runner until the agent in the guest is ready. */
export async function bootLane(
  host: Host,
  boot: PreparedBoot,
  from: 'boot' | 'snapshot' | 'boot, saving a snapshot',
): Promise<BootTimes> {
  return withTemporaryFolder(join(host.folder, 'run-'), async (runFolder) => {
    const plan = { mode: 'exec', argv: ['true'], cwd: '/', env: guestEnvironment(host.environment) };
    await writeFile(join(runFolder, 'plan.json'), JSON.stringify(plan));
    const startedAt = performance.now();
    const whole = { ...boot, runFolder };
    const snapshot = from === 'boot' ? undefined : await snapshotOf(whole, host.cache, host.versions);
    const end = await runBoot(whole, startVmtest, snapshot, host.log);
    const endMs = performance.now() - startedAt;
    const status = parseStatus(end.status);
    if (status.outcome !== 'exited' || status.exit_code !== 0) throw new MachineError('the guest did not run `true`');
    if ((end.startedFrom === 'snapshot') !== (from === 'snapshot')) {
      throw new MachineError(`the guest did not start from ${from}`);
    }
    const isLate = ({ stage }: { stage: string }) => stage === 'command' || stage === 'shutdown';
    const lateMs = end.timing.filter(isLate).reduce((sum, { ms }) => sum + ms, 0);
    const initramfsMs = end.timing.find(({ stage }) => stage === 'initramfs')?.ms;
    return { firstMs: endMs - lateMs, endMs, initramfsMs };
  });
}

/** Paths of modules and their dependencies, in load order; none if the kernel has no modules folder. */
async function findModules(host: Host, kernel: CachedKernel, names: readonly string[]): Promise<string[]> {
  if (kernel.modulesRoot === undefined) return [];
  const files = new Set<string>();
  for (const name of names) {
    const shown = await runOrThrow(
      'modprobe',
      ['--dirname', kernel.modulesRoot, '--set-version', kernel.uname, '--show-depends', name],
      { env: host.environment },
    );
    for (const [, file = ''] of shown.matchAll(/^insmod (\S+)/gm)) files.add(file);
  }
  return [...files];
}

/** @param init a shell script without its first line */
async function packInitramfs(host: Host, name: string, modules: readonly string[], init: string): Promise<string> {
  const root = join(host.folder, name);
  const archive = `${root}.cpio`;
  await mkdir(join(root, 'bin'), { recursive: true });
  await mkdir(join(root, 'modules'));
  await copyFile(host.busybox, join(root, 'bin', 'busybox'));
  await writeFile(join(root, 'init'), `#!/bin/busybox sh\n${init}`);
  await chmod(join(root, 'init'), 0o755);
  for (const [index, file] of modules.entries()) {
    const target = join(
      root,
      'modules',
      `${String(index).padStart(2, '0')}-${basename(file).replace(/\.ko.*$/, '.ko')}`,
    );
    const unpacker = file.endsWith('.xz') ? 'xz -dc' : file.endsWith('.zst') ? 'zstd -dc' : 'cat';
    await runOrThrow('bash', ['-c', `${unpacker} "$1" >"$2"`, 'bash', file, target], { env: host.environment });
  }
  const names = await readdir(root, { recursive: true });
  await runOrThrow('cpio', ['--create', '--format=newc', '--owner=0:0', '--quiet', `--file=${archive}`], {
    cwd: root,
    env: host.environment,
    input: `${['.', ...names.sort()].join('\n')}\n`,
  });
  return archive;
}

/** Times a program until its guest has made a file, and to its end. The file proves success; exit codes are ignored. */
async function untilFile(file: string, name: string, start: () => Promise<RunResult>): Promise<BootTimes> {
  const startedAt = performance.now();
  let firstMs: number | undefined;
  const look = () => {
    if (firstMs === undefined && existsSync(file)) firstMs = performance.now() - startedAt;
  };
  const timer = setInterval(look, 5);
  try {
    const result = await start();
    const endMs = performance.now() - startedAt;
    look();
    if (firstMs === undefined) throw failure(name, result);
    return { firstMs, endMs };
  } finally {
    clearInterval(timer);
  }
}

function failure(name: string, result: RunResult): MachineError {
  const how = result.timedOut ? `did not end within ${timeoutMs / 1000} s` : `ended with ${result.exitCode}`;
  const last = (result.stderr.trim() || result.stdout.trim()).split('\n').at(-1) ?? '';
  return new MachineError(`${name} ${how}${last === '' ? '' : `: ${last}`}`);
}
