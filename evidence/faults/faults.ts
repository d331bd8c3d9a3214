// Every fault that is injected.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runOrThrow } from '../../src/adapters/process.ts';
import { groupBy } from '../../src/common/group-by.ts';
import type { Fault } from './fault.ts';
import { type Ended, GateProcess } from './gate-process.ts';
import { cpuSeconds, guestProcess, runFolderOf } from './machine.ts';
import { makeSandbox, peace, type Sandbox } from './sandbox.ts';

const inTrouble = /: trouble, head, reading 1$/m;
/** A script for the guest that never ends. */
const endless = 'while :; do :; done\n';
/** Runs a command in the guest's run folder, as a program could that has taken over its kernel; no other reaches it. */
const inRunFolder = (command: string) => ({
  trouble: { script: endless },
  inject: async (gate: GateProcess, sandbox: Sandbox): Promise<void> => {
    await gate.said(inTrouble);
    // Head's folder: base's guest is not in trouble. It may have ended, and then its folder is no longer watched.
    const folder = await gate.until(() => runFolderOf(sandbox, '6.1'), 'the run folder was found');
    await runOrThrow('sh', ['-c', command], { cwd: folder }).catch(() => {});
  },
});

/** A bench that ends on all kernels but one. */
const hangingOn = (kernel: string) => ({
  script: `case $(uname -r) in ${kernel}.*) ${endless.trim()} ;; esac\nexec ./lives\n`,
});

/** Kills a program of a kernel's guest once head's trouble has begun. */
const killing =
  (program: 'qemu' | 'vmtest', kernel: string) =>
  async (gate: GateProcess, sandbox: Sandbox): Promise<void> => {
    await gate.said(new RegExp(`${kernel}: trouble, head, reading 1$`, 'm'));
    const pid = await gate.until(() => guestProcess(sandbox, kernel, program), `${program} was found`);
    process.kill(pid, 'SIGKILL');
  };

/**
 * Stops QEMU for good, as if the machine hung: neither the guest nor its monitor does anything any more.
 *
 * @param worked processor seconds that QEMU must have used before; until the kernel's first line it uses a quarter
 */
const freezing =
  (when: RegExp, worked = 0) =>
  async (gate: GateProcess, sandbox: Sandbox): Promise<void> => {
    await gate.said(when);
    const pid = await gate.until(() => guestProcess(sandbox, '6.1', 'qemu'), 'QEMU was found');
    await gate.until(() => cpuSeconds(pid) >= worked, 'QEMU had begun');
    process.kill(pid, 'SIGSTOP');
  };

/** Checks that endless output of a bench costs the host little: bpfgate, and what it started, above all vmtest. */
const printing = {
  inject: async (gate: GateProcess): Promise<void> => {
    await gate.said(inTrouble);
    gate.forgetOthers();
  },
  check: ({ peakMiB, othersPeakMiB }: Ended): string[] => [
    // Twice 8 MiB of output, as bytes and as text, on top of Node's own memory; not all of it is collected at once.
    ...(peakMiB < 256 ? [] : [`bpfgate took ${peakMiB} MiB`]),
    ...(othersPeakMiB < 16 ? [] : [`what it had started took ${othersPeakMiB} MiB`]),
  ],
};

/** Mounts a small file system, which is soon full, in place of a folder. */
const mounting =
  (at: (sandbox: Sandbox) => string, size: string) =>
  async (sandbox: Sandbox): Promise<() => Promise<void>> => {
    const place = at(sandbox);
    const kept = `${place}.kept`;
    mkdirSync(place, { recursive: true });
    await runOrThrow('cp', ['--archive', place, kept]);
    await runOrThrow('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', place]);
    await runOrThrow('cp', ['--archive', '--no-target-directory', kept, place]).catch(() => {});
    await runOrThrow('rm', ['-rf', kept]);
    return async () => {
      // Copied back, because leftovers in it are looked for.
      await runOrThrow('cp', ['--archive', '--no-target-directory', place, kept]);
      await runOrThrow('umount', [place]);
      await runOrThrow('cp', ['--archive', '--no-target-directory', kept, place]);
      await runOrThrow('rm', ['-rf', kept]);
    };
  };

const guests: readonly Fault[] = [
  {
    name: 'qemu-killed',
    what: 'QEMU is killed while a bench runs',
    inShort: true,
    trouble: { script: endless },
    inject: killing('qemu', '6.1'),
    expect: {
      codes: [3],
      message: /the guest of kernel 6\.1 ended before .* in bench `trouble`, head, reading 1/,
    },
  },
  {
    name: 'qemu-of-one-kernel-killed',
    what: 'QEMU of one of two kernels is killed',
    inShort: true,
    kernels: '6.1,6.12',
    trouble: hangingOn('6.12'),
    inject: killing('qemu', '6.12'),
    expect: {
      codes: [3],
      message: /6\.12: the guest of kernel 6\.12 ended before .* in bench `trouble`, head, reading 1/,
      measured: ['6.1'],
      missing: { '6.12': /the guest of kernel 6\.12 ended before/ },
    },
  },
  {
    name: 'vmtest-killed',
    what: 'vmtest is killed while a bench runs',
    inShort: true,
    trouble: { script: endless },
    inject: killing('vmtest', '6.1'),
    expect: { codes: [3], message: /the guest of kernel 6\.1 ended before .* in bench `trouble`/ },
  },
  {
    name: 'guest-panics',
    what: 'the guest’s kernel panics',
    inShort: true,
    trouble: { script: 'echo c >/proc/sysrq-trigger\n' },
    expect: { codes: [3], message: /the guest of kernel 6\.1 panicked: .*, in bench `trouble`, head, reading 1/ },
  },
  {
    name: 'hangs-at-boot',
    what: 'QEMU is stopped while the kernel boots; `--timeout 40`',
    options: ['--no-snapshot', '--timeout', '40'],
    inject: freezing(/booting/, 0.75),
    expect: { codes: [3], message: /the guest of kernel 6\.1 did not finish within its 40 s/ },
  },
  {
    name: 'hangs-while-restored',
    what: 'QEMU is stopped while a snapshot is restored',
    inject: freezing(/booting/),
    expect: { codes: [0], message: /the snapshot did not restore/, measured: ['6.1'] },
  },
  {
    name: 'hangs-in-bench',
    what: 'a bench never ends; `--timeout 30`',
    trouble: { script: endless },
    options: ['--timeout', '30'],
    expect: { codes: [3], message: /did not finish within its 30 s .* in bench `trouble`, head, reading 1/ },
  },
  {
    name: 'machine-stops-in-bench',
    what: 'QEMU is stopped while a bench runs; `--timeout 40`',
    trouble: { script: endless },
    options: ['--timeout', '40'],
    inject: freezing(inTrouble),
    expect: { codes: [3], message: /did not finish within its 40 s .* in bench `trouble`, head, reading 1/ },
  },
  {
    name: 'out-of-memory',
    what: 'a bench takes all of the guest’s memory',
    trouble: { script: 'a=xxxxxxxxxxxxxxxx; while :; do a=$a$a; done\n' },
    expect: {
      codes: [4],
      message: /bench `trouble` (was ended by signal 9|exited with (2|137)) on head/,
      missing: { '6.1': /^bench `trouble`/ },
    },
  },
  {
    name: 'guest-disk-full',
    what: 'a bench fills the guest’s disk, which is memory',
    inShort: true,
    trouble: { script: 'set -e; cat /dev/zero >/tmp/full; exec ./lives\n' },
    expect: {
      codes: [4],
      message: /bench `trouble` exited with 1 on head/,
      missing: { '6.1': /No space left on device/ },
    },
  },
  {
    name: 'run-folder-filled',
    what: 'root in the guest writes to the run folder without end',
    inShort: true,
    ...inRunFolder('head -c 1G /dev/zero >full'),
    expect: { codes: [3], message: /the guest of kernel 6\.1 wrote more than 512 MiB to its run folder/ },
  },
  {
    name: 'run-folder-of-many-files',
    what: 'root in the guest makes folders in the run folder without end',
    ...inRunFolder('seq 200000 | xargs -n 2000 mkdir'),
    expect: { codes: [3], message: /the guest of kernel 6\.1 left more than 100000 files in its run folder/ },
  },
  {
    name: 'run-folder-nested',
    what: 'root in the guest nests folders deeper than a path can name',
    ...inRunFolder('n=$(printf %0200d 0); for i in $(seq 40); do mkdir $n; cd -P ./$n; done; : >bottom'),
    expect: {
      codes: [3],
      message: /the guest of kernel 6\.1 left files that cannot be counted in its run folder \(ENAMETOOLONG\)/,
    },
  },
  {
    name: 'reboots',
    what: 'the guest reboots',
    trouble: { script: 'echo b >/proc/sysrq-trigger\n' },
    expect: { codes: [3], message: /the guest of kernel 6\.1 ended before .* in bench `trouble`, head, reading 1/ },
  },
  {
    name: 'signals-its-init',
    what: 'a bench sends every signal to the agent, the guest’s first process',
    trouble: { script: 'for s in $(seq 1 31); do kill -$s 1; done; exec ./lives\n' },
    expect: { codes: [0, 3] },
  },
  {
    name: 'kills-its-init',
    what: 'root in the guest overwrites the agent’s code',
    inShort: true,
    trouble: {
      script: `while read -r range mode _; do case $mode in *x*) ;; *) continue ;; esac
from=$((0x\${range%-*})) to=$((0x\${range#*-}))
dd if=/dev/zero of=/proc/1/mem bs=4096 seek=$((from / 4096)) count=$(((to - from) / 4096)) conv=notrunc
done </proc/1/maps
`,
    },
    expect: {
      codes: [3],
      message: /the guest of kernel 6\.1 panicked: .*Attempted to kill init!.*, in bench `trouble`, head, reading 1/,
    },
  },
  {
    name: 'forks-without-end',
    what: 'a bench forks without end; `--timeout 60`',
    options: ['--timeout', '60'],
    trouble: { script: 'f() { f | f; }; f\n' },
    expect: { codes: [3, 4], message: /trouble/ },
  },
  {
    name: 'forks-away-without-end',
    what: 'a bench forks without end in sessions that outlive it; `--timeout 60`',
    options: ['--timeout', '60'],
    trouble: { script: "printf 'setsid sh ./bomb & setsid sh ./bomb &\\n' >bomb; sh ./bomb; exec ./lives\n" },
    // The processes are killed with the bench, if they let it end.
    expect: { codes: [0, 3, 4] },
  },
  {
    name: 'prints-1-gib',
    what: 'a bench prints 1 GiB',
    inShort: true,
    trouble: { script: 'head -c 1073741824 /dev/zero; exec ./lives\n' },
    inject: printing.inject,
    expect: {
      codes: [4],
      message: /bench `trouble` printed more than 8 MiB to stdout on head, kernel 6\.1, reading 1/,
      check: printing.check,
    },
  },
  {
    name: 'prints-on-the-console',
    what: 'a bench fills the guest’s console with one line; `--timeout 60`',
    trouble: { script: 'cat /dev/zero >/dev/console\n' },
    inject: printing.inject,
    options: ['--timeout', '60'],
    expect: {
      codes: [3],
      message: /did not finish within its 60 s .* in bench `trouble`/,
      check: printing.check,
    },
  },
  {
    name: 'prints-no-text',
    what: 'a bench prints invalid UTF-8 and control sequences everywhere, and fails',
    inShort: true,
    trouble: {
      script: `p() { printf '\\377\\376\\300\\200 \\033[2J\\033]0;owned\\007 \\000\\010\\177 \\303\\050 \\342\\200\\256 ::error::x\\r\\n'; }
p; p >&2; p >/dev/console; exit 7
`,
    },
    expect: {
      codes: [4],
      message: /bench `trouble` exited with 7 on head, kernel 6\.1, reading 1/,
      missing: { '6.1': /^bench `trouble` exited with 7/ },
    },
  },
  {
    name: 'run-folder-removed',
    what: 'the run folder is removed while a bench runs',
    inShort: true,
    trouble: { script: endless },
    inject: async (gate, sandbox) => {
      await gate.said(inTrouble);
      // Head's folder only: base's guest may still be in the bench before.
      rmSync(await gate.until(() => runFolderOf(sandbox, '6.1'), 'the run folder was found'), { recursive: true });
    },
    expect: { codes: [3], message: /the run folder of the guest of kernel 6\.1 was removed, in bench `trouble`/ },
  },
];

/** Faults in which a gate writes to its own disk of limited size. */
const disks: readonly Fault[] = [
  {
    name: 'cache-disk-full-kernel',
    what: 'the cache’s disk has no room for the kernel’s image (16 MiB)',
    inShort: true,
    needsRoot: true,
    cache: 'kernels only',
    prepare: mounting(({ cache }) => join(cache, 'boot-images'), '16m'),
    expect: { codes: [3], message: /cannot unpack the kernel|cannot write to the cache `.*boot-images`/ },
  },
  {
    name: 'cache-disk-full-initramfs',
    what: 'the cache’s disk has no room for the initramfs (1 MiB)',
    needsRoot: true,
    cache: 'kernels only',
    prepare: mounting(({ cache }) => join(cache, 'initramfs'), '1m'),
    expect: { codes: [3], message: /No space left on device|cannot write to the cache `.*initramfs`/ },
  },
  {
    name: 'cache-disk-full-snapshot',
    what: 'the cache’s disk has no room for a snapshot (20 MiB)',
    needsRoot: true,
    cache: 'kernels only',
    prepare: mounting(({ cache }) => join(cache, 'snapshots'), '20m'),
    expect: { codes: [0], message: /cannot save the booted machine/, measured: ['6.1'] },
  },
  {
    name: 'cache-disk-full-sources',
    what: 'the cache’s disk has no room for the project’s sources (8 KiB)',
    needsRoot: true,
    prepare: mounting(({ cache }) => join(cache, 'builds'), '8k'),
    expect: { codes: [3], message: /[Nn]o space left on device|unable to write file/ },
  },
  {
    name: 'cache-disk-full-build',
    what: 'the cache’s disk has no room for what the project builds (40 KiB)',
    needsRoot: true,
    prepare: mounting(({ cache }) => join(cache, 'builds'), '40k'),
    expect: { codes: [3, 4], message: /[Nn]o space left on device|unable to write file|build of base/ },
  },
  {
    name: 'cache-disk-full-counts',
    what: 'the cache’s disk has no room for what was counted (4 KiB)',
    needsRoot: true,
    prepare: mounting(({ cache }) => join(cache, 'counts'), '4k'),
    expect: { codes: [0], measured: ['6.1'] },
  },
  ...['4k', '16k', '64k'].map(
    (size): Fault => ({
      name: `temporary-disk-full-${size}`,
      what: `the temporary folder’s disk has ${size.slice(0, -1)} KiB`,
      inShort: size === '16k',
      needsRoot: true,
      prepare: mounting(({ temporary }) => temporary, size),
      expect: { codes: [3], message: /[Nn]o space left on device|Out of diskspace|the disk of \S+ is full/ },
    }),
  ),
  {
    name: 'output-disk-full',
    what: 'the output folder’s disk has 16 KiB: the results are printed',
    inShort: true,
    needsRoot: true,
    prepare: mounting(({ out }) => out, '16k'),
    expect: {
      codes: [3],
      message: /cannot write the results to .*: ENOSPC/,
      check: ({ stdout }, sandbox) => [
        ...(/^verdict: pass$/m.test(stdout) ? [] : ['the results are not printed']),
        ...checkKept(1, sandbox),
      ],
    },
  },
];

/** Number of cached counts of a kernel whose gate was finished: of two benches, of base and of head. */
const countsOfKernel = 4;

/** Checks that the next gate would boot nothing for at least `wanted` kernels. */
function checkKept(wanted: number, { cache }: Sandbox): string[] {
  const kernels: string[] = attemptList(join(cache, 'counts')).map(
    (entry) => JSON.parse(readFileSync(join(cache, 'counts', entry, 'counts.json'), 'utf8')).run.kernel,
  );
  const ofEach = groupBy(kernels, (kernel) => kernel);
  const kept = ofEach.filter((counts) => counts.length >= countsOfKernel).length;
  return kept >= wanted ? [] : [`of ${kept} kernels all counts are kept for the next gate, not of ${wanted}`];
}

/** An archive that begins to send a kernel and then nothing more. */
function stallingArchive() {
  let asked = false;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': '70000000' });
    response.write(Buffer.alloc(1_000_000));
    asked = true;
  });
  return {
    prepare: async ({ folder }: Sandbox) => {
      asked = false;
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      writeFileSync(
        join(folder, 'apt.conf'),
        'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "/dev/null";\n',
      );
      return async () => {
        server.closeAllConnections();
        await new Promise<void>((resolve) => server.close(() => resolve()));
      };
    },
    environment: ({ folder }: Sandbox): NodeJS.ProcessEnv => ({
      APT_CONFIG: join(folder, 'apt.conf'),
      BPFGATE_DEBIAN_ARCHIVE: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      http_proxy: '',
      HTTP_PROXY: '',
      no_proxy: '127.0.0.1',
    }),
    inject: (gate: GateProcess) => gate.until(() => asked, 'it asked for the kernel'),
  };
}

type Signal = 'SIGINT' | 'SIGTERM';

/** A moment at which a signal comes, and how the gate gets there. */
type Moment = Partial<Fault> & {
  readonly moment: string;
  /** Words for a reader, after `SIGINT comes during`. Default: the moment. */
  readonly words?: string;
  readonly when: NonNullable<Fault['inject']>;
};

const isInterrupted = { codes: [130], message: /interrupted; nothing was left running/ };

const moments: readonly Moment[] = [
  {
    moment: 'build',
    words: 'the build',
    // The build is below the sandbox's cache. Only the gate after the fault finds the file `peace`.
    trouble: { build: `[ -e "\${PWD%/cache/*}/${peace}" ] || sleep 600; cc -O2 -o lives lives.c` },
    when: (gate) => gate.said(/building base/),
  },
  { moment: 'fetch', cache: 'no kernel', when: async () => {} },
  {
    moment: 'boot',
    options: ['--no-snapshot'],
    when: async (gate, sandbox) => {
      await gate.until(() => guestProcess(sandbox, '6.1', 'qemu'), 'QEMU was found');
    },
  },
  {
    moment: 'save',
    words: 'saving a snapshot',
    cache: 'kernels only',
    when: async (gate, { cache }) => {
      const isSaving = () =>
        attemptList(join(cache, 'snapshots')).some((kind) => attemptList(join(cache, 'snapshots', kind)).length > 0);
      await gate.until(isSaving, 'a snapshot was begun');
    },
  },
  {
    moment: 'restore',
    words: 'restoring a snapshot',
    when: async (gate, sandbox) => {
      await gate.until(() => guestProcess(sandbox, '6.1', 'qemu'), 'QEMU was found');
    },
  },
  { moment: 'bench', trouble: { script: endless }, when: (gate) => gate.said(inTrouble) },
  {
    moment: 'second-kernel',
    words: 'the bench of a second kernel',
    kernels: '6.1,6.12',
    trouble: hangingOn('6.12'),
    when: async (gate) => {
      await gate.said(/6\.1: measured$/m);
      await gate.said(/6\.12: trouble, head, reading 1$/m);
    },
    expect: {
      ...isInterrupted,
      measured: ['6.1'],
      missing: { '6.12': /^interrupted$/ },
      check: ({ stdout }, sandbox) => [
        ...(/^verdict: error$/m.test(stdout) ? [] : ['the verdict is not `error`']),
        ...checkKept(1, sandbox),
      ],
    },
  },
  {
    moment: 'report',
    words: 'writing the output folder, which is completed',
    gate: { nodeOptions: ['--import', join(import.meta.dirname, 'hold-report.ts')] },
    when: (gate) => gate.said(/^bpfgate: the output folder is begun$/m),
    expect: { ...isInterrupted, measured: ['6.1'] },
  },
];

function attemptList(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

const interruptions: readonly Fault[] = moments.flatMap(({ moment, words = moment, when, ...rest }) =>
  (['SIGINT', 'SIGTERM'] as const).map((signal: Signal): Fault => {
    const archive = moment === 'fetch' ? stallingArchive() : undefined;
    return {
      name: `${signal.toLowerCase()}-during-${moment}`,
      what: `${signal} comes during ${words}`,
      moment: words,
      inShort: signal === 'SIGTERM' && ['build', 'bench', 'second-kernel', 'report'].includes(moment),
      expect: isInterrupted,
      ...rest,
      ...archive,
      inject: async (gate, sandbox) => {
        await archive?.inject(gate);
        await when(gate, sandbox);
        gate.kill(signal);
      },
    };
  }),
);

const others: readonly Fault[] = [
  {
    name: 'no-fault',
    what: 'nothing is done, for comparison',
    expect: { codes: [0], measured: ['6.1'] },
  },
  {
    name: 'two-gates-in-one-project',
    what: 'two gates in one project share cache, temporary folder and output folder',
    inShort: true,
    inject: async (gate, sandbox) => {
      const other = await GateProcess.run(sandbox, { kernels: '6.1' }).ended;
      if (other.code !== 0) throw new Error(`the other gate exits with ${other.code}: ${other.stderr}`);
      await gate.ended;
    },
    expect: { codes: [0], measured: ['6.1'] },
  },
  {
    name: 'two-gates-fill-one-cache',
    what: 'two gates of two projects fill the same empty cache at once',
    cache: 'kernels only',
    inject: async (gate, sandbox) => {
      const folder = join(sandbox.folder, 'other');
      mkdirSync(folder);
      const other = { ...makeSandbox(folder), cache: sandbox.cache, temporary: sandbox.temporary };
      const ended = await GateProcess.run(other, { kernels: '6.1' }).ended;
      if (ended.code !== 0) throw new Error(`the other gate exits with ${ended.code}: ${ended.stderr}`);
      await gate.ended;
    },
    expect: { codes: [0], measured: ['6.1'] },
  },
  {
    name: 'clock-jumps',
    what: 'the time of day jumps by a day or ten years every 100 ms',
    inShort: true,
    cache: 'kernels only',
    gate: { nodeOptions: ['--import', join(import.meta.dirname, 'clock-jumps.ts')] },
    expect: { codes: [0], measured: ['6.1'] },
  },
];

export const faults: readonly Fault[] = [...guests, ...disks, ...interruptions, ...others];
