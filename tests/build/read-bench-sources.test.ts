import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readBenchSources } from '../../src/build/read-bench-sources.ts';

test('finds the Rust files of benchmarks, in the project and not in what was built', async () => {
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
