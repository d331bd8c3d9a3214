// `npm run kernels:release -- COMMAND`: the commands of .github/workflows/kernels.yml that prepare a release of files
// that bpfgate fetches instead of compiling: kernels, Debian's packages, the guest's programs and vmtest. Publishing
// is scripts/publish-assets.mjs, which runs where the token can write.
//
//   plan --kernels SELECTORS            lists the pinned tarballs to build; also as the output `ids` of a step
//   boot ID                             boots a kernel from the cache, and installs what that requires
//   packages --kernels SELECTORS --out DIR   fetches the kernels' pinned Debian packages
//   programs --out DIR                  compiles agent, plugin and vmtest
//   pin --assets DIR --tag TAG --out DIR    adds the files in DIR to kernels.json and programs.json, rebuilds dist/,
//                                       and copies the files that changed, with the release's notes, for publishing

import { appendFile, copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hashFile } from '../src/adapters/hash-file.ts';
import { openLog } from '../src/adapters/log.ts';
import { packageRoot } from '../src/adapters/package-root.ts';
import { runOrThrow } from '../src/adapters/process.ts';
import { openCache } from '../src/cache/cache.ts';
import { programsSchema, readyMadeNames } from '../src/cache/ready-made.ts';
import { InputError } from '../src/common/errors.ts';
import { fetchPackage } from '../src/kernels/fetch.ts';
import { parsePins, readMissing, readPins } from '../src/kernels/pins.ts';
import { selectKernels } from '../src/kernels/select.ts';
import type { KernelPin } from '../src/model/kernel.ts';
import { installMissing } from '../src/prerequisites/prerequisites.ts';
import { sourcesOf } from '../src/prerequisites/ready-made.ts';
import { renderDocument } from './kernels-update/propose.ts';
import { assetName, compilePrograms } from './release/compile-programs.ts';
import { describeRelease, pinAssets, type ReleaseFile } from './release/pin-assets.ts';
import { runScript } from './run-script.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kernels: { type: 'string', default: 'all' },
    assets: { type: 'string' },
    tag: { type: 'string' },
    out: { type: 'string' },
  },
});

const log = openLog();
const commands: Readonly<Record<string, () => Promise<void>>> = { plan, boot, packages, programs, pin };
await runScript(log, async () => {
  const command = commands[positionals[0] ?? ''];
  if (command === undefined || positionals.length > (command === boot ? 2 : 1)) {
    throw new InputError(`which of ${Object.keys(commands).join(', ')}? got "${positionals.join(' ')}"`);
  }
  await command();
});

async function plan(): Promise<void> {
  const ids = chosen().flatMap((pin) => (pin.origin === 'source' ? [pin.id] : []));
  if (ids.length === 0) throw new InputError(`no kernel of ${given.kernels} is pinned as a tarball`);
  process.stdout.write(`${ids.join('\n')}\n`);
  const { GITHUB_OUTPUT: outputs } = process.env;
  if (outputs !== undefined) await appendFile(outputs, `ids=${JSON.stringify(ids)}\n`);
}

/** Selects the pins. `all` means every pin, not one of each minor version. */
function chosen(): KernelPin[] {
  return given.kernels === 'all' ? readPins() : selectKernels([given.kernels], readPins(), readMissing());
}

async function boot(): Promise<void> {
  const { env } = await installMissing(['vm', 'agent'], { cache: openCache(), log });
  const check = ['sh', '-c', 'uname -r && test -s /sys/kernel/btf/vmlinux'];
  const exec = ['src/cli.ts', 'exec', '--kernel', positionals[1] ?? '', '--', ...check];
  process.stdout.write(await runOrThrow(process.execPath, exec, { cwd: packageRoot, env, timeoutMs: 600_000 }));
}

async function packages(): Promise<void> {
  const out = await makeFolder();
  const cache = openCache();
  for (const pin of chosen()) {
    if (pin.origin !== 'debian') continue;
    for (const file of pin.packages) {
      // Downloaded to the cache's disk, which may be another one.
      const fetched = join(cache.root, 'downloads', `${file.sha256}.deb`);
      await fetchPackage(file, pin, fetched, { cache, log });
      await copyFile(fetched, join(out, assetNameOf(file.poolPath)));
      await rm(fetched);
    }
  }
}

/** GitHub replaces characters other than these in asset names. */
function assetNameOf(poolPath: string): string {
  return basename(poolPath).replaceAll(/[^A-Za-z0-9._-]/g, '.');
}

async function programs(): Promise<void> {
  await compilePrograms(await makeFolder(), log);
}

async function pin(): Promise<void> {
  const { assets, tag } = given;
  if (assets === undefined || tag === undefined) throw new InputError('pin needs --assets DIR and --tag TAG');
  const out = await makeFolder();
  const folder = resolve(assets);
  const files = await Promise.all((await readdir(folder)).sort().map((name) => describeFile(join(folder, name))));
  const [kernelsFile, programsFile] = ['kernels/kernels.json', 'vm/programs.json'];
  const pinned = pinAssets(
    {
      kernels: JSON.parse(await readFile(join(packageRoot, kernelsFile), 'utf8')),
      programs: programsSchema.parse(JSON.parse(await readFile(join(packageRoot, programsFile), 'utf8'))),
    },
    files,
    tag,
  );
  parsePins(pinned.kernels);
  await writeFile(join(packageRoot, kernelsFile), renderDocument(pinned.kernels));
  await writeFile(join(packageRoot, programsFile), `${JSON.stringify(pinned.programs, null, 2)}\n`);
  await writeFile(join(out, 'notes.md'), describeRelease(pinned.kernels, files, tag));
  // dist/ contains the pins.
  await runOrThrow('npm', ['run', '--silent', 'build'], { cwd: packageRoot, timeoutMs: 300_000 });
  const status = await runOrThrow(
    'git',
    ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--', 'dist', kernelsFile, programsFile],
    { cwd: packageRoot },
  );
  for (const entry of status.split('\0').filter((each) => each !== '')) {
    const path = entry.slice(3);
    const isGone = (await stat(join(packageRoot, path)).catch(() => undefined)) === undefined;
    if (isGone) {
      await appendFile(join(out, 'removed'), `${path}\n`);
      continue;
    }
    await mkdir(dirname(join(out, 'files', path)), { recursive: true });
    await copyFile(join(packageRoot, path), join(out, 'files', path));
  }
  process.stdout.write(await readFile(join(out, 'notes.md'), 'utf8'));
}

/** Describes a file to release, from its content. */
async function describeFile(path: string): Promise<ReleaseFile> {
  const common = { name: basename(path), sha256: await hashFile(path), sizeBytes: (await stat(path)).size };
  if (path.endsWith('.tar.xz')) {
    const record = JSON.parse(
      await runOrThrow('tar', ['--extract', '--xz', '--to-stdout', '--file', path, 'kernel.json']),
    );
    return { ...common, kind: 'image', madeFrom: String(record.madeFrom) };
  }
  if (path.endsWith('.deb')) return { ...common, kind: 'package' };
  const program = readyMadeNames.find((name) => common.name === assetName(name));
  if (program !== undefined) return { ...common, kind: 'program', program, madeFrom: await sourcesOf(program) };
  throw new InputError(`\`${path}\` is nothing that a release of kernels carries`);
}

/** Makes the folder to write to, which must be empty. */
async function makeFolder(): Promise<string> {
  if (given.out === undefined) throw new InputError('--out DIR is missing: the folder to write to');
  const out = resolve(given.out);
  await mkdir(out, { recursive: true });
  if ((await readdir(out)).length > 0) throw new InputError(`${given.out} is not empty`);
  return out;
}
