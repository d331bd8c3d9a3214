// Adapter: hashes files.

import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

const piece = Buffer.allocUnsafeSlow(1024 * 1024);

/**
 * SHA-256 of a file's content, in hexadecimal. Reads are synchronous, which takes a quarter of a stream's time for the
 * many small files of a kernel. Other work goes on after each MiB.
 */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const length = readSync(file, piece);
      hash.update(piece.subarray(0, length));
      if (length < piece.length) return hash.digest('hex');
      await setImmediate();
    }
  } finally {
    closeSync(file);
  }
}
