// `npm run test:faults`: injects every fault into a real gate and looks at what is left. See docs/reliability.md.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { InputError } from '../../src/common/errors.ts';
import { writeRecord } from '../keep.ts';
import { describeCommit, describeMachine, formatTime, readLoad, readRecord, type Tables } from '../record.ts';
import { renderTable } from '../render.ts';
import { faults } from './faults.ts';
import { injectFault } from './inject-fault.ts';
import { cutPowerAtEveryStep } from './power-cut.ts';
import { prepareCache } from './prepare-cache.ts';
import { runGates } from './run-gates.ts';
import { fillCache, makeSandbox } from './sandbox.ts';
import {
  type FaultRecord,
  type FaultsRecord,
  faultsRecord,
  gateTables,
  mergeRecords,
  powerCutTables,
  recordOf,
} from './tables.ts';

const { values: given } = parseArgs({
  options: {
    /** Names of faults; may be given more than once. */
    only: { type: 'string', multiple: true },
    /** Only the faults that `npm run test:all` injects, without a gate after each. */
    short: { type: 'boolean', default: false },
    /** Runs this many gates one after the other instead. */
    gates: { type: 'string' },
    /** Cuts the power instead. */
    'power-cuts': { type: 'boolean', default: false },
    /** Keeps the outcome, which docs/reliability.md shows. */
    write: { type: 'boolean', default: false },
  },
});

const unknown = (given.only ?? []).filter((name) => !faults.some((fault) => fault.name === name));
if (unknown.length > 0) {
  throw new InputError(
    `no fault is called ${unknown.join(', ')}; there are ${faults.map(({ name }) => name).join(', ')}`,
  );
}
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-faults-')));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(130));

const isRoot = process.getuid?.() === 0;
const load = readLoad().toFixed(1);
console.log('preparing a cache');
const prepared = await prepareCache(join(folder, 'prepared'));
if (given.gates !== undefined) await runManyGates(Number(given.gates));
else if (given['power-cuts']) await cutPower();
else await injectAll();

async function injectAll(): Promise<void> {
  const chosen = faults
    .filter(({ name }) => given.only === undefined || given.only.includes(name))
    .filter(({ inShort }) => !given.short || inShort === true);
  for (const [index, fault] of chosen.entries()) {
    if (fault.needsRoot === true && !isRoot) {
      console.log(`skipped ${fault.name}: it mounts a file system, which takes root`);
      continue;
    }
    const outcome = await injectFault(fault, join(folder, String(index)), prepared, !given.short);
    const wrong = [...outcome.left.map((each) => `left: ${each}`), ...outcome.problems];
    const { code, seconds, peakMiB, othersPeakMiB, message } = outcome;
    console.log(
      `${wrong.length === 0 ? 'ok  ' : 'FAIL'} ${fault.name}: exit ${code}, ${seconds.toFixed(1)} s, ${peakMiB.toFixed(0)} + ${othersPeakMiB.toFixed(0)} MiB: ${message}`,
    );
    for (const each of wrong) console.log(`     ${each.replaceAll('\n', '\n     ')}`);
    if (wrong.length > 0) process.exitCode = 1;
    // Written after each fault: later ones may take long, or fail.
    if (given.write) await keep(recordOf(outcome, formatTime(new Date())));
  }
}

/** Replaces the fault's outcome in the record, and the table. */
async function keep(outcome: FaultRecord): Promise<void> {
  const { outcomes } = readRecord<FaultsRecord>('faults');
  const all = mergeRecords([...outcomes, outcome], faults);
  writeRecord('faults', faultsRecord(all, faults, await describeCommit()));
}

async function cutPower(): Promise<void> {
  const cuts = await cutPowerAtEveryStep(join(folder, 'cuts'), prepared.cache);
  if (cuts.problems.length > 0) process.exitCode = 1;
  await show('power-cuts', '--power-cuts', powerCutTables(cuts));
}

async function runManyGates(count: number): Promise<void> {
  if (!Number.isInteger(count) || count < 2) throw new InputError(`--gates takes a number from 2, not ${given.gates}`);
  const own = join(folder, 'gates');
  mkdirSync(own);
  const sandbox = makeSandbox(own);
  fillCache(sandbox.cache, prepared.cache);
  const { states, problems } = await runGates(sandbox, count, console.log);
  for (const each of problems) console.log(`FAIL ${each}`);
  if (problems.length > 0) process.exitCode = 1;
  await show('gates', `--gates ${count}`, gateTables(states));
}

/** Prints the tables; with `--write` it also keeps them. */
async function show(name: string, options: string, tables: Tables): Promise<void> {
  for (const rows of Object.values(tables)) console.log(renderTable(rows));
  if (!given.write) return;
  const command = `npm run test:faults -- ${options} --write`;
  const conditions = { 'load at the start': load };
  const [time, commit, machine] = [formatTime(new Date()), await describeCommit(), describeMachine()];
  writeRecord(`faults/${name}`, { command, time, commit, machine, conditions, tables });
}
