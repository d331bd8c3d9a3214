// Keeps what was measured: the record, and the pages that show it.

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TerminalLog } from '../src/adapters/log.ts';
import {
  describeCommit,
  describeMachine,
  type EvidenceRecord,
  formatRecord,
  formatTime,
  recordFile,
} from './record.ts';
import { renderTable, writePages } from './render.ts';

/** Writes a record, and the pages that show it. */
export function writeRecord(name: string, record: EvidenceRecord): void {
  writeFileSync(recordFile(name), formatRecord(record));
  writePages();
}

interface Place {
  /** Another file to write instead of the record; the pages then stay as they are. */
  readonly out: string | undefined;
  readonly log: TerminalLog;
}

/** Writes a record, and prints its tables. */
export function keepRecord(name: string, record: EvidenceRecord, { out, log }: Place): void {
  if (out === undefined) writeRecord(name, record);
  else writeFileSync(resolve(out), formatRecord(record));
  log.clear();
  for (const [table, rows] of Object.entries(record.tables)) {
    process.stdout.write(`${table}\n\n${renderTable(rows)}\n\n`);
  }
}

type Measured = Pick<EvidenceRecord, 'command' | 'tables'> & Partial<EvidenceRecord>;

/**
 * Keeps what was measured. By default that was on this machine, from the start of this process until now, at the commit
 * that is checked out.
 *
 * @param qemu what QEMU prints as its version; undefined if no guest ran
 */
export async function keepMeasured(
  name: string,
  { qemu, out, log, ...measured }: Measured & Place & { readonly qemu?: string },
): Promise<void> {
  const { command, time = formatTime(new Date()), minutes = performance.now() / 60_000, conditions = {} } = measured;
  const { commit = await describeCommit(), machine = describeMachine(qemu), tables } = measured;
  const record = { command, time, minutes: Math.round(minutes), commit, machine, conditions, tables };
  keepRecord(name, record, { out, log });
}
