import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { InterruptedError } from '../../src/common/errors.ts';
import { drawProfiles } from '../../src/vm/draw-profiles.ts';
import { naughtyStrings } from '../hostile/naughty-strings.ts';

let folder: string;
let agent: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-draw-'));
  agent = join(folder, 'agent');
  vi.stubEnv('TMPDIR', folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** Writes a fake agent. With `drawing`, it draws its arguments without the files' folders, and the files' content. */
async function writeAgent(script: string): Promise<void> {
  await writeFile(agent, `#!/bin/sh\n${script}\n`);
  await chmod(agent, 0o755);
}

const drawing = `for svg; do :; done
case $1 in
flame-graph) { echo "$2, $3"; cat "$4"; } > "$svg" ;;
flame-graph-difference) { echo "$2, $3"; cat "$4" "$5"; } > "$svg" ;;
esac`;

const folded = (revision: 'base' | 'head', name = 'cpu.folded') => ({
  bench: 'micro',
  revision,
  name,
  content: Buffer.from(`sh;${revision} 1\n`),
});

test('folded stacks are drawn as flame graphs of base, head and their difference', async () => {
  await writeAgent(drawing);
  const { files, warnings } = await drawProfiles([folded('base'), folded('head')], { kernel: '5.8:tree', agent });
  expect(warnings).toEqual([]);
  expect(files.map(({ profile, content }) => [profile.file, content.toString()])).toEqual([
    ['profiles/5.8-tree/micro/base.cpu.folded', 'sh;base 1\n'],
    ['profiles/5.8-tree/micro/head.cpu.folded', 'sh;head 1\n'],
    ['profiles/5.8-tree/micro/base.cpu.svg', 'micro: base, kernel 5.8:tree, samples\nsh;base 1\n'],
    ['profiles/5.8-tree/micro/head.cpu.svg', 'micro: head, kernel 5.8:tree, samples\nsh;head 1\n'],
    [
      'profiles/5.8-tree/micro/difference.cpu.svg',
      'micro: head against base, kernel 5.8:tree, samples\nsh;base 1\nsh;head 1\n',
    ],
  ]);
  expect(new Set(files.map(({ profile }) => profile.kernel))).toEqual(new Set(['5.8:tree']));
});

test('invisible or unsupported characters are drawn as escapes', async () => {
  await writeAgent(drawing);
  const stacks = naughtyStrings.map(([, text]) => `sh;${text} 1`).join('\n');
  const { files } = await drawProfiles([{ ...folded('head'), content: Buffer.from(`${stacks}\n`) }], {
    kernel: '6.1',
    agent,
  });
  const [, picture] = files;
  expect(picture?.profile.file).toBe('profiles/6.1/micro/head.cpu.svg');
  const lines = picture?.content.toString().split('\n') ?? [];
  expect(lines).toContain('sh;\\u{202e}gnp.exe\\u{2066}\\u{200b}\\u{0}\\u{1b}[2J 1');
  expect(lines.filter((line) => /[\p{Cc}\p{Cf}]/u.test(line))).toEqual([]);
});

test('other files are copied unchanged, and files of one side only have no difference', async () => {
  await writeAgent(drawing);
  const heap = { ...folded('head', 'dhat-heap.json'), content: Buffer.from([0xff, 0x00]) };
  const { files } = await drawProfiles([heap, folded('head')], { kernel: '6.1', agent });
  expect(files.map(({ profile }) => profile.file)).toEqual([
    'profiles/6.1/micro/head.dhat-heap.json',
    'profiles/6.1/micro/head.cpu.folded',
    'profiles/6.1/micro/head.cpu.svg',
  ]);
  expect(files[0]?.content).toEqual(Buffer.from([0xff, 0x00]));
});

test('a file that cannot be drawn is a warning with its name, and leaves nothing', async () => {
  await writeAgent('echo "bpfgate-agent: the profile has no samples" >&2; exit 1');
  const { files, warnings } = await drawProfiles([folded('base')], { kernel: '6.1', agent });
  expect(files.map(({ profile }) => profile.file)).toEqual(['profiles/6.1/micro/base.cpu.folded']);
  expect(warnings).toEqual([
    { about: ['micro'], reason: 'no flame graph is drawn: the profile has no samples', detail: 'base, cpu.folded' },
  ]);
  expect(await readdir(folder)).toEqual(['agent']);
});

test('time off the CPU is in microseconds', async () => {
  await writeAgent(drawing);
  const { files } = await drawProfiles([folded('base', 'off-cpu.folded')], { kernel: '6.1', agent });
  expect(files.at(-1)?.profile.file).toBe('profiles/6.1/micro/base.off-cpu.svg');
  expect(files.at(-1)?.content.toString()).toMatch(/, microseconds\n/);
});

test('a full disk loses pictures, but no profiles', async () => {
  await writeAgent(drawing);
  vi.stubEnv('TMPDIR', join(folder, 'nowhere'));
  const { files, warnings } = await drawProfiles([folded('base')], { kernel: '6.1', agent });
  expect(files.map(({ profile }) => profile.file)).toEqual(['profiles/6.1/micro/base.cpu.folded']);
  expect(warnings).toEqual([{ about: [], reason: expect.stringMatching(/^no more flame graphs are drawn: ENOENT/) }]);
});

test('an interruption is no warning', async () => {
  await writeAgent('sleep 60');
  const stop = new AbortController();
  const drawn = drawProfiles([folded('base')], { kernel: '6.1', agent, signal: stop.signal });
  setTimeout(() => stop.abort(), 100);
  await expect(drawn).rejects.toThrow(InterruptedError);
  expect(await readdir(folder)).toEqual(['agent']);
});

test('after the time limit no more pictures are started', async () => {
  await writeAgent('echo x >> "$(dirname "$0")/begun"; exit 1');
  vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(119_000).mockReturnValue(120_000);
  const { warnings } = await drawProfiles([folded('base'), folded('head')], { kernel: '6.1', agent });
  vi.restoreAllMocks();
  expect(warnings).toHaveLength(3);
  expect(warnings.at(-1)?.reason).toMatch(/it takes too long$/);
  expect(await readFile(join(folder, 'begun'), 'utf8')).toBe('x\n');
});
