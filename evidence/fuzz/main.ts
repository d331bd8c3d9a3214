// `npm run fuzz -- [--seconds N] [--only NAME]... [--jobs N] [--seed N] [--write]`: gives generated inputs to every
// parser of untrusted text, and prints the results. docs/fuzzing.md says more. With --input FILE and --only NAME it
// runs that one input.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { InputError } from '../../src/common/errors.ts';
import { writeRecord } from '../keep.ts';
import { readPositive } from '../options.ts';
import { describeCommit, formatTime, readRecord } from '../record.ts';
import { renderTable } from '../render.ts';
import { agentTargets, buildAgentTargets, fuzzAgentTarget, reproduceAgentInput } from './agent-targets.ts';
import { targetModule } from './instrument.ts';
import { type FuzzOutcomes, fuzzRecord, recordOf, targetRow } from './tables.ts';
import type { Target } from './target.ts';
import { type Outcome, watchTarget } from './watch.ts';

const { values: given } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    jobs: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [] },
    input: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const folder = import.meta.dirname;
const findings = join(folder, 'findings');
const ownTargets = readdirSync(join(folder, 'targets')).map((file) => basename(file, '.ts'));

const log = openLog();
await runScript(log, async () => {
  const known = [...ownTargets, ...agentTargets];
  const unknown = given.only.find((name) => !known.includes(name) && name !== 'agent' && name !== 'host');
  if (unknown !== undefined) {
    throw new InputError(`--only: no target is called \`${unknown}\``, {
      hint: `name one of ${known.join(', ')}, host or agent`,
    });
  }
  const isWanted = (name: string, group: string) =>
    given.only.length === 0 || given.only.includes(name) || given.only.includes(group);
  const own = ownTargets.filter((name) => isWanted(name, 'host'));
  const ofAgent = agentTargets.filter((name) => isWanted(name, 'agent'));
  if (given.input !== undefined) return await reproduce([...own, ...ofAgent], given.input);

  const seconds = readPositive('seconds', given.seconds);
  const jobs = readPositive('jobs', given.jobs);
  const seed = readPositive('seed', given.seed);
  const scratch = mkdtempSync(join(tmpdir(), 'bpfgate-fuzz-'));
  const time = formatTime(new Date());
  try {
    log.progress(`seed ${seed}`);
    if (ofAgent.length > 0) await buildAgentTargets(log);
    const limit = pLimit(jobs);
    const outcomes: Outcome[] = [];
    await Promise.all([
      ...own.map((name) => limit(async () => outcomes.push(await fuzzOwn(name, { seconds, seed, scratch })))),
      ...ofAgent.map((name) =>
        limit(async () =>
          outcomes.push(await fuzzAgentTarget({ name, seconds, seed, findings, scratch: join(scratch, name) })),
        ),
      ),
    ]);
    log.clear();
    const order = (name: string) => known.indexOf(name);
    outcomes.sort((a, b) => order(a.name) - order(b.name));
    const records = outcomes.map((outcome) => recordOf(outcome, time.slice(0, 10)));
    process.stdout.write(`${renderTable(records.map(targetRow))}\n`);
    if (given.write) {
      // Targets that were not run now keep their outcomes.
      const before = readRecord<FuzzOutcomes>('fuzz').outcomes;
      const byName = new Map([...before, ...records].map((record) => [record.name, record]));
      const all = known.flatMap((name) => byName.get(name) ?? []);
      writeRecord('fuzz', fuzzRecord(all, known, await describeCommit()));
    }
    const found = outcomes.flatMap((outcome) =>
      outcome.findings.map((finding) => ({ name: outcome.name, ...finding })),
    );
    for (const { name, kind, file, detail } of found) {
      const path = relative(packageRoot, file);
      process.stdout.write(`\n${name}: ${kind}: ${detail}\n  again: npm run fuzz -- --only ${name} --input ${path}\n`);
    }
    const failed = new Set(found.map(({ name }) => name)).size;
    process.stdout.write(`\nfuzz: ${outcomes.length - failed} passed, ${failed} failed\n`);
    if (found.length > 0) process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});

async function fuzzOwn(
  name: string,
  { seconds, seed, scratch }: { seconds: number; seed: number; scratch: string },
): Promise<Outcome> {
  return await watchTarget({
    name,
    module: targetModule(name),
    seed,
    seconds,
    scratch: mkdtempSync(join(scratch, `${name}-`)),
    findings,
    corpus: join(folder, 'corpus', name),
    onProgress: ({ executions, corpus, reached }) =>
      log.progress(`${name}: ${executions} executions, ${corpus} inputs, ${reached} branches`),
  });
}

/** Runs one input without limits, so that a debugger can be used. */
async function reproduce([name, ...others]: readonly string[], file: string): Promise<void> {
  if (name === undefined || others.length > 0) {
    throw new InputError('--input: give the one target that the input is for', { hint: 'name it with --only' });
  }
  if (agentTargets.includes(name)) {
    await buildAgentTargets(log);
    process.stdout.write(`${await reproduceAgentInput(name, file)}\n`);
    return;
  }
  const { target } = (await import(pathToFileURL(targetModule(name)).href)) as { readonly target: Target };
  const startedAt = performance.now();
  try {
    await target.run(readFileSync(file));
    log.progress('it is read without an error');
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  }
  process.stdout.write(`${Math.round(performance.now() - startedAt)} ms\n`);
}
