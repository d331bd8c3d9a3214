// Installs the Go programs that scripts need: builds them into the cache from modules with pinned checksums. Plain
// JavaScript for Node 20, because act.mjs runs before anything is installed.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { environment } from './pinned-node.mjs';
import { goToolchain } from './pinned-tools.mjs';

/** Any Go with modules will do: if it is too old for a program, it fetches the pinned one. */
const installGo = 'install the package `golang-go`, or Go from https://go.dev/dl';

/**
 * Finds a program's absolute path, and builds the program if it is not in the cache. Its dependencies are pinned by the
 * module's own go.sum, which the module's checksum covers: Go's checksum database may be switched off.
 *
 * @param {string} cache absolute path of bpfgate's cache
 * @param {{ module: string, folder: string, version: string, sum: string }} tool `folder`: the program's folder in the
 * module; the last part of folder or module is the program's name. `sum`: the module's checksum, as in a go.sum
 * @returns {{ program: string } | { problem: string, wrong: boolean }} `problem`: why it is missing and what to do;
 * `wrong`: whether the download differs from the pin
 */
export function installGoTool(cache, tool) {
  const name = basename(join(tool.module, tool.folder));
  const entry = join(cache, 'tools', `${name}-${tool.version}`);
  const program = join(entry, name);
  if (existsSync(program)) return { program };
  const version = goVersion();
  if (version === undefined) {
    return { problem: `${name} is missing, and Go to build it is missing too: ${installGo}`, wrong: false };
  }
  console.error(`${name}: building ${tool.module}@${tool.version}`);
  mkdirSync(dirname(entry), { recursive: true });
  const staging = mkdtempSync(join(dirname(entry), `.${name}-`));
  try {
    const compiler = chooseCompiler(version, tool, staging);
    if ('problem' in compiler) return compiler;
    const source = download(tool, staging, compiler);
    if ('problem' in source) return source;
    const args = ['build', '-mod=readonly', '-buildvcs=false', '-o', join(staging, name), `./${tool.folder}`];
    const built = go(args, source.folder, compiler);
    if (built.status !== 0) return failure(`build ${tool.module}@${tool.version}`, built.stderr);
    renameSync(staging, entry);
  } catch (error) {
    // Another process may have built the same program meanwhile.
    if (!existsSync(program)) throw error;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return { program };
}

/** Runs Go without a workspace, and without switching to a toolchain that is not pinned. */
function go(args, cwd, { program = 'go' } = {}) {
  const { GOROOT: _, ...env } = environment;
  return spawnSync(program, args, {
    cwd,
    env: { ...env, GOFLAGS: '', GOWORK: 'off', GOTOOLCHAIN: 'local' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The version of the Go on PATH, such as `1.19.8`; undefined when there is none. */
function goVersion() {
  const { status, stdout } = go(['version'], '/');
  return status === 0 ? /\bgo(\d+(?:\.\d+)*)/.exec(stdout)?.[1] : undefined;
}

/** @returns {{ folder: string } | { problem: string, wrong: boolean }} the unpacked module, read-only */
function download({ module, version, sum }, cwd, compiler) {
  const source = `${module}@${version}`;
  const { Dir: folder, Sum: received, problem } = tryDownload(source, cwd, compiler);
  if (problem !== undefined) return failure(`mod download ${source}`, problem);
  if (received === sum) return { folder };
  return { problem: `wrong checksum of ${source}:\npinned:   ${sum}\nreceived: ${received}`, wrong: true };
}

/** Returns the output of `go mod download -json`, with `problem` if it failed. */
function tryDownload(source, cwd, compiler) {
  const { status, stdout, stderr } = go(['mod', 'download', '-json', source], cwd, compiler);
  const module = stdout?.startsWith('{') ? JSON.parse(stdout) : {};
  return status === 0 ? module : { ...module, problem: `${module.Error ?? ''}\n${stderr}` };
}

/**
 * Chooses the Go on PATH, or the pinned one if that is older than the module requires. Debian 12 has Go 1.19, which
 * does not fetch newer ones by itself, and Debian 13 has Go 1.24, which does not unpack modules for newer ones.
 *
 * @returns {{ program: string } | { problem: string, wrong: boolean }}
 */
function chooseCompiler(version, { module, version: wantedVersion }, cwd) {
  const source = `${module}@${wantedVersion}`;
  // Go refuses a module for a newer Go, but still provides its go.mod.
  const { GoMod: file, problem } = tryDownload(source, cwd);
  if (file === undefined) return failure(`mod download ${source}`, problem);
  const [, wanted = '1'] = /^go (\S+)/m.exec(readFileSync(file, 'utf8')) ?? [];
  if (isAtLeast(version, wanted)) return { program: 'go' };
  console.error(`go ${version} is older than ${wanted}: downloading ${goToolchain.version}`);
  const toolchain = download(goToolchain, cwd, { program: 'go' });
  if ('problem' in toolchain) return toolchain;
  // Files of a module are not executable. Go does the same with a toolchain that it has fetched.
  for (const part of ['bin', 'pkg/tool/linux_amd64']) {
    for (const name of readdirSync(join(toolchain.folder, part))) chmodSync(join(toolchain.folder, part, name), 0o755);
  }
  return { program: join(toolchain.folder, 'bin/go') };
}

function isAtLeast(version, wanted) {
  const [have, want] = [version, wanted].map((text) => text.split('.').map(Number));
  const differing = want.findIndex((part, index) => part !== (have[index] ?? 0));
  return differing === -1 || (have[differing] ?? 0) > want[differing];
}

function failure(what, output) {
  const lines = output.trim().split('\n').slice(-5).join('\n');
  const wrong = output.includes('SECURITY ERROR') || output.includes('checksum mismatch');
  return { problem: `\`go ${what}\` failed; it needs a Go module proxy that answers:\n${lines}`, wrong };
}
