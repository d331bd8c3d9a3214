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
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/good') return response.end(content);
      if (request.url === '/other') return response.end('something else');
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
    const options = { log, ErrorClass: KernelError };
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

  test('comes from the next address when one breaks off', async () => {
    expect(await fetchFrom(1000, '/cut', '/good')).toEqual(content);
    expect(lines.join('\n')).toContain(`${base}/cut: `);
  });
});
