import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../../src/adapters/log.ts';
import { downloadVerified } from '../../src/cache/download.ts';
import { KernelError } from '../../src/errors.ts';

const content = Buffer.from('the content of a file whose size nobody wrote down');
const sha256 = createHash('sha256').update(content).digest('hex');
const lines: string[] = [];
const log: Log = { progress: (line) => void lines.push(line), warn: (line) => void lines.push(line) };

describe('a file of known checksum and unknown size', () => {
  let server: Server;
  let base: string;
  let scratch: string;
  let recovered = false;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/good') return response.end(content);
      if (request.url === '/other') return response.end('something else');
      if (request.url === '/busy') return response.writeHead(503).end();
      if (request.url === '/absent') return response.writeHead(404).end();
      if (request.url === '/forbidden') return response.writeHead(403).end();
      // Well again the second time.
      if (request.url === '/recovering' && !recovered) {
        recovered = true;
        return response.writeHead(503).end();
      }
      if (request.url === '/recovering') return response.end(content);
      if (request.url === '/dripping') {
        response.writeHead(200);
        const drip = setInterval(() => response.write('x'), 20);
        return response.on('close', () => clearInterval(drip));
      }
      // Says how much there is and breaks off in the middle.
      response.writeHead(200, { 'content-length': content.length });
      return response.write(content.subarray(0, 10), () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(async () => {
    lines.length = 0;
    scratch = await mkdtemp(join(tmpdir(), 'bpfgate-download-'));
  });
  afterEach(() => rm(scratch, { recursive: true }));

  const fetchFrom = async (maxBytes: number, ...paths: string[]) => {
    const destination = join(scratch, 'file');
    const addresses = paths.map((path) => base + path);
    const options = { log, ErrorClass: KernelError, stallMs: 500, retryMs: 10 };
    try {
      await downloadVerified({ name: 'tarball', sha256, maxBytes }, addresses, destination, options);
    } catch (error) {
      expect(existsSync(destination)).toBe(false);
      throw error;
    }
    return await readFile(destination);
  };

  test('is fetched', async () => {
    expect(await fetchFrom(1000, '/good')).toEqual(content);
    expect(lines[0]).toBe(`fetching tarball from ${new URL(base).host}`);
  });

  test('is refused when it is longer than anyone expects', async () => {
    await expect(fetchFrom(20, '/good')).rejects.toThrow(
      `wrong size of tarball: ${base}/good sends more than 20 bytes`,
    );
  });

  test('is refused when it is another', async () => {
    await expect(fetchFrom(1000, '/other', '/good')).rejects.toThrow('wrong SHA-256 of tarball');
  });

  test('comes from the same address when that was not well for a moment', async () => {
    expect(await fetchFrom(1000, '/absent', '/recovering')).toEqual(content);
    expect(lines).toContain('tarball: trying again in 0.01 s');
  });

  test('is given up where a server sends a byte now and then, and never ends', async () => {
    await expect(fetchFrom(1e6, '/dripping')).rejects.toThrow(/\/dripping: sent \d+ bytes in 0\.5 s/);
  });

  test.each([
    [['/absent'], 'HTTP 404', 'use a newer bpfgate'],
    [['/forbidden', '/absent'], 'HTTP 403', 'asks for something'],
    [['/absent', '/busy'], 'HTTP 503', 'try again later'],
    [['/dripping'], 'in 0.5 s', 'next to nothing'],
    [['/cut'], '/cut: ', 'check that this machine reaches'],
  ])('that %j have not says why, and what to do', async (paths, said, hint) => {
    const failing = fetchFrom(1e6, ...paths);
    await expect(failing).rejects.toThrow(said);
    await expect(failing).rejects.toMatchObject({ hint: expect.stringContaining(hint) });
  });

  test('comes from the next address when one breaks off', async () => {
    expect(await fetchFrom(1000, '/cut', '/good')).toEqual(content);
    expect(lines.join('\n')).toContain(`${base}/cut: `);
  });
});
