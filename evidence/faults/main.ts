// `npm run test:faults`: injects every fault into a real gate and looks at what is left. See docs/reliability.md.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { InputError } from '../../src/common/errors.ts';
import { formatTime } from '../host.ts';
import { replaceSection } from '../render.ts';
import { faults } from './faults.ts';
import { injectFault } from './inject-fault.ts';
import { cutPowerAtEveryStep } from './power-cut.ts';
import { prepareCache } from './prepare-cache.ts';
import { runGates } from './run-gates.ts';
import { fillCache, makeSandbox } from './sandbox.ts';
import { type FaultRecord, mergeRecords, recordOf, renderFaults, renderGates, renderPowerCuts } from './tables.ts';

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
    /** Writes the outcome into docs/reliability.md and outcomes.json. */
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
const when = `${formatTime(new Date())}, load ${loadavg()[0]?.toFixed(1)} at the start`;
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
    if (given.write) keep(recordOf(outcome, formatTime(new Date())));
  }
}

/** Replaces the fault's record in the file of outcomes, and the table. */
function keep(record: FaultRecord): void {
  const file = join(import.meta.dirname, 'outcomes.json');
  const before = JSON.parse(readFileSync(file, 'utf8')) as FaultRecord[];
  const records = mergeRecords([...before, record], faults);
  writeFileSync(file, `${JSON.stringify(records, null, 2)}\n`);
  write('faults', renderFaults(records, faults));
}

async function cutPower(): Promise<void> {
  const cuts = await cutPowerAtEveryStep(join(folder, 'cuts'), prepared.cache);
  const section = renderPowerCuts(cuts, when);
  console.log(section);
  if (cuts.problems.length > 0) process.exitCode = 1;
  write('power-cuts', section);
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
  write('gates', renderGates(states, when));
}

function write(section: string, text: string): void {
  if (!given.write) return;
  const file = join(packageRoot, 'docs', 'reliability.md');
  writeFileSync(file, replaceSection(readFileSync(file, 'utf8'), `test:faults ${section}`, text));
}
