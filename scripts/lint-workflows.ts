// `npm run lint:workflows`: runs actionlint and zizmor on every workflow, example and action.yml. Every ignored finding
// must be explained. Part of `npm test`, which reads the last line.

import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog } from '../src/adapters/log.ts';
import { packageRoot } from '../src/adapters/package-root.ts';
import { run } from '../src/adapters/process.ts';
import { withTemporaryFolder } from '../src/adapters/temporary-folder.ts';
import { openCache } from '../src/cache/cache.ts';
import { MachineError } from '../src/common/errors.ts';
import { findExecutable } from '../src/prerequisites/executables.ts';
import { canMakeVenv, findPythonTool, installPythonTool } from '../src/prerequisites/python-tools.ts';
import { reportCheck, reportCounts } from './checks.ts';
import { installGoTool } from './go-tools.mjs';
import { unexplainedInConfiguration, unexplainedInFile } from './lint-workflows/ignores.ts';
import { resolveOwnUses } from './lint-workflows/own-uses.ts';
import { actionlint, zizmor } from './pinned-tools.mjs';
import { runScript } from './run-script.ts';

/** Some of zizmor's rules are about this file. */
const dependabot = '.github/dependabot.yml';
const configurations = ['.github/actionlint.yaml', '.github/zizmor.yml', 'zizmor.yml'];

/** The zizmor rules on which the promises of docs/threat-model.md about workflows depend. */
const rules = [
  ...['excessive-permissions', 'artipacked', 'secrets-inherit', 'dangerous-triggers', 'template-injection'],
  'unpinned-uses',
];

const log = openLog();
await runScript(log, async () => {
  const cache = openCache();
  const workflows = [...(await listYaml('.github/workflows')), ...(await listYaml('examples/workflows'))];
  const actions = await listActions();

  const linter = installGoTool(cache.root, actionlint);
  if ('problem' in linter) {
    reportCheck(linter.wrong ? 'failed' : 'skipped', 'actionlint', linter.problem);
  } else {
    const shellcheck = await findExecutable('shellcheck', process.env);
    const name = `actionlint ${actionlint.version} ${shellcheck === undefined ? 'without shellcheck, which is not here' : 'with shellcheck'}`;
    await lint(`${name}: ${workflows.length} workflows`, linter.program, ['-no-color', ...workflows], packageRoot);
    await withOwnActions(workflows, async (folder) => {
      const what = `actionlint ${actionlint.version}: ${actions.length} actions and what the workflows give them`;
      await lint(what, linter.program, ['-no-color', '-shellcheck=', ...workflows], folder);
    });
  }

  const auditor = await findZizmor();
  if (typeof auditor === 'string') {
    const files = [...workflows, ...actions, dependabot];
    const args = ['--offline', '--persona', 'pedantic', '--strict-collection', '--quiet', '--color', 'never'];
    await lint(`zizmor ${zizmor.version}: ${files.length} files`, auditor, [...args, ...files], packageRoot);
    await findFaults(auditor, args);
  } else {
    reportCheck(auditor.outcome, 'zizmor', auditor.problem);
  }

  const unexplained: string[] = [];
  for (const file of [...workflows, ...actions, dependabot])
    unexplained.push(...unexplainedInFile(file, await read(file)));
  for (const file of configurations.filter((name) => existsSync(join(packageRoot, name)))) {
    unexplained.push(...unexplainedInConfiguration(file, await read(file)));
  }
  reportCheck(
    unexplained.length === 0 ? 'passed' : 'failed',
    'every ignored finding is explained',
    unexplained.join('\n'),
  );

  async function findZizmor(): Promise<string | { outcome: 'failed' | 'skipped'; problem: string }> {
    const { env } = process;
    const found = await findPythonTool(zizmor, cache, env);
    if (found !== undefined) return found;
    if (!(await canMakeVenv(env))) {
      const problem = `Python 3.10 or newer with venv is missing (${zizmor.packages.join(', ')} on Debian)`;
      return { outcome: 'skipped', problem };
    }
    try {
      await installPythonTool(zizmor, { cache, log, env });
    } catch (error) {
      if (!(error instanceof MachineError)) throw error;
      // pip's message for a file that differs from its pin.
      const wrong = error.message.includes('DO NOT MATCH THE HASHES');
      return { outcome: wrong ? 'failed' : 'skipped', problem: error.message };
    } finally {
      log.clear();
    }
    const installed = await findPythonTool(zizmor, cache, env);
    return installed ?? { outcome: 'failed', problem: `${zizmor.name} ${zizmor.version} does not run` };
  }
});

reportCounts('workflows');

/** Checks that zizmor finds the faults it is relied on for. */
async function findFaults(auditor: string, args: readonly string[]): Promise<void> {
  const faulty = 'scripts/lint-workflows/faulty.yml';
  const { stdout } = await run(auditor, [...args, '--format', 'json', faulty], {
    cwd: packageRoot,
    timeoutMs: 120_000,
  });
  const found = new Set((JSON.parse(stdout) as { ident: string }[]).map(({ ident }) => ident));
  const missed = rules.filter((rule) => !found.has(rule));
  const problem = missed.length > 0 ? `not in ${faulty}: ${missed.join(', ')}` : '';
  reportCheck(problem === '' ? 'passed' : 'failed', `zizmor finds ${rules.join(', ')}`, problem);
}

async function lint(what: string, program: string, args: readonly string[], cwd: string): Promise<void> {
  const { exitCode, stdout, stderr } = await run(program, args, { cwd, timeoutMs: 120_000 });
  reportCheck(exitCode === 0 ? 'passed' : 'failed', what, exitCode === 0 ? '' : `${stdout}${stderr}`);
}

/**
 * Calls `work` with a copy of the workflows that refers to bpfgate's actions and reusable workflows by folder.
 * actionlint reads only those, to check a caller's inputs against them.
 */
async function withOwnActions(workflows: readonly string[], work: (folder: string) => Promise<void>): Promise<void> {
  await withTemporaryFolder(join(tmpdir(), 'bpfgate-lint-'), async (folder) => {
    // actionlint takes the folder that contains .git as the repository.
    await mkdir(join(folder, '.git'));
    for (const name of ['.github', 'examples', ...(await listActions())]) {
      await cp(join(packageRoot, name), join(folder, name), { recursive: true });
    }
    await symlink(join(packageRoot, 'dist'), join(folder, 'dist'));
    for (const file of workflows) await writeFile(join(folder, file), resolveOwnUses(await read(file)));
    await work(folder);
  });
}

/** Lists a folder's workflows, relative to the repository. */
async function listYaml(folder: string): Promise<string[]> {
  const names = await readdir(join(packageRoot, folder));
  return names
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => `${folder}/${name}`);
}

/** Lists every action.yml: the root's and those of the folders in it. */
async function listActions(): Promise<string[]> {
  const entries = await readdir(packageRoot, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${name}/`);
  return ['', ...folders.sort()]
    .map((folder) => `${folder}action.yml`)
    .filter((file) => existsSync(join(packageRoot, file)));
}

async function read(file: string): Promise<string> {
  return await readFile(join(packageRoot, file), 'utf8');
}
