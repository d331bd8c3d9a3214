// Loaded before a gate (`node --import`): reports when the gate begins to write its output folder, and lets it go on
// after a signal. Without this, the results would be there before a signal could come.

import { once } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { mkdtemp } = fs.promises;
let isHeld = false;
fs.promises.mkdtemp = (async (...given: Parameters<typeof mkdtemp>) => {
  if (/\/\.bpfgate-$/.test(String(given[0])) && !isHeld) {
    isHeld = true;
    const signalled = Promise.race(['SIGINT', 'SIGTERM'].map((name) => once(process, name)));
    process.stderr.write('bpfgate: the output folder is begun\n');
    // Waiting for a signal does not keep a process alive.
    const timer = setInterval(() => {}, 1000);
    await signalled;
    clearInterval(timer);
  }
  return mkdtemp(...given);
}) as typeof mkdtemp;
syncBuiltinESMExports();
