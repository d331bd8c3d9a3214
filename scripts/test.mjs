// `npm test`: installs what is missing, runs every test there is, those in real VMs included, and ends with one line
// that counts them all.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, installPackages, root, runHere } from './pinned-node.mjs';

const total = { passed: 0, failed: 0, skipped: 0 };

installPackages();
// Where what the tests' own projects are built with cannot be had, the tests that need it are skipped and say so.
if (!install('--tests') && !install()) {
  console.error('not everything could be installed; the lines above name each lack and the command that mends it');
  process.exit(3);
}
const tools = JSON.parse(await output('node', ['src/cli.ts', 'doctor', '--environment', '--runner', 'virtme-ng']));

// These take one core, and cargo seldom both.
const [checked] = await Promise.all([checkSources(), testCrates()]);
process.stdout.write(checked);
await vitest();

const { passed, failed, skipped } = total;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

function install(...options) {
  const args = ['src/cli.ts', 'doctor', '--install', '--runner', 'virtme-ng', ...options];
  return runHere('node', args, { stdio: ['ignore', 'inherit', 'inherit'] }) === 0;
}

/** @returns what there is to show of it, when nothing else is being shown */
async function checkSources() {
  const quietly = { cwd: root, env: environment, show: false };
  const types = await relay('npm', ['run', '--silent', 'check'], quietly);
  if (types.code !== 0) total.failed += 1;
  else total.passed += 1;
  // Without Go or Python a linter is skipped, which it says.
  const workflows = await relay('npm', ['run', '--silent', 'lint:workflows'], quietly);
  const counts = /^workflows: (\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(workflows.text);
  const [passed, failed, skipped] = counts === null ? [0, 1, 0] : counts.slice(1).map(Number);
  total.passed += passed;
  total.failed += workflows.code !== 0 && failed === 0 ? 1 : failed;
  total.skipped += skipped;
  return `\n== types, style and generated files\n${types.text}\n== workflows\n${workflows.text}`;
}

async function testCrates() {
  // Those that are ignored by default need root.
  await cargoTest('vm/agent', process.getuid?.() === 0 ? ['--', '--include-ignored'] : []);
  // With the agent's own crates, which are compiled by then.
  await cargoTest('vm/agent/fuzz', [], { CARGO_TARGET_DIR: join(root, 'vm', 'agent', 'target') });
  await cargoTest('example-project');
}

/** Runs a crate's or workspace's tests and adds up the summary line of each of their binaries. */
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
  if (code !== 0 && !/[1-9]\d* failed/.test(text)) total.failed += 1;
  if (!counted) total.failed += 1;
}

async function vitest() {
  console.log('\n== vitest');
  const folder = mkdtempSync(join(tmpdir(), 'bpfgate-test-'));
  const report = join(folder, 'vitest.json');
  try {
    const code = runHere('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`], {
      env: { ...environment, ...tools, PATH: `${join(root, 'node_modules', '.bin')}:${tools.PATH}` },
    });
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
    total.passed += numPassedTests;
    total.failed += numFailedTests;
    total.skipped += numPendingTests;
    if (code !== 0 && numFailedTests === 0) total.failed += 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program and returns its output. It is shown as it comes; else its errors are in the output too. */
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

async function output(command, args) {
  let text = '';
  await new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.on('error', reject);
    child.on('close', resolve);
  });
  return text;
}
