// Loaded before a gate (`node --import`): it says when it begins to write its output folder, and goes on when it has been
// signalled. Without this the results are there before a signal can come.

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
    // Waiting for a signal alone does not keep a process.
    const timer = setInterval(() => {}, 1000);
    await signalled;
    clearInterval(timer);
  }
  return mkdtemp(...given);
}) as typeof mkdtemp;
syncBuiltinESMExports();
