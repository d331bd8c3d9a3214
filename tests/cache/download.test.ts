import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../../src/adapters/log.ts';
import { downloadVerified } from '../../src/cache/download.ts';
import { InterruptedError, KernelError } from '../../src/common/errors.ts';

const content = Buffer.from('the content of a file whose size nobody wrote down');
const sha256 = createHash('sha256').update(content).digest('hex');
const lines: string[] = [];
const log: Log = { progress: (line) => void lines.push(line), warn: (line) => void lines.push(line) };

let server: Server;
let base: string;
let scratch: string;
let recovered = false;
/** Number of transfers of `/sometimes-cut` that break off. */
let cuts = 0;
/** Path of every request. */
const requests: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (request.url === '/good') return response.end(content);
    if (request.url === '/other') return response.end('something else');
    if (request.url === '/busy') return response.writeHead(503).end();
    if (request.url === '/absent') return response.writeHead(404).end();
    if (request.url === '/forbidden') return response.writeHead(403).end();
    // Succeeds the second time.
    if (request.url === '/recovering' && !recovered) {
      recovered = true;
      return response.writeHead(429, { 'retry-after': '0.02' }).end();
    }
    if (request.url === '/recovering') return response.end(content);
    if (request.url === '/dripping') {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 20);
      return response.on('close', () => clearInterval(drip));
    }
    // Announces the whole length and breaks off in the middle.
    if (request.url === '/cut' || (request.url === '/sometimes-cut' && cuts-- > 0)) {
      response.writeHead(200, { 'content-length': content.length });
      return response.write(content.subarray(0, 10), () => response.destroy());
    }
    return response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(async () => {
  lines.length = 0;
  requests.length = 0;
  recovered = false;
  scratch = await mkdtemp(join(tmpdir(), 'bpfgate-download-'));
});
afterEach(() => rm(scratch, { recursive: true }));

describe('a file of known checksum and unknown size', () => {
  const fetchFrom = async (maxBytes: number, ...paths: string[]) => {
    const destination = join(scratch, 'file');
    const addresses = paths.map((path) => base + path);
    const options = { log, ErrorClass: KernelError, stallMs: 2000, retryMs: 10 };
    try {
      await downloadVerified({ name: 'tarball', sha256, maxBytes }, addresses, destination, options);
    } catch (error) {
      expect(await readdir(scratch)).toEqual([]);
      throw error;
    }
    return await readFile(destination);
  };

  test('is fetched', async () => {
    expect(await fetchFrom(1000, '/good')).toEqual(content);
    expect(lines[0]).toBe(`fetching tarball from ${new URL(base).host}`);
    expect(requests).toEqual(['/good']);
  });

  test('is refused if it is longer than the limit', async () => {
    await expect(fetchFrom(20, '/good')).rejects.toThrow(`${base}/good: wrong size: it sends more than 20 bytes`);
  });

  test('with another checksum at every source is an error with both checksums and the addresses', async () => {
    const failing = fetchFrom(1000, '/other', '/absent');
    const received = createHash('sha256').update('something else').digest('hex');
    await expect(failing).rejects.toThrow(
      `${base}/other: wrong SHA-256: it sends ${received}, and ${sha256} is pinned\n  ${base}/absent: HTTP 404`,
    );
    await expect(failing).rejects.toMatchObject({ hint: expect.stringContaining('find out whether the source') });
  });

  test('with another checksum at one source is downloaded from the next, and this is logged', async () => {
    expect(await fetchFrom(1000, '/other', '/good')).toEqual(content);
    expect(lines).toContainEqual(expect.stringContaining(`tarball: ${base}/other: wrong SHA-256`));
    expect(requests).toEqual(['/other', '/good']);
  });

  test('is requested again from a server that failed temporarily, after the time that it asks for', async () => {
    expect(await fetchFrom(1000, '/absent', '/recovering')).toEqual(content);
    expect(lines).toContain('tarball: trying again in 0.02 s');
    expect(requests).toEqual(['/absent', '/recovering', '/recovering']);
  });

  test('from a server that sends single bytes without end is given up', async () => {
    await expect(fetchFrom(1e6, '/dripping')).rejects.toThrow(/\/dripping: sent \d+ bytes in 2 s/);
  });

  test.each([
    [['/absent'], 'HTTP 404', 'use a newer bpfgate'],
    [['/forbidden', '/absent'], 'HTTP 403', 'asks for something'],
    [['/absent', '/busy'], 'HTTP 503', 'retry later'],
    [['/dripping'], 'in 2 s', 'next to nothing'],
    [['/cut'], '/cut: ', 'check that this machine reaches'],
  ])('that is missing at %j is an error with the reason and the next step', async (paths, said, hint) => {
    const failing = fetchFrom(1e6, ...paths);
    await expect(failing).rejects.toThrow(said);
    await expect(failing).rejects.toMatchObject({ hint: expect.stringContaining(hint) });
  });

  test('is downloaded from the next source if a transfer breaks off', async () => {
    expect(await fetchFrom(1000, '/cut', '/good')).toEqual(content);
    expect(lines.join('\n')).toContain(`${base}/cut: `);
  });

  test('without a network is an error that names each address, after three retries', async () => {
    const options = { log, ErrorClass: KernelError, retryMs: 10, notAsked: ['mirrors of apt: there are none'] };
    const address = 'http://127.0.0.1:9/file';
    const file = { name: 'tarball', sha256, maxBytes: 1000 };
    const failing = downloadVerified(file, [address], join(scratch, 'file'), options);
    await expect(failing).rejects.toThrow(
      /^cannot fetch tarball from any source:\n {2}mirrors of apt: there are none\n {2}http:\/\/127\.0\.0\.1:9\/file: fetch failed/,
    );
    await expect(failing).rejects.toMatchObject({ hint: expect.stringContaining('check that this machine reaches') });
    expect(lines.filter((line) => line.startsWith(address))).toHaveLength(4);
  });
});

describe('a file of known size', () => {
  const file = { name: 'package', sha256, sizeBytes: content.length };
  const download = (paths: readonly string[], signal?: AbortSignal) => {
    const options = { log, signal, ErrorClass: KernelError, stallMs: 2000, retryMs: 10 };
    const addresses = paths.map((path) => base + path);
    return downloadVerified(file, addresses, join(scratch, 'file'), options);
  };

  test('is fetched again as a whole if the transfer breaks off', async () => {
    cuts = 1;
    await download(['/sometimes-cut']);
    expect(await readFile(join(scratch, 'file'))).toEqual(content);
    expect(requests).toEqual(['/sometimes-cut', '/sometimes-cut']);
  });

  test('is given up if each transfer breaks off', async () => {
    await expect(download(['/cut'])).rejects.toThrow('/cut: ');
    expect(requests).toHaveLength(4);
    expect(await readdir(scratch)).toEqual([]);
  });

  test('is not taken from a source that sends a shorter one, such as a login page', async () => {
    await download(['/other', '/good']);
    expect(lines).toContainEqual(
      expect.stringContaining(`/other: wrong size: it has 14 bytes, and ${content.length} are pinned`),
    );
  });

  test('leaves nothing when it is interrupted', async () => {
    await expect(download(['/dripping'], AbortSignal.timeout(200))).rejects.toThrow(InterruptedError);
    expect(await readdir(scratch)).toEqual([]);
  });
});
