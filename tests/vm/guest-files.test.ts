// @module-tag hostile

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { run } from '../../src/adapters/process.ts';
import { BenchError } from '../../src/common/errors.ts';
import { openGuestFile, readGuestBytes, readGuestEnd, readGuestFile } from '../../src/vm/guest-files.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-guest-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a file left by the guest', () => {
  test('is read completely', async () => {
    writeFileSync(join(folder, 'file'), 'text');
    expect(await readGuestFile(join(folder, 'file'), 4)).toBe('text');
  });

  test('is refused if it is too long, with its name and the next step', async () => {
    writeFileSync(join(folder, 'file'), 'text');
    await expect(readGuestFile(join(folder, 'file'), 3)).rejects.toThrow('the guest left file of more than 3 bytes');
    const tooLong = () => new BenchError('a bench printed more than 3 bytes', { hint: 'print less' });
    const read = readGuestFile(join(folder, 'file'), 3, { what: 'a stdout', tooLong });
    await expect(read).rejects.toMatchObject({
      message: 'a bench printed more than 3 bytes',
      hint: 'print less',
    });
  });

  test('is read as bytes if it is not text', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    writeFileSync(join(folder, 'file'), bytes);
    expect(await readGuestBytes(join(folder, 'file'), 3)).toEqual(bytes);
    await expect(readGuestBytes(join(folder, 'other'), 3)).rejects.toThrow('the guest left no other');
  });

  test('is read up to its end as characters, whatever its length', async () => {
    writeFileSync(join(folder, 'file'), 'a😀é中b');
    for (const length of [1, 2, 3, 100]) {
      expect(await readGuestEnd(join(folder, 'file'), 100, length)).toBe('a😀é中b'.slice(-length));
    }
  });

  test('takes no more memory than the part that is kept', async () => {
    writeFileSync(join(folder, 'file'), 'x'.repeat(2 ** 23));
    const script = `const { readGuestEnd } = await import(${JSON.stringify(join(packageRoot, 'src/vm/guest-files.ts'))});
const ends = [];
for (let i = 0; i < 50; i++) ends.push(await readGuestEnd(${JSON.stringify(join(folder, 'file'))}, 2 ** 23, 4000));
globalThis.gc();
console.log(ends.length, process.memoryUsage().rss < 300 * 2 ** 20);`;
    const args = ['--expose-gc', '--input-type=module', '-'];
    const { exitCode, stdout, stderr } = await run(process.execPath, args, { input: script });
    expect([exitCode, stdout], stderr).toEqual([0, '50 true\n']);
  });

  test('is refused if it is a link to a file of the host', async () => {
    symlinkSync('/etc/passwd', join(folder, 'file'));
    await expect(openGuestFile(join(folder, 'file'))).rejects.toThrow('not a file');
  });

  test('is refused if its folder is a link', async () => {
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real', 'file'), 'text');
    symlinkSync('real', join(folder, 'output'));
    await expect(openGuestFile(join(folder, 'output', 'file'))).rejects.toThrow('not a file in its run folder');
  });

  test('is refused at once if it is a pipe', async () => {
    execFileSync('mkfifo', [join(folder, 'file')]);
    await expect(openGuestFile(join(folder, 'file'))).rejects.toThrow('not a file');
  });

  test('is null if it is missing', async () => {
    expect(await openGuestFile(join(folder, 'file'))).toBeNull();
  });
});
