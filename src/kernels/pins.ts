// Second stage: reads kernels/kernels.json, the list of kernels bpfgate can boot.

import { z } from 'zod';
import document from '../../kernels/kernels.json' with { type: 'json' };
import { KernelError } from '../errors.ts';
import type { KernelPin } from './kernel.ts';

const file = 'kernels/kernels.json';

const pinSchema = z.strictObject({
  id: z.string().regex(/^\d+\.\d+$/, 'must be a minor version such as "6.1"'),
  release: z.string().regex(/^\d+\.\d+\.\d+$/, 'must be an upstream release such as "6.1.176"'),
  origin: z.literal('debian', 'must be "debian"'),
  debian: z.strictObject({
    archive: z.literal(['debian', 'debian-security'], 'must be "debian" or "debian-security"'),
    package: z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/, 'must be a package name'),
    version: z.string().regex(/^[0-9][A-Za-z0-9.+~:-]*$/, 'must be a package version'),
    poolPath: z.string().regex(/^pool\/(?!.*\.\.)[^\s\\]+\.deb$/, 'must be a path such as "pool/.../NAME.deb"'),
    snapshot: z.string().regex(/^\d{8}T\d{6}Z$/, 'must be a time such as "20261121T000000Z"'),
  }),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits'),
  sizeBytes: z.int('must be a number of bytes').positive('must be a number of bytes'),
});

const documentSchema = z.strictObject({
  schema: z.literal('bpfgate.kernels/1', 'must be "bpfgate.kernels/1"'),
  kernels: z.array(pinSchema, 'must be a list').min(1, 'must not be empty'),
});

/** The kernels pinned in this release of bpfgate, oldest first. */
export function readPins(): KernelPin[] {
  return parsePins(document);
}

/**
 * Checks the content of a kernels.json.
 *
 * @returns its kernels, oldest first
 * @throws KernelError naming the entry and the field of every fault
 */
export function parsePins(content: unknown): KernelPin[] {
  const parsed = documentSchema.safeParse(content);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `  ${place(content, issue.path)}: ${issue.message}`);
    throw new KernelError(`${file} is not valid:\n${faults.join('\n')}`, { hint: 'see kernels/README.md' });
  }
  const pins = parsed.data.kernels;
  const faults = [...findDuplicates(pins), ...findMismatches(pins)];
  if (faults.length > 0) {
    throw new KernelError(`${file} is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`, {
      hint: 'see kernels/README.md',
    });
  }
  return pins.sort((a, b) => compareVersions(a.release, b.release));
}

/** Orders versions such as 5.10 and 6.1.176 by their numbers; a shorter one comes before its extensions. */
export function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? -1) - (right[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

function findDuplicates(pins: readonly KernelPin[]): string[] {
  const seen = new Map<string, number>();
  return pins.flatMap((pin, index) => {
    const first = seen.get(pin.id);
    if (first !== undefined) return [`kernel ${index + 1} ("${pin.id}"), id: kernel ${first + 1} has the same id`];
    seen.set(pin.id, index);
    return [];
  });
}

function findMismatches(pins: readonly KernelPin[]): string[] {
  return pins.flatMap((pin, index) =>
    pin.release.startsWith(`${pin.id}.`)
      ? []
      : [`kernel ${index + 1} ("${pin.id}"), release: "${pin.release}" is not a release of ${pin.id}`],
  );
}

/** `kernel 2 ("6.1"), debian.archive`: the entry by number and id, then the field. */
function place(content: unknown, path: readonly PropertyKey[]): string {
  const [top, index, ...field] = path;
  if (top !== 'kernels' || typeof index !== 'number') return path.length === 0 ? 'document' : path.join('.');
  const id = (content as { kernels: { id?: unknown }[] }).kernels[index]?.id;
  const entry = `kernel ${index + 1}${typeof id === 'string' ? ` ("${id}")` : ''}`;
  return field.length === 0 ? entry : `${entry}, ${field.join('.')}`;
}
