// @module-tag hostile

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../../src/adapters/log.ts';
import { run } from '../../src/adapters/process.ts';
import { type Cache, openCache } from '../../src/cache/cache.ts';
import { cachedReadyMade, obtainReadyMade, type ReadyMadeProgram, readyMadeNames } from '../../src/cache/ready-made.ts';
import { vmtest } from '../../src/prerequisites/prerequisite.ts';
import { sourcesOf, takeReadyMade } from '../../src/prerequisites/ready-made.ts';

const scriptOf = (name: string) => Buffer.from(`#!/bin/sh\necho ${name}\n`);
const script = scriptOf('vmtest');
const released = '/someone/bpfgate/releases/download/kernels-1/';
const files = new Map<string, Buffer>();
const asked: string[] = [];
const lines: string[] = [];
const log: Log = { progress: (line) => void lines.push(line), warn: (line) => void lines.push(`warning: ${line}`) };
let server: Server;
let base: string;
let cache: Cache;
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const file = files.get(request.url ?? '');
    if (file === undefined) response.writeHead(404).end();
    else response.end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(async () => {
  files.clear();
  asked.length = 0;
  lines.length = 0;
  cache = openCache(await mkdtemp(join(tmpdir(), 'bpfgate-programs-')));
});
afterEach(() => rm(cache.root, { recursive: true }));

function describeProgram(name: ReadyMadeProgram['name'], madeFrom: string): ReadyMadeProgram {
  const content = scriptOf(name);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { name, madeFrom, asset: { tag: 'kernels-1', name: `${name}-x86_64`, sha256, sizeBytes: content.length } };
}

function options(programs: readonly ReadyMadeProgram[]) {
  const origin = { env: { GITHUB_SERVER_URL: base, GITHUB_ACTION_REPOSITORY: 'someone/bpfgate' } };
  return { cache, log, programs, origin };
}

describe('a program from a release', () => {
  const program = describeProgram('vmtest', '1'.repeat(64));

  test('is downloaded once, and runs', async () => {
    files.set(`${released}vmtest-x86_64`, script);
    const found = await obtainReadyMade('vmtest', program.madeFrom, options([program]));
    expect(found?.sha256).toBe(program.asset.sha256);
    expect((await run(found?.path ?? '', [])).stdout).toBe('vmtest\n');
    expect(await obtainReadyMade('vmtest', program.madeFrom, options([program]))).toEqual(found);
    expect(await cachedReadyMade(program, cache)).toEqual(found);
    expect(asked).toEqual([`${released}vmtest-x86_64`]);
  });

  test('that the package carries is not downloaded, and is the pinned one or none', async () => {
    const carried = await mkdtemp(join(tmpdir(), 'bpfgate-carried-'));
    const file = join(carried, program.asset.name);
    await writeFile(file, script);
    const found = await obtainReadyMade('vmtest', program.madeFrom, { ...options([program]), carried });
    expect((await run(found?.path ?? '', [])).stdout).toBe('vmtest\n');
    expect(asked).toEqual([]);
    await rm(cache.root, { recursive: true });
    await writeFile(file, '#!/bin/sh\necho other\n');
    const other = obtainReadyMade('vmtest', program.madeFrom, { ...options([program]), carried });
    await expect(other).rejects.toThrow('is not the vmtest that is pinned, and is not run');
    await rm(carried, { recursive: true });
  });

  test('is not run if the cache contains another one at its path', async () => {
    files.set(`${released}vmtest-x86_64`, script);
    const found = await obtainReadyMade('vmtest', program.madeFrom, options([program]));
    await writeFile(found?.path ?? '', '#!/bin/sh\necho other\n');
    const problem = 'is not the vmtest that is pinned, and is not run';
    await expect(cachedReadyMade(program, cache)).rejects.toThrow(problem);
    await expect(obtainReadyMade('vmtest', program.madeFrom, options([program]))).rejects.toThrow(problem);
  });

  test('is not used for other sources, and nothing is downloaded', async () => {
    expect(await obtainReadyMade('vmtest', '2'.repeat(64), options([program]))).toBeUndefined();
    expect(await obtainReadyMade('bpfgate-agent', program.madeFrom, options([program]))).toBeUndefined();
    expect([asked, lines]).toEqual([[], []]);
  });

  test.each([
    ['cannot be had', undefined, 'HTTP 404'],
    ['is another file there', Buffer.from('another'), 'wrong size: it has 7 bytes'],
  ])("is compiled if the release's one %s, which is logged once", async (_, content, reason) => {
    if (content !== undefined) files.set(`${released}vmtest-x86_64`, content);
    for (let time = 1; time <= 2; time += 1) {
      expect(await obtainReadyMade('vmtest', program.madeFrom, options([program]))).toBeUndefined();
    }
    expect(asked).toHaveLength(1);
    const warnings = lines.filter((line) => line.endsWith('it is compiled instead'));
    expect(warnings).toEqual([expect.stringContaining(`${base}${released}vmtest-x86_64: ${reason}`)]);
  });
});

describe('the compiler as a prerequisite', () => {
  test('is not needed if a release has agent, plugin and vmtest', async () => {
    const programs = await Promise.all(
      readyMadeNames.map(async (name) => describeProgram(name, await sourcesOf(name))),
    );
    for (const { name } of programs) files.set(`${released}${name}-x86_64`, scriptOf(name));
    await takeReadyMade(options(programs));
    for (const program of programs) expect(await cachedReadyMade(program, cache)).toBeDefined();
  });

  test("is needed if the release's agent has other sources, and only vmtest matches", async () => {
    const programs = [describeProgram('vmtest', vmtest.sha256), describeProgram('bpfgate-agent', '3'.repeat(64))];
    files.set(`${released}vmtest-x86_64`, script);
    await takeReadyMade(options(programs));
    expect(asked).toEqual([`${released}vmtest-x86_64`]);
  });
});
