// `npm test`: installs what is missing, runs the tests, also in real VMs, and ends with the slowest parts and one line
// with all counts. `npm run test:all` runs every test, including the slow ones. Other arguments are passed to vitest.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { environment, installPackages, root, runHere } from './pinned-node.mjs';

const isAll = process.argv[2] === '--all';
const vitestArguments = process.argv.slice(isAll ? 3 : 2);
const total = { passed: 0, failed: 0, skipped: 0 };
/** Timed parts: name, start and end, in milliseconds since 1970. */
const parts = [];
/** When each guest was first seen, by the id of its process. */
const guests = new Map();
setInterval(countGuests, 500).unref();

await timed('npm packages', () => installPackages());
if (!(await timed('tools and kernels', async () => install()))) {
  console.error(
    'not everything could be installed; the lines above name what is missing and the command that installs it',
  );
  process.exit(3);
}
const asked = spawnSync('node', ['src/cli.ts', 'doctor', '--environment', '--runner', 'virtme-ng'], {
  cwd: root,
  env: environment,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const tools = JSON.parse(asked.stdout.toString());

// The checks take one core, and cargo seldom uses two.
const [checked] = await Promise.all([timed('types, style, workflows', checkSources), testCrates()]);
process.stdout.write(checked);
await vitest();

const { passed, failed, skipped } = total;
showParts();
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

function install() {
  const args = ['src/cli.ts', 'doctor', '--install', '--tests', '--runner', 'virtme-ng'];
  return runHere('node', args, { stdio: ['ignore', 'inherit', 'inherit'] }) === 0;
}

async function timed(name, work) {
  const start = Date.now();
  try {
    return await work();
  } finally {
    parts.push({ name, start, end: Date.now() });
  }
}

/** Records each QEMU on this machine. A guest runs for at least two seconds. */
function countGuests() {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let program = '';
    try {
      program = basename(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? '');
    } catch {
      // The process has ended.
    }
    if (program.startsWith('qemu-system-') && !guests.has(pid)) guests.set(pid, Date.now());
  }
}

function showParts() {
  console.log('\n    seconds  guests  part');
  for (const { name, start, end } of parts) {
    const booted = [...guests.values()].filter((at) => at >= start && at <= end).length;
    console.log(`${seconds(end - start)}${`${booted}`.padStart(8)}  ${name}`);
  }
}

function seconds(ms) {
  return (ms / 1000).toFixed(1).padStart(11);
}

/** @returns output to print when nothing else is being printed */
async function checkSources() {
  const quietly = { cwd: root, env: environment, show: false };
  const types = await relay('npm', ['run', '--silent', 'check'], quietly);
  if (types.code !== 0) total.failed += 1;
  else total.passed += 1;
  // Without Go or Python a linter is skipped, and reports that.
  const workflows = await relay('npm', ['run', '--silent', 'lint:workflows'], quietly);
  const counts = /^workflows: (\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(workflows.text);
  const [passed, failed, skipped] = counts === null ? [0, 1, 0] : counts.slice(1).map(Number);
  total.passed += passed;
  total.failed += workflows.code !== 0 && failed === 0 ? 1 : failed;
  total.skipped += skipped;
  return `\n== types, style and generated files\n${types.text}\n== workflows\n${workflows.text}`;
}

async function testCrates() {
  // The tests that are ignored by default need root.
  const ignored = process.getuid?.() === 0 ? ['--', '--include-ignored'] : [];
  await timed('cargo test in vm/agent', () => cargoTest('vm/agent', ignored));
  await timed('cargo test in vm/plugin', () => cargoTest('vm/plugin'));
  // Shares the agent's crates, which are compiled by then.
  const shared = { CARGO_TARGET_DIR: join(root, 'vm', 'agent', 'target') };
  await timed('cargo test in vm/agent/fuzz', () => cargoTest('vm/agent/fuzz', [], shared));
  if (isAll) await timed('cargo test in example-project', () => cargoTest('example-project'));
}

/** Runs the tests of a crate or workspace, and adds up the summary lines of their binaries. */
async function cargoTest(folder, args = [], variables = {}) {
  console.log(`\n== cargo test in ${folder}`);
  const { text, code } = await relay('cargo', ['test', '--locked', '--no-fail-fast', ...args], {
    cwd: join(root, folder),
    env: { ...tools, ...variables },
  });
  let counted = false;
  for (const [, ok, bad, ignored] of text.matchAll(/^test result: .*? (\d+) passed; (\d+) failed; (\d+) ignored/gm)) {
    counted = true;
    total.passed += Number(ok);
    total.failed += Number(bad);
    total.skipped += Number(ignored);
  }
  if (!counted || (code !== 0 && !/[1-9]\d* failed/.test(text))) total.failed += 1;
}

async function vitest() {
  console.log('\n== vitest');
  const folder = mkdtempSync(join(tmpdir(), 'bpfgate-test-'));
  const report = join(folder, 'vitest.json');
  try {
    const args = [
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...(isAll || vitestArguments.length > 0 ? [] : ['--project=unit', '--project=e2e']),
      ...vitestArguments,
    ];
    const env = { ...environment, ...tools, PATH: `${join(root, 'node_modules', '.bin')}:${tools.PATH}` };
    const code = await new Promise((resolve, reject) => {
      const child = spawn('vitest', args, { cwd: root, env, stdio: 'inherit' });
      child.on('error', reject);
      child.on('close', resolve);
    });
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    showSlowest(testResults);
    total.passed += numPassedTests;
    total.failed += numFailedTests;
    total.skipped += numPendingTests;
    if (code !== 0 && numFailedTests === 0) total.failed += 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints the slowest tests, and records the time of those in guests and of the others. */
function showSlowest(files) {
  const isInGuests = ({ name }) => relative(root, name).startsWith(`tests${sep}e2e${sep}`);
  for (const [name, own] of Object.entries({
    'tests without guests': files.filter((file) => !isInGuests(file)),
    'tests in guests': files.filter(isInGuests),
  })) {
    if (own.length === 0) continue;
    const start = Math.min(...own.map(({ startTime }) => startTime));
    parts.push({ name, start, end: Math.max(...own.map(({ endTime }) => endTime)) });
  }
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: relative(root, name) })),
  );
  console.log('\n    seconds  slowest tests');
  for (const { duration, file, fullName } of tests.sort((a, b) => (b.duration ?? 0) - (a.duration ?? 0)).slice(0, 10)) {
    console.log(`${seconds(duration ?? 0)}  ${file}: ${fullName}`);
  }
}

/** Runs a program and returns its output. With `show` it is printed as it arrives; otherwise stderr is returned too. */
function relay(command, args, { show = true, ...options }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', show ? 'inherit' : 'pipe'], ...options });
    let text = '';
    child.stderr?.on('data', (chunk) => {
      text += chunk;
    });
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (show) process.stdout.write(chunk);
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ text, code }));
  });
}
