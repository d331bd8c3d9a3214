import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readBenchSources, readCriterionUse } from '../../src/build/read-criterion.ts';

test('finds the Rust files of benchmarks in the project, and not in build output', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bpfgate-benches-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const files = [
    'project/xdp/benches/a.rs',
    'project/xdp/benches/fun/main.rs',
    'project/xdp/benches/notes.md',
    'project/xdp/src/lib.rs',
    'project/target/package/benches/b.rs',
    'other/benches/c.rs',
  ];
  for (const file of files) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), `// ${file}\n`);
  }
  expect(await readBenchSources(dir, 'project')).toEqual([
    { path: 'project/xdp/benches/a.rs', text: '// project/xdp/benches/a.rs\n' },
    { path: 'project/xdp/benches/fun/main.rs', text: '// project/xdp/benches/fun/main.rs\n' },
  ]);
  expect(await readBenchSources(dir, 'nowhere')).toEqual([]);
});

test.each([
  ['0.3.6', true],
  ['0.5.1', false],
])('Criterion %s of the lock file above the project takes whole seconds: %s', async (version, wholeSeconds) => {
  const root = mkdtempSync(join(tmpdir(), 'bpfgate-benches-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of ['.git', 'project/benches']) mkdirSync(join(root, folder), { recursive: true });
  const lock = `[[package]]\nname = "criterion-plot"\nversion = "0.3.0"\n\n[[package]]\nname = "criterion"\nversion = "${version}"\n`;
  writeFileSync(join(root, 'Cargo.lock'), lock);
  writeFileSync(join(root, 'project/benches/a.rs'), 'a');
  const sources = [{ path: 'project/benches/a.rs', text: 'a' }];
  expect(await readCriterionUse(join(root, 'project'))).toEqual({ sources, wholeSeconds });
});
