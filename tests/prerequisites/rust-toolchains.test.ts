// A fake rustup that installs toolchains by making folders. Tests what it is asked for, and the messages if it cannot
// install.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../../src/adapters/log.ts';
import { openCache } from '../../src/cache/cache.ts';
import { isRoot } from '../../src/prerequisites/apt.ts';
import { installProjectToolchain } from '../../src/prerequisites/project-toolchain.ts';
import { installToolchain } from '../../src/prerequisites/rust-src.ts';

const silent: Log = { progress: () => {}, warn: () => {} };

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'bpfgate-rust-toolchains-'));
  for (const folder of ['bin', 'rustup', 'project']) await mkdir(join(scratch, folder));
  const script = `#!/bin/bash
[ "$1" = run ] || echo "$*" >>'${scratch}/calls'
[ "$1" = run ] || [ ! -e '${scratch}/offline' ] || { echo 'error: could not download file' >&2; exit 1; }
home=$RUSTUP_HOME
# What rustup 1.28 says, which removes what it has begun.
write() {
  mkdir -p "$1" 2>/dev/null || { echo "error: could not create toolchain directory: '$1': Read-only file system (os error 30)" >&2; exit 1; }
  head -c "$3" /dev/zero >"$1/$2" 2>/dev/null || { rm -r "$1/$2"
  echo "error: could not write file: '$1/$2': No space left on device (os error 28)" >&2; exit 1; }; }
case "$1 $2" in
  run*)
    [ -e "$home/$2/rustc" ] || { echo "error: toolchain '$2' is not installed" >&2; exit 1; }
    case $4 in
      -vV) printf 'rustc 1.97.0-nightly (x)\\nhost: x86_64-unknown-linux-gnu\\nrelease: 1.97.0-nightly\\nLLVM version: 22.1.2\\n' ;;
      *) echo "$home/$2" ;;
    esac ;;
  'toolchain install')
    write "$home/$3" rustc 8000
    case $* in *rust-src*) write "$home/$3/lib/rustlib/src/rust/library" Cargo.lock 1; echo rust-src >>"$home/$3/lib/rustlib/components" ;; esac ;;
  'component add' | 'target add')
    toolchain=$(echo "$*" | sed 's/.*--toolchain \\([^ ]*\\).*/\\1/')
    shift 2
    for each; do
      case $each in
        --toolchain | "$toolchain") ;;
        no-such) echo "error: toolchain '$toolchain' does not contain component 'no-such'" >&2; exit 1 ;;
        *)
          write "$home/$toolchain/lib/rustlib/src/rust/library" Cargo.lock 8000
          case $each in x86*) each=rust-std-$each ;; esac
          echo "$each" >>"$home/$toolchain/lib/rustlib/components" ;;
      esac
    done ;;
esac
`;
  await writeFile(join(scratch, 'bin/rustup'), script, { mode: 0o755 });
});
afterEach(() => rm(scratch, { recursive: true }));

const options = (rustup = join(scratch, 'bin')) => ({
  cache: openCache(join(scratch, 'cache')),
  log: silent,
  env: { PATH: `${rustup}:/usr/bin:/bin`, HOME: scratch, RUSTUP_HOME: join(scratch, 'rustup') },
});
const calls = () =>
  existsSync(join(scratch, 'calls')) ? readFileSync(join(scratch, 'calls'), 'utf8').trim().split('\n') : [];
const forgetCalls = () => rm(join(scratch, 'calls'));
const minimal = 'toolchain install nightly --profile minimal --component rust-src --no-self-update';
const offline = (is: boolean) => (is ? writeFile(join(scratch, 'offline'), '') : rm(join(scratch, 'offline')));

/** Puts rustup's folder on its own disk, which has no room; `makeRoom` adds some. */
async function onOwnDisk(use: (disk: string, makeRoom: () => void) => Promise<void>): Promise<void> {
  const disk = join(scratch, 'rustup');
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', disk]);
  try {
    await use(disk, () => execFileSync('mount', ['-o', 'remount,size=1m', disk]));
  } finally {
    execFileSync('umount', [disk]);
  }
}
const fullDisk = (command: string, disk: string) => ({
  message: expect.stringMatching(new RegExp(`^\`rustup ${command}\`.* failed:\n[\\s\\S]*No space left on device`)),
  hint: `free space on the disk of \`${disk}\`, then try again`,
});

describe('nightly', () => {
  test('is installed once, with the source and little else', async () => {
    await installToolchain('nightly', options());
    expect(calls()).toEqual([minimal]);
    await forgetCalls();
    await rm(join(scratch, 'rustup/nightly/lib/rustlib/src'), { recursive: true });
    await installToolchain('nightly', options());
    expect(calls()).toEqual(['component add rust-src --toolchain nightly']);
  });

  test('is not installed without rustup, and the command is shown', async () => {
    await expect(installToolchain('nightly', options('/nowhere'))).rejects.toMatchObject({
      message: 'cannot install the Rust toolchain nightly: there is no rustup',
      hint: `install rustup (https://rustup.rs), then run \`rustup ${minimal}\``,
    });
  });

  test("without a network is an error with rustup's message, and the same call succeeds later", async () => {
    await offline(true);
    await expect(installToolchain('nightly', options())).rejects.toMatchObject({
      message: `\`rustup ${minimal}\` failed:\nerror: could not download file`,
      hint: expect.stringContaining('where rustup reaches its server'),
    });
    await offline(false);
    await installToolchain('nightly', options());
  });

  test.runIf(isRoot())('on a full disk names that disk, and the same call succeeds with free space', async () => {
    await onOwnDisk(async (disk, makeRoom) => {
      await expect(installToolchain('nightly', options())).rejects.toMatchObject(fullDisk(minimal, disk));
      makeRoom();
      await installToolchain('nightly', options());
      await rm(join(disk, 'nightly/lib/rustlib/src'), { recursive: true });
    });
  });
});

describe("the toolchain in a project's file", () => {
  const install = (file: string, variables: Record<string, string> = {}) =>
    writeFile(join(scratch, 'project/rust-toolchain.toml'), file).then(() => {
      const { env, ...others } = options();
      const project = join(scratch, 'project');
      return installProjectToolchain(project, project, { ...others, env: { ...env, ...variables } });
    });
  const file =
    '[toolchain]\nchannel = "nightly"\ncomponents = ["rust-src", "clippy"]\ntargets = ["x86_64-unknown-linux-musl"]\n';
  const additions = [
    'component add --toolchain nightly clippy',
    'target add --toolchain nightly x86_64-unknown-linux-musl',
  ];

  test('is installed once, with its components and targets', async () => {
    await install(file);
    expect(calls()).toEqual([minimal, ...additions]);
    await forgetCalls();
    await install(file);
    expect(calls()).toEqual([]);
  });

  test.each([{ RUSTUP_TOOLCHAIN: 'stable' }, { RUSTUP_AUTO_INSTALL: '0' }])(
    'is not installed with %j',
    async (variables) => {
      await install(file, variables);
      expect(calls()).toEqual([]);
    },
  );

  test('is not installed if rustup does not release it', async () => {
    await install('[toolchain]\npath = "../mine"\n');
    expect(calls()).toEqual([]);
  });

  test('with an unknown component is an error with the command', async () => {
    const command = 'component add --toolchain nightly no-such';
    await expect(install('[toolchain]\nchannel = "nightly"\ncomponents = ["no-such"]\n')).rejects.toMatchObject({
      message: `\`rustup ${command}\`, which the project's file asks for, failed:\nerror: toolchain 'nightly' does not contain component 'no-such'`,
    });
  });

  test.runIf(isRoot())('on a full disk names that disk, and the same call succeeds with free space', async () => {
    await onOwnDisk(async (disk, makeRoom) => {
      makeRoom();
      await installToolchain('nightly', options());
      await writeFile(join(disk, 'filler'), Buffer.alloc(2 ** 20)).catch(() => {});
      await expect(install(file)).rejects.toMatchObject(fullDisk(additions[0] ?? '', disk));
      await rm(join(disk, 'filler'));
      await install(file);
    });
  });
});
