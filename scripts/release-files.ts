// `npm run release:files -- --out DIR`: makes a release's files from the checked-out commit: the sources with the
// bundle, software bills of materials, and the SHA-256 of each. The same commit gives the same bytes.

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { openLog } from '../src/adapters/log.ts';
import { packageRoot } from '../src/adapters/package-root.ts';
import { runOrThrow } from '../src/adapters/process.ts';
import { withTemporaryFolder } from '../src/adapters/temporary-folder.ts';
import { carriedList, carriedPrograms } from '../src/cache/ready-made.ts';
import { InputError } from '../src/common/errors.ts';
import { makeCargoBom } from './release/cargo-bom.ts';
import { compilePrograms, listPrograms } from './release/compile-programs.ts';
import { type Bom, serializeBom } from './release/cyclonedx.ts';
import { makeNpmBom } from './release/npm-bom.ts';
import { runScript } from './run-script.ts';

const { values: given } = parseArgs({
  allowNegative: true,
  options: {
    /** Folder to make for the files of the release. */
    out: { type: 'string' },
    /** Tag of the release; the package must have its version. */
    tag: { type: 'string' },
    /** Whether the npm package carries agent, plugin and vmtest, which are compiled for it. */
    programs: { type: 'boolean', default: true },
  },
});

const workspaces = [
  { name: 'bpfgate-agent', folder: 'vm/agent' },
  { name: 'bpfgate-plugin', folder: 'vm/plugin' },
  { name: 'example-project', folder: 'example-project' },
];

const log = openLog();
await runScript(log, async () => {
  const project = JSON.parse(await read('package.json')) as { name: string; version: string; license: string };
  if (given.out === undefined) throw new InputError('--out DIR is missing: the folder to write to');
  if (given.tag !== undefined && given.tag !== `v${project.version}`) {
    throw new InputError(`the tag is ${given.tag}, but package.json has version ${project.version}`, {
      hint: `tag v${project.version}, or change the version and tag that commit`,
    });
  }
  const changed = await git('status', '--porcelain', '--untracked-files=no');
  if (changed !== '') {
    throw new InputError(`files differ from the commit that is checked out:\n${changed}`, {
      hint: 'commit or stash them: a release is made of a commit',
    });
  }
  const timestamp = new Date(Number(await git('log', '-1', '--format=%ct')) * 1000);
  const out = resolve(given.out);
  await mkdir(out, { recursive: true });
  if ((await readdir(out)).length > 0) throw new InputError(`${given.out} is not empty`);

  const name = `${project.name}-${project.version}`;
  await writeArchive(`${name}/`, join(out, `${name}.tar.gz`));
  try {
    if (given.programs) await carryPrograms(project.version);
    await runOrThrow('npm', ['pack', '--pack-destination', out], { cwd: packageRoot, timeoutMs: 120_000 });
  } finally {
    await rm(carriedPrograms, { recursive: true, force: true });
  }
  const printed = await runOrThrow('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: packageRoot,
    timeoutMs: 120_000,
  });
  const notices = await read('dist/licenses.txt');
  await writeBom(join(out, `${name}-npm.cdx.json`), makeNpmBom({ project, printed, notices, timestamp }));
  for (const workspace of workspaces) {
    const metadata = await runOrThrow(
      'cargo',
      ['metadata', '--locked', '--format-version', '1', '--filter-platform', 'x86_64-unknown-linux-gnu'],
      { cwd: join(packageRoot, workspace.folder), timeoutMs: 600_000 },
    );
    const lock = await read(`${workspace.folder}/Cargo.lock`);
    const bom = makeCargoBom({ name: workspace.name, metadata, lock, timestamp });
    await writeBom(join(out, `${name}-${workspace.name}.cdx.json`), bom);
  }
  const sums = (await readdir(out)).sort().map(async (file) => {
    const sum = createHash('sha256').update(await readFile(join(out, file)));
    return `${sum.digest('hex')}  ${file}\n`;
  });
  const text = (await Promise.all(sums)).join('');
  await writeFile(join(out, 'SHA256SUMS'), text);
  process.stdout.write(text);
});

/** Compiles programs to where the npm package carries them. */
async function carryPrograms(version: string): Promise<void> {
  await mkdir(carriedPrograms);
  const programs = await listPrograms(carriedPrograms, await compilePrograms(carriedPrograms, log), `v${version}`);
  await writeFile(join(carriedPrograms, carriedList), `${JSON.stringify(programs, null, 2)}\n`);
}

/** Archives the commit's tracked files, including dist/ and schema/, with the commit's time. */
async function writeArchive(prefix: string, file: string): Promise<void> {
  await withTemporaryFolder(join(tmpdir(), 'bpfgate-release-'), async (folder) => {
    const tar = join(folder, 'archive.tar');
    // The user's umask and settings must not affect the archive.
    await git('-c', 'tar.umask=0022', 'archive', '--format=tar', `--prefix=${prefix}`, `--output=${tar}`, 'HEAD');
    // Compressed by the pinned Node, which writes no time: gzip may differ between distributions.
    await writeFile(file, gzipSync(await readFile(tar), { level: 9 }));
  });
}

async function writeBom(file: string, bom: Bom): Promise<void> {
  const text = serializeBom(bom);
  const problem = await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(text);
  if (problem !== null) throw new Error(`${file} is not by CycloneDX's schema: ${JSON.stringify(problem)}`);
  await writeFile(file, text);
}

async function git(...args: readonly string[]): Promise<string> {
  return (await runOrThrow('git', args, { cwd: packageRoot, timeoutMs: 60_000 })).trimEnd();
}

async function read(file: string): Promise<string> {
  return await readFile(join(packageRoot, file), 'utf8');
}
