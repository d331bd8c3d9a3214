// Second stage, pure but for the cache it is told of: what `bpfgate kernels list` shows.

import Table from 'cli-table3';
import type { KernelPin } from './kernel.ts';

/** A row of `bpfgate kernels list`. */
export interface KernelRow {
  readonly id: string;
  readonly release: string;
  readonly origin: KernelPin['origin'];
  /** Version of the package the kernel comes from. */
  readonly packageVersion: string;
  /** Of the package. */
  readonly sizeBytes: number;
  readonly cached: boolean;
}

export function listKernels(pins: readonly KernelPin[], isCached: (pin: KernelPin) => boolean): KernelRow[] {
  return pins.map((pin) => ({
    id: pin.id,
    release: pin.release,
    origin: pin.origin,
    packageVersion: pin.debian.version,
    sizeBytes: pin.sizeBytes,
    cached: isCached(pin),
  }));
}

export function renderKernels(rows: readonly KernelRow[]): string {
  const table = new Table({
    head: ['id', 'release', 'origin', 'package version', 'size', 'cached'],
    colAligns: ['left', 'left', 'left', 'left', 'right', 'left'],
    style: { head: [], border: [] },
  });
  for (const row of rows) {
    const size = `${(row.sizeBytes / 1e6).toFixed(1)} MB`;
    table.push([row.id, row.release, row.origin, row.packageVersion, size, row.cached ? 'yes' : 'no']);
  }
  return table.toString();
}
