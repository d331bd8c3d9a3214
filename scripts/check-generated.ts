// Fails if committed generated files (dist/, schema/, tables in docs/) differ from what the sources generate.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const fresh = mkdtempSync(join(tmpdir(), 'bpfgate-dist-'));
try {
  execFileSync('rolldown', ['--config', '--dir', fresh, '--logLevel', 'silent'], { cwd: root, stdio: 'inherit' });
  const committed = join(root, 'dist');
  const differing = [...new Set([...readdirSync(fresh), ...readdirSync(committed)])].filter(
    (name) => read(join(fresh, name)) !== read(join(committed, name)),
  );
  if (differing.length > 0) {
    console.error(`dist/ is not what src/ gives: ${differing.join(', ')}; run \`npm run build\` and commit it`);
    process.exitCode = 1;
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
for (const script of [
  'scripts/write-schema.ts',
  'scripts/write-needs.ts',
  'scripts/write-packets.ts',
  'evidence/render.ts',
]) {
  execFileSync(process.execPath, [join(root, script), '--check'], { stdio: 'inherit' });
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
