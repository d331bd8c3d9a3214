// How guests start: with and without a snapshot, from a broken one, on a full disk, with kernels that do not get far.

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { run, runOrThrow } from '../../src/adapters/process.ts';
import { locateCache, openCache } from '../../src/cache/cache.ts';
import { cachedKernel, listTreeKernels } from '../../src/kernels/cached.ts';
import type { CachedKernel } from '../../src/model/kernel.ts';
import { makeInitramfs } from '../../src/vm/initramfs.ts';
import { bpfgate, leftovers, type Outcome, temporaryFolder } from './bpfgate.ts';

let cache: string;
let folder: string;

/** The machine's cache, but without snapshots at first. */
function ownCache(whenDone?: (cleanUp: () => void) => void): string {
  const own = realpathSync(temporaryFolder(whenDone));
  for (const name of readdirSync(locateCache())) {
    if (name !== 'snapshots') symlinkSync(join(realpathSync(locateCache()), name), join(own, name));
  }
  return own;
}

beforeEach(() => {
  folder = realpathSync(temporaryFolder());
});

/** Runs bpfgate with its own temporary folder, which must be empty again at the end. */
async function exec(args: readonly string[], own: string = cache, path = process.env.PATH ?? ''): Promise<Outcome> {
  const outcome = await bpfgate(['exec', ...args], { env: { TMPDIR: folder, BPFGATE_CACHE: own, PATH: path } });
  expect(leftovers(folder)).toEqual([]);
  return outcome;
}

/** A PATH with a QEMU that runs a shell command first if it boots a guest with the host's files. */
async function pathWithQemu(first: string): Promise<string> {
  const wrapped = temporaryFolder();
  const qemu = (await runOrThrow('bash', ['-c', 'command -v qemu-system-x86_64'])).trim();
  const script = `#!/bin/bash\n[[ "$*" != *mount_tag=/dev/root* ]] || ${first}\nexec ${qemu} "$@"\n`;
  writeFileSync(join(wrapped, 'qemu-system-x86_64'), script, { mode: 0o755 });
  return `${wrapped}:${process.env.PATH}`;
}

/** A shell command that changes the guest's memory in QEMU's arguments. */
const giving = (memory: string) => `set -- "\${@/2048M/${memory}}"`;

/** The stages that `exec --timing` printed. */
const stages = (stderr: string) => [...stderr.matchAll(/^ {2}(\w+) +\d+\.\d+ s/gm)].map(([, stage]) => stage);
const booted = ['runner', 'firmware', 'kernel', 'initramfs', 'init', 'agent', 'command', 'shutdown', 'total'];
const restored = ['runner', 'restore', 'init', 'agent', 'command', 'shutdown', 'total'];

function savedMachine(own: string): string {
  const names = readdirSync(join(own, 'snapshots'), { recursive: true }) as string[];
  const machines = names.filter((name) => name.endsWith('/machine'));
  expect(machines).toHaveLength(1);
  return join(own, 'snapshots', machines[0] ?? '');
}

describe('a snapshot', () => {
  const timed = ['--kernel', '6.1', '--timing', '--', 'sh', '-c', 'uname -r; date +%s'];

  beforeAll(() => {
    let cleanUp = () => {};
    cache = ownCache((work) => {
      cleanUp = work;
    });
    return cleanUp;
  });

  test('is created by the first boot, and the next guest is restored from it, with the current time', async () => {
    const first = await exec(timed);
    expect([first.code, stages(first.stderr)]).toEqual([0, booted]);
    const second = await exec(timed);
    expect([second.code, stages(second.stderr)]).toEqual([0, restored]);
    const [release, seconds] = second.stdout.trim().split('\n');
    expect(release).toBe('6.1.0-50-amd64');
    expect(Math.abs(Number(seconds) - Date.now() / 1000)).toBeLessThan(600);
  });

  test('is not used with --no-snapshot', async () => {
    const before = statSync(savedMachine(cache)).mtimeMs;
    const { code, stderr } = await exec(['--no-snapshot', ...timed]);
    expect([code, stages(stderr)]).toEqual([0, booted]);
    expect(statSync(savedMachine(cache)).mtimeMs).toBe(before);
  });

  // vmtest gives QEMU five seconds to start, which a busy disk can use up.
  test('is restored, and a guest boots, also with a slow start of QEMU', async () => {
    const path = await pathWithQemu('sleep 7');
    for (const [option, expected] of [
      ['--no-snapshot', booted],
      ['--timing', restored],
    ] as const) {
      const { code, stderr } = await exec([option, ...timed], cache, path);
      expect([code, stages(stderr)]).toEqual([0, expected]);
    }
  });

  test.each([
    ['is cut short', (file: string) => truncateSync(file, 50_000_000)],
    ['is no snapshot', (file: string) => writeFileSync(file, 'no snapshot')],
  ])('that %s is replaced by one of a new boot, with a warning', async (_, spoil) => {
    spoil(savedMachine(cache));
    const { code, stderr } = await exec(timed);
    expect([code, stages(stderr)]).toEqual([0, booted]);
    expect(stderr).toMatch(/the snapshot did not restore \(qemu.*\); it is removed, and the guest booted/);
    expect(stages((await exec(timed)).stderr)).toEqual(restored);
  });

  test('that does not fit on the disk is a warning, and the command runs', async (context) => {
    const own = ownCache();
    mkdirSync(join(own, 'snapshots'));
    const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', join(own, 'snapshots')]);
    if (mounted.exitCode !== 0) context.skip('cannot mount a small tmpfs: not root');
    onTestFinished(async () => {
      await run('umount', [join(own, 'snapshots')]);
    });
    const { code, stdout, stderr } = await exec(['--kernel', '6.1', '--', 'echo', 'still here'], own);
    expect([code, stdout]).toEqual([0, 'still here\n']);
    expect(stderr).toContain('cannot save the booted machine');
    const left = readdirSync(join(own, 'snapshots'), { recursive: true }) as string[];
    expect(left.filter((name) => name.endsWith('machine'))).toEqual([]);
  });
});

describe('a kernel', () => {
  beforeAll(() => {
    cache = locateCache();
  });

  test('that panics too early to reset the machine is ended at once', async () => {
    const path = await pathWithQemu(giving('64M'));
    const { code, stderr } = await exec(['--kernel', '6.1', '--no-snapshot', '--', 'true'], cache, path);
    expect(code).toBe(3);
    expect(stderr).toContain('the guest of kernel 6.1 panicked');
    expect(stderr).toContain('PANIC: early exception');
  });

  test("that QEMU cannot start is an error with QEMU's message", async () => {
    const path = await pathWithQemu(giving('99999999M'));
    const { code, stderr } = await exec(['--kernel', '6.1', '--no-snapshot', '--', 'true'], cache, path);
    expect(code).toBe(3);
    expect(stderr).toMatch(/qemu-system-x86_64: .*memory/);
  });

  test('is ended at once if QEMU ends before it has started', async () => {
    const path = await pathWithQemu('{ echo no luck >&2; exit 9; }');
    const { code, stderr } = await exec(['--kernel', '6.1', '--icount', '--no-snapshot', '--', 'true'], cache, path);
    expect(code).toBe(3);
    expect(stderr).toContain('the guest of kernel 6.1 was not started');
    expect(stderr).toContain('no luck');
  });

  test('powers off in the initramfs, also without ACPI', async (context) => {
    const own = openCache();
    const [tree] = listTreeKernels(own);
    if (tree === undefined) return context.skip('no kernel built from a tree in the cache');
    const built = cachedKernel(tree, own) as CachedKernel;
    expect(readFileSync(built.config ?? '', 'utf8')).toContain('# CONFIG_ACPI is not set');
    const initramfs = await makeInitramfs(built, own, process.env);
    const result = await run(
      'qemu-system-x86_64',
      [
        ...['-nodefaults', '-display', 'none', '-no-reboot', '-serial', 'stdio', '-m', '512', '-accel', 'tcg'],
        ...['-kernel', built.image, '-initrd', initramfs.file],
        ...['-append', 'console=ttyS0 panic=-1 pmtmr=0x608 bpfgate.probe'],
      ],
      { timeoutMs: 90_000 },
    );
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    expect(result.stdout).toContain('bpfgate-probe: booted');
  });

  test('5.8 built from source boots, with BTF and everything that programs need', async (context) => {
    const listed = await bpfgate(['kernels', 'list', '--format', 'json']);
    const { kernels } = JSON.parse(listed.stdout) as { kernels: { id: string; cached: string }[] };
    const found = kernels.find(({ id, cached }) => /^5\.8(:tree)?$/.test(id) && cached === 'yes');
    if (found === undefined) return context.skip('no 5.8 in the cache');
    const command = 'uname -r; ls /sys/kernel/btf; grep -c . /sys/kernel/tracing/available_filter_functions';
    const { code, stdout } = await exec(['--kernel', found.id, '--', 'sh', '-c', command]);
    const [release, btf, functions] = stdout.trim().split('\n');
    expect([code, release, btf]).toEqual([0, '5.8.18', 'vmlinux']);
    expect(Number(functions)).toBeGreaterThan(1000);
  });
});
