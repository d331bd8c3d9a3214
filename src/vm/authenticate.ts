// Guest: checks that records.jsonl and status.json are as the guest's agent wrote them. vm/agent/src/seal.rs explains
// the seals.

import { createHmac } from 'node:crypto';
import { VmError } from '../common/errors.ts';

/** Length in bytes of the key that the host gives a guest's agent. */
export const keyBytes = 32;

const seal = /,"mac":"([0-9a-f]{64})"\}$/;

/**
 * Checks each record by the key of its turn, and the status by the key that follows the last: no record was changed,
 * left out, doubled or moved.
 *
 * @param records the text of records.jsonl
 * @param status the text of status.json
 * @returns the records, without a line that the agent could not finish
 * @throws VmError naming the first line that is not as the agent wrote it
 */
export function authenticate(records: string, status: string, key: Buffer): string {
  let current = key;
  const end = records.lastIndexOf('\n') + 1;
  let line = 1;
  for (let at = 0; at < end; line += 1) {
    const next = records.indexOf('\n', at) + 1;
    check('record', records.slice(at, next - 1), current, `records.jsonl:${line}`);
    current = mac(current, 'next');
    at = next;
  }
  check('status', status.trimEnd(), current, 'status.json');
  return records.slice(0, end);
}

function check(kind: 'record' | 'status', text: string, key: Buffer, where: string): void {
  const found = seal.exec(text);
  // Need not be timing-safe: the guest, which could measure the time, has ended.
  if (found !== null && mac(key, `${kind}\n${text.slice(0, found.index)}}`).toString('hex') === found[1]) return;
  throw changedInGuest(`${where} is not as the agent wrote it`);
}

function mac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** The error for content that is not as the agent wrote it. */
export function changedInGuest(what: string): VmError {
  return new VmError(`the guest's records were changed by what ran in it: ${what}`, {
    hint: 'do not trust its counts; find out what its benches do as root',
  });
}
