// Runs one gate after another in one process, as a long-lived runner would, to see what grows.
// Run by main.ts, with TMPDIR and BPFGATE_CACHE of a sandbox: node --expose-gc many-gates.ts GATES PROJECT OUT

import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { readInputs } from '../../src/adapters/read-inputs.ts';
import { openCache } from '../../src/cache/cache.ts';
import { runGate } from '../../src/gate.ts';
import { requirePrerequisites } from '../../src/prerequisites/prerequisites.ts';
import { publishRun } from '../../src/publish/write-outputs.ts';

const [, , gates = '', project = '', out = ''] = process.argv;
if (globalThis.gc === undefined) throw new Error('run with --expose-gc');
const cache = openCache();
const tools = await requirePrerequisites(['vm', 'checkout', 'agent'], {
  cache,
  optional: ['rust-bpf'],
});
const warnings: string[] = [];
const log = { progress() {}, warn: (text: string) => warnings.push(text) };
process.on('warning', (warning) => warnings.push(`node: ${warning.message}`));

for (let gate = 1; gate <= Number(gates); gate += 1) {
  const inputs = await readInputs(
    { project, base: 'base', head: 'base', kernels: '6.1', lanes: 'instructions', out },
    (name) => name,
  );
  const run = await runGate(inputs, { cache, environment: tools.env, log, fresh: true });
  await publishRun(run, inputs.out);
  globalThis.gc();
  const status = readFileSync('/proc/self/status', 'utf8');
  const state = {
    gate,
    verdict: run.results.verdict,
    rssMiB: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024,
    heapMiB: process.memoryUsage().heapUsed / 2 ** 20,
    openFiles: readdirSync('/proc/self/fd').length,
    temporaryEntries: readdirSync(tmpdir()).length,
    cacheEntries: readdirSync(cache.root, { recursive: true }).filter((name) => !String(name).startsWith('tools'))
      .length,
    warnings: warnings.splice(0),
  };
  process.stdout.write(`${JSON.stringify(state)}\n`);
}
