// Programs in Go that scripts need, built into the cache from modules whose checksum is pinned. Plain JavaScript for
// Node 20, because act.mjs runs before anything is installed.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { environment } from './pinned-node.mjs';

/** Go 1.21 is the first that fetches the newer Go a module asks for. */
const installGo = 'install Go 1.21 or later from https://go.dev/dl';

/**
 * The absolute path of a program, built when it is not in the cache. What it depends on is what the module's own go.sum
 * says, which the module's checksum covers: Go's checksum database may be switched off.
 *
 * @param {string} cache absolute path of bpfgate's cache
 * @param {{ module: string, folder: string, version: string, sum: string }} tool `folder`: of the program in the module, whose
 * last part, or the module's, is the program's name; `sum`: of the module, as in a go.sum
 * @returns {{ program: string } | { problem: string, wrong: boolean }} `problem`: why it is not there and what to do;
 * `wrong`: because what was downloaded is not what is pinned
 */
export function installGoTool(cache, { module, folder, version, sum }) {
  const name = basename(join(module, folder));
  const entry = join(cache, 'tools', `${name}-${version}`);
  const program = join(entry, name);
  if (existsSync(program)) return { program };
  const source = `${module}@${version}`;
  if (spawnSync('go', ['version'], { env: environment }).status !== 0) {
    const problem = `${name} is missing, and so is Go to build it with: ${installGo}, such that \`go mod download ${source}\` works`;
    return { problem, wrong: false };
  }
  console.error(`${name}: building ${source}`);
  mkdirSync(dirname(entry), { recursive: true });
  const staging = mkdtempSync(join(dirname(entry), `.${name}-`));
  const go = (args, cwd) =>
    spawnSync('go', args, {
      cwd,
      env: { ...environment, GOFLAGS: '', GOWORK: 'off' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const failure = (what, said) => {
    const lines = said.trim().split('\n').slice(-5).join('\n');
    const wrong = said.includes('SECURITY ERROR') || said.includes('checksum mismatch');
    return { problem: `\`go ${what}\` failed; it needs the network, else ${installGo}:\n${lines}`, wrong };
  };
  try {
    const download = go(['mod', 'download', '-json', source], staging);
    if (download.status !== 0) return failure(`mod download ${source}`, `${download.stdout}${download.stderr}`);
    const { Dir: downloaded, Sum: received } = JSON.parse(download.stdout);
    if (received !== sum) {
      return { problem: `wrong checksum of ${source}:\npinned:   ${sum}\nreceived: ${received}`, wrong: true };
    }
    const built = go(
      ['build', '-mod=readonly', '-buildvcs=false', '-o', join(staging, name), `./${folder}`],
      downloaded,
    );
    if (built.status !== 0) return failure(`build ${source}`, built.stderr);
    renameSync(staging, entry);
  } catch (error) {
    // Another run has built the same meanwhile.
    if (!existsSync(program)) throw error;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return { program };
}
