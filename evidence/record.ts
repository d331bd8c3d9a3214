// Records: what a program measured, when, on which machine and at which commit. Pages of docs/ show their tables.

import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../src/adapters/package-root.ts';
import { runOrThrow } from '../src/adapters/process.ts';

/** A row as it is shown, by the headings of its columns. */
export type Row = Readonly<Record<string, string | number>>;
export type Tables = Readonly<Record<string, readonly Row[]>>;

export interface EvidenceRecord {
  /** Command as typed. */
  readonly command: string;
  /** End of the measurement, UTC: `2026-11-21 13:05 UTC`. */
  readonly time: string;
  /** Duration of the measurement. */
  readonly minutes?: number;
  /** What `git describe --always --dirty` says. Before 2026-11-26: the commit that added the numbers. */
  readonly commit: string;
  /** The machine in words, with its system and QEMU. */
  readonly machine?: string;
  /** What else shapes the numbers, such as rounds, seed and load. */
  readonly conditions?: Readonly<Record<string, string | number>>;
  readonly tables: Tables;
}

/** Path of a record: of `boot` it is `boot/record.json`, of `faults/gates` `faults/gates.json`, below evidence/. */
export function recordFile(name: string): string {
  return join(import.meta.dirname, name.includes('/') ? `${name}.json` : `${name}/record.json`);
}

export function readRecord<T extends EvidenceRecord>(name: string): T {
  return JSON.parse(readFileSync(recordFile(name), 'utf8')) as T;
}

/** One line for each row, so that a difference shows the rows that changed. */
export function formatRecord(record: EvidenceRecord): string {
  const rows: string[] = [];
  const held = JSON.stringify(
    record,
    (_key, value) => (Array.isArray(value) ? value.map((row) => `row ${rows.push(JSON.stringify(row)) - 1}`) : value),
    2,
  );
  return `${held.replace(/"row (\d+)"/g, (_match, index) => rows[Number(index)] ?? '')}\n`;
}

export async function describeCommit(): Promise<string> {
  return (await runOrThrow('git', ['describe', '--always', '--dirty', '--abbrev=7'], { cwd: packageRoot })).trim();
}

/** @param qemuVersion what QEMU prints; undefined if no guest ran */
export function describeMachine(qemuVersion?: string): string {
  const processors = cpus();
  const [, system = 'Linux'] = /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
  const isVirtual = /^flags\s*:.* hypervisor( |$)/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const parts = [processors[0]?.model.trim() ?? 'unknown', `${processors.length} cores`, memory];
  const qemu = /version (\S+)/.exec(qemuVersion ?? '')?.[1];
  return [
    [...parts, ...(isVirtual ? ['a virtual machine'] : [])].join(', '),
    system,
    ...(qemu === undefined ? [] : [`QEMU ${qemu}`]),
  ].join('; ');
}

/** The load average of the last minute. */
export function readLoad(): number {
  return loadavg()[0] ?? 0;
}

/** The load before the first and after the last round: `1.3 to 2.1`. */
export function formatLoad(before: number): string {
  return `${before.toFixed(1)} to ${readLoad().toFixed(1)}`;
}

/** Formats a time like `2026-11-21 13:05 UTC`. */
export function formatTime(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
