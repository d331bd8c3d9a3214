import { createHash, randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
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
/** `PATH RANGE` of every request. */
const requests: string[] = [];
/** Answers the paths that are not handled below. */
let answer: RequestListener;
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.range ?? 'all'}`);
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
    if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': content.length });
      return response.write(content.subarray(0, 10), () => response.destroy());
    }
    return answer(request, response);
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
    expect(requests).toEqual(['/good all']);
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
    expect(requests).toEqual(['/other all', '/good all']);
  });

  test('is requested again from a server that failed temporarily, after the time that it asks for', async () => {
    expect(await fetchFrom(1000, '/absent', '/recovering')).toEqual(content);
    expect(lines).toContain('tarball: trying again in 0.02 s');
    expect(requests).toEqual(['/absent all', '/recovering all', '/recovering all']);
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

  test('without a network is an error that names each address, after one retry', async () => {
    const options = { log, ErrorClass: KernelError, retryMs: 10, notAsked: ['mirrors of apt: there are none'] };
    const address = 'http://127.0.0.1:9/file';
    const file = { name: 'tarball', sha256, maxBytes: 1000 };
    const failing = downloadVerified(file, [address], join(scratch, 'file'), options);
    await expect(failing).rejects.toThrow(
      /^cannot fetch tarball from any source:\n {2}mirrors of apt: there are none\n {2}http:\/\/127\.0\.0\.1:9\/file: fetch failed/,
    );
    await expect(failing).rejects.toMatchObject({ hint: expect.stringContaining('check that this machine reaches') });
    expect(lines.filter((line) => line.startsWith(address))).toHaveLength(2);
  });
});

describe('an interrupted download', () => {
  const bytes = randomBytes(3000);
  const file = { name: 'package', sha256: createHash('sha256').update(bytes).digest('hex'), sizeBytes: bytes.length };
  /** Sends at most `most` bytes of what is asked for, and breaks off if there are more. */
  const sendUpTo =
    (most: number, { ranges = true, of = bytes } = {}): RequestListener =>
    (request, response) => {
      const from = ranges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
      if (from >= of.length) return response.writeHead(416).end();
      const headers = { 'content-length': of.length - from };
      if (from === 0) response.writeHead(200, headers);
      else response.writeHead(206, { ...headers, 'content-range': `bytes ${from}-${of.length - 1}/${of.length}` });
      const part = of.subarray(from, from + most);
      if (from + part.length === of.length) response.end(part);
      else response.write(part, () => response.socket?.end());
    };
  const destination = () => join(scratch, 'file');
  const partial = () => join(scratch, 'downloads', 'part');
  const download = (paths: readonly string[] = ['/file'], signal?: AbortSignal) =>
    downloadVerified(
      file,
      paths.map((path) => base + path),
      destination(),
      { log, signal, ErrorClass: KernelError, stallMs: 500, retryMs: 10, partial: partial() },
    );
  const expectWhole = async () => {
    expect(await readFile(destination())).toEqual(bytes);
    expect(existsSync(partial())).toBe(false);
  };

  test('is resumed, as often as more data arrives', async () => {
    answer = sendUpTo(700);
    await download();
    await expectWhole();
    expect(requests).toEqual(
      ['all', 'bytes=700-', 'bytes=1400-', 'bytes=2100-', 'bytes=2800-'].map((r) => `/file ${r}`),
    );
  });

  test('is resumed from another source', async () => {
    const first = sendUpTo(1000);
    const second = sendUpTo(5000);
    answer = (request, response) => (request.url === '/first' ? first : second)(request, response);
    await download(['/first', '/second']);
    await expectWhole();
    expect(requests).toEqual(['/first all', '/second bytes=1000-']);
  });

  test('is resumed by the next run', async () => {
    const controller = new AbortController();
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 1200));
    };
    const interrupted = expect(download(['/file'], controller.signal)).rejects.toThrow(InterruptedError);
    await vi.waitUntil(() => existsSync(partial()) && statSync(partial()).size === 1200);
    controller.abort();
    await interrupted;
    expect(existsSync(destination())).toBe(false);
    answer = sendUpTo(5000);
    requests.length = 0;
    await download();
    await expectWhole();
    expect(requests).toEqual(['/file bytes=1200-']);
    expect(lines).toContainEqual(expect.stringContaining('going on after 0.0 MB'));
  });

  test('restarts if the server cannot send a range', async () => {
    await writePart(bytes.subarray(0, 1000));
    answer = sendUpTo(5000, { ranges: false });
    await download();
    await expectWhole();
    expect(requests.at(-1)).toBe('/file bytes=1000-');
  });

  test.each([
    ['is of another file', randomBytes(1000)],
    ['is longer than the file', randomBytes(4000)],
    ['is as long as the file', randomBytes(3000)],
  ])('restarts if the partial file %s', async (_, kept) => {
    await writePart(kept);
    answer = sendUpTo(5000);
    await download();
    await expectWhole();
    expect(requests.at(-1)).toBe('/file all');
  });

  test('is replaced if a source sends a shorter complete file, such as a login page', async () => {
    answer = (request, response) =>
      request.url === '/page' ? response.end('log in') : sendUpTo(5000)(request, response);
    await download(['/page', '/file']);
    await expectWhole();
    expect(lines).toContainEqual(expect.stringContaining('/page: wrong size: it has 6 bytes, and 3000 are pinned'));
    expect(requests).toEqual(['/page all', '/file all']);
  });

  test('is not requested again if it was complete', async () => {
    await writePart(bytes);
    await download();
    await expectWhole();
    expect(requests).toEqual([]);
  });

  test('ends if no more data arrives, and the error says how much did', async () => {
    answer = (request, response) => {
      if (request.headers.range === undefined) sendUpTo(1000)(request, response);
      else response.destroy();
    };
    await expect(download()).rejects.toThrow(/\/file: /);
    expect(requests).toEqual(['/file all', '/file bytes=1000-']);
    expect((await readFile(partial())).equals(bytes.subarray(0, 1000))).toBe(true);
  });

  test('from a source of another file is discarded', async () => {
    answer = sendUpTo(5000, { of: randomBytes(3000) });
    await writePart(bytes.subarray(0, 1000));
    await expect(download()).rejects.toThrow('wrong SHA-256');
    expect((await readFile(partial())).length).toBe(0);
  });

  async function writePart(part: Uint8Array): Promise<void> {
    await mkdir(join(scratch, 'downloads'), { recursive: true });
    await writeFile(partial(), part);
  }
});
