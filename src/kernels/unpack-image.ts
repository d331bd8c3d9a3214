// Kernels: unpacks the image in a bzImage, and reads the configuration in it.

import { readFile, stat } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { run } from '../adapters/process.ts';
import { findPayload } from '../common/bz-image.ts';
import { MachineError, saysFullDisk } from '../common/errors.ts';

/** Several times the size of any kernel. */
const maxUnpacked = 1024 ** 3;

/**
 * Unpacks the kernel's ELF image from a bzImage.
 *
 * @returns whether it could be unpacked; otherwise the destination is missing or incomplete
 * @throws MachineError when the disk is full
 */
export async function unpackImage(
  bzImage: string,
  destination: string,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  const payload = findPayload(await readFile(bzImage));
  if (payload === undefined || payload.unpackedBytes > maxUnpacked) return false;
  const { offset, length, unpackedBytes, unpacker } = payload;
  const script =
    'out=$1 from=$2 bytes=$3 most=$4 image=$5; shift 5; tail -c "+$((from + 1))" "$image" | head -c "$bytes" | "$@" | head -c "$most" >"$out"';
  const numbers = [offset, length, unpackedBytes + 1].map(String);
  const args = ['-c', script, 'bpfgate', destination, ...numbers, bzImage, ...unpacker];
  const { stderr } = await run('bash', args, { env: environment });
  // The size decides, not the exit code: unpackers report the end of a stream differently.
  const { size } = await stat(destination).catch(() => ({ size: -1 }));
  // An error instead of a result: unlike an image without an entry, this must not stay in the cache.
  if (size !== unpackedBytes && saysFullDisk(stderr)) {
    throw new MachineError(`cannot unpack the kernel \`${bzImage}\`: ${stderr.trim()}`, {
      hint: `free ${Math.ceil(unpackedBytes / 2 ** 20)} MiB on the disk of the cache, or set BPFGATE_CACHE to another`,
    });
  }
  return size === unpackedBytes;
}

/** Most bytes of a configuration. */
const maxConfig = 4 * 1024 * 1024;

/** Reads the configuration in an unpacked image (CONFIG_IKCONFIG). Undefined where there is none. */
export function readIkconfig(vmlinux: Buffer): string | undefined {
  const from = vmlinux.indexOf('IKCFG_ST\x1f\x8b', 0, 'latin1');
  const to = vmlinux.indexOf('IKCFG_ED', from, 'latin1');
  if (from === -1 || to === -1) return undefined;
  try {
    return gunzipSync(vmlinux.subarray(from + 8, to), { maxOutputLength: maxConfig }).toString('utf8');
  } catch {
    return undefined;
  }
}
