// Injects one fault into one real gate, and compares the machine before and after.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseResults } from '../../src/report/results-schema.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { type Ended, GateProcess } from './gate-process.ts';
import { findLeftovers, followSockets } from './machine.ts';
import {
  differences,
  fillCache,
  fingerprintTree,
  fixedKinds,
  makeSandbox,
  peace,
  readdirOrNone,
  type Sandbox,
} from './sandbox.ts';

const usualKernels = '6.1';
const errorLine = /^bpfgate: (?!\[\d+ s\])/;

/** The starting state of every fault. */
export interface Prepared {
  /** Folder of a complete cache. Entries of other caches may be hard links to its files. */
  readonly cache: string;
  /** Initial fingerprints, by path in the cache, of the entries that are the same in every cache. */
  readonly entries: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/**
 * @param folder a path where nothing exists yet; it is removed afterwards
 * @param again whether a gate without the fault is run in the same place afterwards
 */
export async function injectFault(
  fault: Fault,
  folder: string,
  prepared: Prepared,
  again: boolean,
): Promise<FaultOutcome> {
  mkdirSync(folder);
  const sandbox = makeSandbox(folder, fault.trouble);
  fillFor(fault, sandbox, prepared.cache);
  let undo = async () => {};
  try {
    undo = (await fault.prepare?.(sandbox)) ?? undo;
    const before = fingerprintTree(sandbox.project, { times: true });
    const endSockets = followSockets(sandbox);
    const gate = GateProcess.run(sandbox, {
      ...fault.gate,
      kernels: fault.kernels ?? usualKernels,
      options: fault.options,
      environment: fault.environment?.(sandbox),
    });
    const failed = await Promise.resolve(fault.inject?.(gate, sandbox)).then(
      () => [],
      (error: Error) => [`the fault was not injected: ${error.message}`],
    );
    if (failed.length > 0) gate.kill('SIGINT');
    const ended = await gate.ended;
    const sockets = endSockets();
    await undo();
    undo = async () => {};
    const left = [
      ...(await findLeftovers(sandbox, sockets)),
      ...differences(before, fingerprintTree(sandbox.project, { times: true })),
      ...(await findBrokenEntries(sandbox, prepared)),
    ];
    const found = findMessage(ended, fault.expect.message);
    const problems = [...failed, ...found.problems, ...checkEnd(ended, fault), ...checkOutputs(ended, fault, sandbox)];
    problems.push(...((await fault.expect.check?.(ended, sandbox)) ?? []));
    if (again) problems.push(...(await runAgain(sandbox)));
    if (problems.length > 0) problems.push(`stderr:\n${ended.stderr.toString('utf8').slice(-6000)}`);
    const { code, seconds, peakMiB, othersPeakMiB } = ended;
    const message = found.message.replaceAll(sandbox.folder, '');
    return { fault, code, message, seconds, peakMiB, othersPeakMiB, left, problems };
  } finally {
    await undo();
    rmSync(folder, { recursive: true, force: true });
  }
}

function fillFor({ cache: wanted = 'all' }: Fault, sandbox: Sandbox, cache: string): void {
  if (wanted === 'all') fillCache(sandbox.cache, cache);
  else fillCache(sandbox.cache, cache, ['agent', 'plugin', ...(wanted === 'no kernel' ? [] : ['kernels-2' as const])]);
}

function findMessage(ended: Ended, pattern: RegExp | undefined) {
  if (pattern === undefined) return { message: '', problems: [] };
  const lines = ended.stderr.toString('utf8').split('\n');
  // An error may have several lines.
  const starts = lines.flatMap((line, index) => (errorLine.test(line) ? [index] : []));
  const start = starts.find((from, at) => pattern.test(lines.slice(from, starts[at + 1]).join('\n')));
  const message = start === undefined ? undefined : lines[start];
  if (message !== undefined) return { message: message.replace(/^bpfgate: /, ''), problems: [] };
  return { message: lines.find((line) => errorLine.test(line)) ?? '', problems: [`no line says ${pattern}`] };
}

/** Checks what is expected of every end. */
function checkEnd(ended: Ended, { expect }: Fault): string[] {
  const problems: string[] = [];
  const text = ended.stderr.toString('utf8');
  if (ended.code === null || !expect.codes.includes(ended.code)) {
    problems.push(`the exit code is ${ended.code ?? ended.signal}, not ${expect.codes.join(' or ')}`);
  }
  for (const [name, bytes] of [
    ['stderr', ended.stderr],
    ['stdout', Buffer.from(ended.stdout)],
  ] as const) {
    // bpfgate replaces a program's invalid text with U+FFFD. A byte that is not UTF-8 was passed on unchanged.
    if (!Buffer.from(bytes.toString('utf8')).equals(bytes)) problems.push(`${name} is not UTF-8`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.exec(bytes.toString('utf8'));
    if (control !== null) problems.push(`${name} has the control character ${JSON.stringify(control[0])}`);
  }
  if (/internal error|UnhandledPromise|ExperimentalWarning|MaxListeners/.test(text)) {
    problems.push('it calls itself defective, or node complains');
  }
  return problems;
}

/** The files that a run without a result leaves. */
const ofFailure = /^(\.gitignore|error\.json|logs\/[\w.-]+)$/;

/** Checks that the output folder is complete or only explains the failure, and that each kernel is as expected. */
function checkOutputs(ended: Ended, { expect }: Fault, { out }: Sandbox): string[] {
  const { measured = [], missing = {} } = expect;
  const wanted = [...measured, ...Object.keys(missing)];
  const files = listFiles(out);
  if (wanted.length === 0 || expect.nothingWritten === true) {
    const mustBeEmpty = expect.nothingWritten ?? !expect.codes.some((code) => code < 2);
    const others = files.filter((name) => !ofFailure.test(name));
    if (mustBeEmpty && others.length > 0) return [`the output folder has ${others.join(', ')}`];
    if (others.length === 0) return [];
  }
  const problems = files.filter((name) => name.includes('.bpfgate-')).map((name) => `the output folder has ${name}`);
  const whole = ['report.md', 'results.json', 'stages/builds.json', 'stages/guest-runs.json', 'stages/plan.json'];
  for (const name of whole) if (!files.includes(name)) problems.push(`the output folder has no ${name}`);
  if (problems.length > 0) return problems;
  const results = parseResults(readFileSync(join(out, 'results.json'), 'utf8'), 'results.json');
  const report = readFileSync(join(out, 'report.md'), 'utf8');
  for (const kernel of measured) {
    if (results.kernels.find(({ id }) => id === kernel)?.error !== null) problems.push(`${kernel} is not measured`);
    const own = results.comparisons.filter((each) => each.kernel === kernel);
    // The seven programs of lives.c, once for each bench.
    if (own.length !== 14) problems.push(`${kernel} has ${own.length} comparisons, not 14`);
  }
  for (const [kernel, why] of Object.entries(missing)) {
    const error = results.kernels.find(({ id }) => id === kernel)?.error;
    if (error === null || error === undefined) problems.push(`${kernel} has no error`);
    else if (!why.test(error.message)) problems.push(`of ${kernel} results.json says: ${error.message}`);
    for (const [name, text] of [
      ['report.md', report],
      ['stdout', ended.stdout],
    ] as const) {
      if (!text.includes(kernel)) problems.push(`${name} does not name ${kernel}`);
    }
  }
  return problems;
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();
  } catch {
    return [];
  }
}

/** The fingerprints of a cache's entries, for `Prepared`. */
export function fingerprintEntries(cache: string): Map<string, ReadonlyMap<string, string>> {
  const names = fixedKinds.flatMap((kind) => readdirOrNone(join(cache, kind)).map((name) => join(kind, name)));
  const entries = names.filter((name) => !name.endsWith('/.lock'));
  return new Map(entries.map((name) => [name, fingerprintTree(join(cache, name), { times: false })]));
}

/** Entries of a cache that differ from the prepared ones or are incomplete, and leftovers of filling entries. */
export async function findBrokenEntries(sandbox: Sandbox, { entries }: Prepared): Promise<string[]> {
  const broken: string[] = [];
  for (const kind of readdirOrNone(sandbox.cache)) {
    if (kind === 'tools' || kind === 'rust-src') continue;
    const isDeep = ['builds', 'snapshots', 'sums'].includes(kind);
    const folder = join(sandbox.cache, kind);
    for (const parent of isDeep ? readdirOrNone(folder).map((name) => join(folder, name)) : [folder]) {
      for (const name of readdirOrNone(parent)) {
        const path = join(parent, name);
        const where = path.slice(sandbox.cache.length + 1);
        if (name === 'lock' || name === '.lock') continue;
        if (name.startsWith('.') || name === 'work') broken.push(`cache: ${where} is left`);
        else broken.push(...checkEntry(kind, path, entries.get(where)).map((why) => `cache: ${where}: ${why}`));
      }
    }
  }
  const verified = await new GateProcess(sandbox, ['kernels', 'verify', '6.1', '6.12']).ended;
  if (verified.code !== 0) broken.push(`bpfgate kernels verify: ${verified.stderr.toString('utf8').trim()}`);
  return broken;
}

function checkEntry(kind: string, path: string, reference: ReadonlyMap<string, string> | undefined): string[] {
  if (fixedKinds.some((fixed) => fixed === kind)) {
    if (reference === undefined) return ['is no entry of an undisturbed gate'];
    return differences(reference, fingerprintTree(path, { times: false }));
  }
  if (kind === 'counts') {
    try {
      JSON.parse(readFileSync(join(path, 'counts.json'), 'utf8'));
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  }
  if (kind === 'snapshots') {
    const machine = readFileSync(join(path, 'machine'));
    // Magic of a QEMU migration stream; restoring it shows whether the rest is complete.
    return machine.toString('latin1', 0, 4) === 'QEVM' ? [] : ['is no saved machine'];
  }
  if (kind === 'sums') return /^[0-9a-f]{64}$/.test(readFileSync(path, 'utf8')) ? [] : ['is no sum'];
  if (kind === 'builds' && path.endsWith('.seal')) {
    return existsSync(path.slice(0, -'.seal'.length)) ? [] : ['is the seal of no build'];
  }
  // How long builds took: read as empty where it was cut.
  if (kind === 'builds' && path.endsWith('/seconds.json')) return [];
  if (kind === 'builds') {
    const files = readdirOrNone(path);
    return ['bpfgate.toml', 'lives', 'lives.c', 'bpf.h']
      .filter((name) => !files.includes(name))
      .map((name) => `no ${name}`);
  }
  return [`unknown kind of entry: ${kind}`];
}

/** Checks that the next gate in the same place works as if there had been no fault. */
async function runAgain(sandbox: Sandbox): Promise<string[]> {
  writeFileSync(join(sandbox.folder, peace), '');
  const endSockets = followSockets(sandbox);
  const ended = await GateProcess.run(sandbox, { kernels: usualKernels, options: ['--head', 'base'] }).ended;
  const sockets = endSockets();
  if (ended.code !== 0) return [`the next gate exits with ${ended.code}: ${ended.stderr}`];
  const problems: string[] = [];
  const results = parseResults(readFileSync(join(sandbox.out, 'results.json'), 'utf8'), 'results.json');
  if (results.comparisons.length !== 14) problems.push('the next gate has not all results');
  problems.push(...(await findLeftovers(sandbox, sockets)).map((left) => `the next gate leaves ${left}`));
  return problems;
}
