// Loaded before a program (`node --import`): kills it without warning right before the step with the number (from 1) in
// BPFGATE_STEP. A step is a call that changes the file system below BPFGATE_CACHE, or the start of another program,
// which gets 20 ms. At the end, writes the number of steps to the file that BPFGATE_STEPS names.

import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const fatal = Number(process.env.BPFGATE_STEP ?? 0);
const below = `${process.env.BPFGATE_CACHE}/`;
let steps = 0;

function step(): boolean {
  steps += 1;
  return steps === fatal;
}

const changing = [
  ...(['mkdir', 'mkdtemp', 'writeFile', 'appendFile', 'rename', 'rm', 'copyFile', 'chmod'] as const),
  ...(['lutimes', 'utimes', 'symlink', 'open'] as const),
];
const promises = fs.promises as unknown as Record<string, (...given: unknown[]) => unknown>;
for (const name of changing) {
  const real = promises[name];
  if (real === undefined) throw new Error(`node has no fs.promises.${name}`);
  promises[name] = (...given) => {
    if (given.some((each) => typeof each === 'string' && each.startsWith(below)) && step()) {
      process.kill(process.pid, 'SIGKILL');
    }
    return real(...given);
  };
}
const { spawn } = childProcess;
childProcess.spawn = ((...given: Parameters<typeof spawn>) => {
  const child = spawn(...given);
  if (step()) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20);
  return child;
}) as typeof spawn;
syncBuiltinESMExports();

process.on('exit', () => {
  if (process.env.BPFGATE_STEPS !== undefined) fs.writeFileSync(process.env.BPFGATE_STEPS, String(steps));
});
