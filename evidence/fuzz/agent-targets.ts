// Fuzzing: runs the agent's parsers under libFuzzer.

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { MachineError } from '../../src/common/errors.ts';
import type { Finding, Outcome, WatchOptions } from './watch.ts';

const crate = join(packageRoot, 'vm', 'agent', 'fuzz');
const triple = 'x86_64-unknown-linux-gnu';
const corpora = join(packageRoot, 'evidence', 'fuzz', 'corpus');
const targetFolder = process.env.CARGO_TARGET_DIR ?? join(crate, 'target');

/** `TARGETS` of vm/agent/fuzz/src/lib.rs; a test of that crate compares it with the corpora. */
export const agentTargets: readonly string[] = readdirSync(corpora).filter((name) => name.startsWith('agent-'));

/** Flags that cargo-fuzz gives a nightly compiler, as far as a stable one supports them: all but the sanitizers. */
const flags = [
  ...['--cfg=fuzzing', '-Cpasses=sancov-module', '-Ccodegen-units=1'],
  ...[
    'sanitizer-coverage-level=4',
    'sanitizer-coverage-inline-8bit-counters',
    'sanitizer-coverage-pc-table',
    'sanitizer-coverage-trace-compares',
  ].map((flag) => `-Cllvm-args=-${flag}`),
];

/** @throws MachineError with the end of cargo's output */
export async function buildAgentTargets(log: Log): Promise<void> {
  log.progress('building the agent’s targets');
  // The target is explicit, so that build scripts do not get the flags.
  const args = ['build', '--release', '--locked', '--bin', 'fuzz', '--features', 'libfuzzer-sys', '--target', triple];
  const { code, stderr } = await run('cargo', args, {
    cwd: crate,
    env: { ...process.env, RUSTFLAGS: flags.join(' ') },
  });
  if (code === 0) return;
  throw new MachineError(`the agent's fuzz targets do not build:\n${stderr.trim().split('\n').slice(-15).join('\n')}`, {
    hint: 'a C++ compiler is needed too: apt-get install g++',
  });
}

export type AgentFuzzOptions = Pick<WatchOptions, 'name' | 'seconds' | 'seed' | 'findings' | 'scratch'>;

export async function fuzzAgentTarget({ name, seconds, seed, findings, scratch }: AgentFuzzOptions): Promise<Outcome> {
  const queue = join(scratch, 'queue');
  const artifacts = join(scratch, 'artifacts');
  mkdirSync(queue, { recursive: true });
  mkdirSync(artifacts, { recursive: true });
  const found: Finding[] = [];
  const startedAt = performance.now();
  const left = () => seconds - (performance.now() - startedAt) / 1000;
  let [executions, corpus, reached, slowestMs, largestHeap] = [0, 0, 0, 0, 0];
  for (let attempt = 0; attempt < 10 && (attempt === 0 || left() > 1); attempt++) {
    const args = [
      ...[
        `-max_total_time=${Math.max(1, Math.ceil(left()))}`,
        `-seed=${seed + attempt}`,
        '-max_len=65536',
        '-timeout=20',
      ],
      ...['-rss_limit_mb=1024', '-malloc_limit_mb=512', '-print_final_stats=1', `-artifact_prefix=${artifacts}/`],
      ...[queue, join(corpora, name)],
    ];
    const env = { ...process.env, BPFGATE_FUZZ_TARGET: name, RUST_BACKTRACE: '0', TMPDIR: scratch };
    const { code, stderr } = await run(join(targetFolder, triple, 'release', 'fuzz'), args, { cwd: scratch, env });
    const stat = (key: string) => Number(new RegExp(`stat::${key}: +(\\d+)`).exec(stderr)?.[1] ?? 0);
    const last = [...stderr.matchAll(/^#\d+\s+\w+\s+cov: (\d+) .*?corp: (\d+)/gm)].at(-1);
    executions += stat('number_of_executed_units');
    reached = Math.max(reached, Number(last?.[1] ?? 0));
    corpus = Math.max(corpus, Number(last?.[2] ?? 0));
    slowestMs = Math.max(slowestMs, stat('slowest_unit_time_sec') * 1000);
    largestHeap = Math.max(largestHeap, stat('peak_rss_mb') * 1024 * 1024);
    if (code === 0) break;
    const [artifact] = readdirSync(artifacts);
    const detail = stderr
      .split('\n')
      .filter((line) => /^(panic|==\d+==|SUMMARY)/.test(line))
      .join('\n');
    if (artifact === undefined) {
      throw new MachineError(`fuzzing ${name} ended with ${code}:\n${stderr.trim().split('\n').slice(-15).join('\n')}`);
    }
    const folder = join(findings, name);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, artifact);
    writeFileSync(file, readFileSync(join(artifacts, artifact)));
    rmSync(join(artifacts, artifact));
    found.push({ kind: artifact.split('-')[0] ?? 'crash', file, detail: detail || stderr.slice(-2000) });
  }
  return {
    name,
    seconds: (performance.now() - startedAt) / 1000,
    findings: found,
    executions,
    accepted: -1,
    corpus,
    reached,
    slowestMs,
    largestHeap,
  };
}

/** Runs one input and returns the target's output. */
export async function reproduceAgentInput(name: string, file: string): Promise<string> {
  const env = { ...process.env, BPFGATE_FUZZ_TARGET: name };
  const { code, stderr } = await run(join(targetFolder, triple, 'release', 'fuzz'), [file], { cwd: packageRoot, env });
  return `${stderr}\nexit code ${code}`;
}

function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
) {
  return new Promise<{ readonly code: number | null; readonly stderr: string }>((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-200_000);
    });
    const stop = () => child.kill('SIGKILL');
    process.once('exit', stop);
    child.on('error', (cause) => {
      reject(new MachineError(`${command} cannot be run: ${cause.message}`, { cause }));
    });
    child.on('close', (code) => {
      process.off('exit', stop);
      resolve({ code, stderr });
    });
  });
}
