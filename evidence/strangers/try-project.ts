// Strangers: runs the command line on one project, with code that did not change, and with a planted cost.

import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { type RunResult, run } from '../../src/adapters/process.ts';
import type { Results } from '../../src/report/results.ts';
import { parseResults } from '../../src/report/results-schema.ts';
import { compileAll, compilers, filesBelow, findFirst, makeTypes } from '../foreign-objects/obtain.ts';
import type { Host } from '../host.ts';
import { withoutPaths } from '../options.ts';
import { downloadModule, listSources, unpackCrate, unpackSource } from '../packages.ts';
import { describeCommit } from '../record.ts';
import { commitAll } from '../repository.ts';
import { falseVerdicts, judgePlanted, type PlantedOutcome, whyNotJudged } from './judge.ts';
import { type Place, plant } from './plant.ts';
import type { Stranger } from './projects.ts';
import { nameOf } from './tables.ts';

/** What the command line made of a project. A text where it failed is the reason. */
export interface Tried {
  readonly stranger: Stranger;
  /** The build command that `init` wrote; with `fails:` what it printed instead. */
  readonly init: string;
  /** What `doctor` says is missing. */
  readonly doctor: string;
  /** False verdicts of code that did not change, and the number of comparisons. */
  readonly unchanged: { readonly comparisons: number; readonly changed: readonly string[] } | string;
  readonly planted: PlantedOutcome | string;
  readonly minutes: number;
}

const kinds = ['base', 'comment', 'cost'] as const;
type Kind = (typeof kinds)[number];
const runMs = 30 * 60_000;

/** Prepares what several projects share. */
export async function openRegistries(strangers: readonly Stranger[], folder: string, host: Host) {
  const suites = strangers.flatMap(({ origin }) => (origin.from === 'debian' ? [origin.suite] : []));
  const apt = suites.length === 0 ? [] : await listSources(folder, suites, host);
  if (strangers.some(({ objects }) => objects?.needsTypes === true)) await makeTypes(folder, host);
  return { folder, apt, clang: await findFirst(compilers, host) };
}

export type Registries = Awaited<ReturnType<typeof openRegistries>>;

/**
 * Tries a project, unless the folder has what an earlier run found at this commit: an interrupted run goes on. A project
 * that cannot be downloaded stops no other.
 */
export async function tryOnce(...given: Parameters<typeof tryProject>): Promise<Tried> {
  const [stranger, kernel, registries, { signal }] = given;
  const folder = folderOf(stranger, registries);
  const file = join(folder, `${await describeCommit()}-${stranger.kernel ?? kernel}.json`);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return { ...(JSON.parse(text) as Omit<Tried, 'stranger'>), stranger };
  await rm(folder, { recursive: true, force: true });
  const startedAt = performance.now();
  const tried = await tryProject(...given).catch((error: Error): Tried => {
    signal.throwIfAborted();
    const reason = withoutPaths(error.message, [folder]);
    const minutes = (performance.now() - startedAt) / 60_000;
    return { stranger, init: '', doctor: '', unchanged: reason, planted: reason, minutes };
  });
  await writeFile(file, JSON.stringify({ ...tried, stranger: undefined }));
  return tried;
}

function folderOf(stranger: Stranger, { folder }: Registries): string {
  return join(folder, 'tried', nameOf(stranger).replace(/\W+/g, '-'));
}

/** @throws GateError where the project cannot be downloaded or edited */
export async function tryProject(
  stranger: Stranger,
  defaultKernel: string,
  registries: Registries,
  host: Host,
): Promise<Tried> {
  const startedAt = performance.now();
  const name = nameOf(stranger);
  const folder = folderOf(stranger, registries);
  const project = join(folder, 'project');
  await mkdir(folder, { recursive: true });
  await obtain(stranger, project, folder, registries, host);
  if (stranger.before !== undefined) await edit(project, stranger.before, true);
  for (const [file, text] of Object.entries(stranger.objects?.written ?? {})) {
    await writeFile(join(project, file), text);
  }
  await commitAll(project, 'obtained');
  const kernel = stranger.kernel ?? defaultKernel;

  const command = async (title: string, ...args: string[]) => {
    host.log.progress(`${name}: ${title}`);
    const result = await run(process.execPath, [join(packageRoot, 'src', 'cli.ts'), ...args], {
      cwd: project,
      env: host.environment,
      timeoutMs: runMs,
      signal: host.signal,
    });
    await writeFile(join(folder, `${title}.log`), `${result.stdout}\n${result.stderr}\nexit code ${result.exitCode}\n`);
    return result;
  };
  const init = await describeInit(await command('init', 'init'), project);
  if (stranger.config !== undefined) await writeFile(join(project, 'bpfgate.toml'), stranger.config);
  const doctor = describeDoctor(await command('doctor', 'doctor'));
  if (doctor !== nothing && stranger.objects === undefined) await command('install', 'doctor', '--install');

  const { place } = stranger;
  const given: Record<Kind, string> = { base: '', comment: '', cost: '' };
  const before = await readFile(join(project, place.file), 'utf8');
  let line = 0;
  for (const kind of kinds) {
    await writeFile(join(project, place.file), before);
    if (kind !== 'base') line = await edit(project, place, kind === 'cost');
    given[kind] = kind;
    if (stranger.objects === undefined) await commitAll(project, kind);
    else given[kind] = await compile(stranger.objects, kind, project, folder, registries, host);
  }
  const sides = stranger.objects === undefined ? ['--base', '--head'] : ['--base-objects', '--head-objects'];
  const compare = async (kind: Kind): Promise<Results | string> => {
    const out = join(folder, kind);
    const [base = '', head = ''] = sides;
    const options = [base, given.base, head, given[kind], '--kernels', kernel, '--out', out, '--fresh'];
    const result = await command(`run-${kind}`, 'run', ...options);
    const text = await readFile(join(out, 'results.json'), 'utf8').catch(() => undefined);
    if (text === undefined) return firstLine(result, project);
    const results = parseResults(text, 'results.json');
    return whyNotJudged(results) ?? results;
  };
  const unchanged = await compare('comment');
  const planted = typeof unchanged === 'string' ? unchanged : await compare('cost');
  return {
    stranger,
    init,
    doctor,
    unchanged:
      typeof unchanged === 'string'
        ? unchanged
        : { comparisons: unchanged.comparisons.length, changed: falseVerdicts(unchanged) },
    planted:
      typeof planted === 'string'
        ? planted
        : judgePlanted(planted, { program: stranger.program, file: place.file, line }),
    minutes: (performance.now() - startedAt) / 60_000,
  };
}

async function obtain({ name, origin }: Stranger, project: string, folder: string, { apt }: Registries, host: Host) {
  const { root } =
    origin.from === 'debian'
      ? await unpackSource({ name, ...origin }, apt, folder, host)
      : origin.from === 'go'
        ? await downloadModule(origin, host)
        : await unpackCrate({ name, ...origin }, folder, host);
  // Go's own copy is read-only.
  await cp(root, project, { recursive: true, mode: 0 });
  await run('chmod', ['--recursive', 'u+w', project]);
}

async function edit(project: string, place: Place, isCosting: boolean): Promise<number> {
  const file = join(project, place.file);
  const { text, line } = plant(await readFile(file, 'utf8'), place, isCosting);
  await writeFile(file, text);
  return line;
}

/** Compiles a project's objects into a folder. Returns the glob that finds them. */
async function compile(
  { files, added, options = [], needsTypes }: NonNullable<Stranger['objects']>,
  kind: Kind,
  project: string,
  folder: string,
  { folder: shared, clang }: Registries,
  host: Host,
): Promise<string> {
  const into = join(folder, 'objects', kind);
  const own = options.map((option) => option.replace(/^-I(?!\/)/, `-I${project}/`));
  const all = await filesBelow(project, files);
  const wanted = kind === 'base' ? all.filter((file) => added?.test(file) !== true) : all;
  const { found } = await compileAll(project, wanted, {
    // Its types come before the project's own.
    folder: needsTypes === true ? shared : folder,
    clang,
    // Without it glibc's headers are those of 32 bits.
    options: ['-D__x86_64__', ...own],
    host,
  });
  for (const [name, bytes] of found) {
    const file = join(into, `${name}.bpf.o`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  return join(into, '*.o');
}

const nothing = 'nothing';

async function describeInit(result: RunResult, project: string): Promise<string> {
  if (result.exitCode !== 0) return `fails: ${firstLine(result, project)}`;
  const text = await readFile(join(project, 'bpfgate.toml'), 'utf8');
  const [, manifest = ''] = /^# As bpfgate found it in (.*)\.$/m.exec(text) ?? [];
  const [, command = ''] = /^command = "(.*)"$/m.exec(text) ?? [];
  return `${manifest}: \`${command}\``;
}

/** What is missing, and not only for something that the project does not use. */
function describeDoctor({ exitCode, stdout }: RunResult): string {
  if (exitCode === 0) return nothing;
  return [...stdout.matchAll(/^ +missing +(\S+)/gm)].map(([, each]) => each).join(', ') || `exit code ${exitCode}`;
}

/** The first line of an error, without progress and the name of the program. */
function firstLine({ stderr, exitCode }: RunResult, project: string): string {
  const lines = stderr
    .split('\n')
    .filter((line) => /^bpfgate: (?!\[|wrote|warning|next|there is no|the whole output)/.test(line));
  return withoutPaths(lines[0]?.replace(/^bpfgate: /, '') ?? `exit code ${exitCode}`, [project]);
}
