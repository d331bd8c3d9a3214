// `bpfgate COMMAND --help` in its own process.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const cli = join(import.meta.dirname, '..', '..', 'src', 'cli.ts');
const help = (command: string) =>
  spawnSync(process.execPath, [cli, command, '--help'], { encoding: 'utf8' }).stdout.replaceAll(/\s+/g, ' ');

test('bisect says which options it needs together', () => {
  expect(help('bisect')).toContain(
    'Usage: bpfgate bisect --bench <name> (--good <ref> --kernel <selector> | --kernels <list>) [options]',
  );
});

test('run lists the lanes', () => {
  expect(help('run')).toContain('--lanes <list> lanes to measure, of instructions, verifier (default:');
});
