import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runGates } from './run-gates.ts';
import type { Sandbox } from './sandbox.ts';

let sandbox: Sandbox;
beforeEach(() => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-gates-')));
  const at = (name: string) => join(folder, name);
  sandbox = { folder, project: at('project'), cache: at('cache'), temporary: at('tmp'), out: at('out') };
  mkdirSync(sandbox.temporary);
});
afterEach(() => rmSync(sandbox.folder, { recursive: true }));

/** A socket named as vmtest names it, in the system's temporary folder whatever TMPDIR says. */
const socket = `/tmp/qmp-${process.pid}${Date.now()}.sock`;

/** A script of two gates that leave nothing in TMPDIR. Each had a guest with that socket. */
function script(atTheEnd: string): string {
  const file = join(sandbox.folder, 'gates.mjs');
  const state = { verdict: 'pass', rssMiB: 100, heapMiB: 20, openFiles: 20, warnings: [] };
  writeFileSync(
    file,
    `import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
for (const gate of [1, 2]) {
  const folder = process.env.TMPDIR + '/bpfgate-run-' + gate;
  mkdirSync(folder);
  writeFileSync('${socket}', '');
  writeFileSync(folder + '/runner.arguments', '-qmp\\0unix:${socket},server=on,wait=off\\0');
  await setTimeout(300);
  rmSync(folder, { recursive: true });
  console.log(JSON.stringify({ gate, temporaryEntries: 0, cacheEntries: 9, ...${JSON.stringify(state)} }));
}
${atTheEnd}
`,
  );
  return file;
}

test("a socket that a gate's guest leaves in the system’s temporary folder is reported", async () => {
  try {
    const lines: string[] = [];
    const { states, problems } = await runGates(sandbox, 2, (line) => lines.push(line), script(''));
    expect(problems).toEqual([socket]);
    expect(states.map(({ gate }) => gate)).toEqual([1, 2]);
    expect(lines).toHaveLength(2);
  } finally {
    rmSync(socket, { force: true });
  }
});

test('one that is removed in time is not reported, but a process that fails is', async () => {
  const { problems } = await runGates(sandbox, 2, () => {}, script(`rmSync('${socket}'); process.exit(1);`));
  expect(problems).toEqual(['the process that runs the gates has failed']);
  expect(existsSync(socket)).toBe(false);
});
