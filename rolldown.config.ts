// Bundles the command line and the action, dependencies included, into dist/, which is committed: a checkout runs
// without an install, and a `uses:` step has nothing else.

import { defineConfig } from 'rolldown';

export default defineConfig({
  input: {
    cli: 'src/cli.ts',
    action: 'src/action.ts',
    'plan-action': 'src/plan-action.ts',
    'report-action': 'src/report-action.ts',
  },
  platform: 'node',
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
    cleanDir: true,
  },
});
