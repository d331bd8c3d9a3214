// records.jsonl and status.json, as a guest's agent leaves them, and the sorted records of a run.

import { VmError } from '../../../src/common/errors.ts';
import { parseRecords, parseStatus, sortRecords } from '../../../src/vm/records.ts';
import { check, type Target } from '../target.ts';

/** Checks counts independently of the parser, which passes them on unchanged. */
function isCounts(counts: readonly (readonly number[])[]): boolean {
  return counts.length <= 20_000 && counts.every((pair) => /^\d+,\d+$/.test(pair.join()));
}

export const target: Target = {
  shape: 'json-lines',
  refusals: [VmError],
  words: ['{"record":"warning","message":"x"}\n', '"outcome"'],
  run(input) {
    const text = input.toString('utf8');
    let isStatus = true;
    try {
      const status = parseStatus(text);
      check(['exited', 'signaled', 'measured', 'failed'].includes(status.outcome), 'an outcome');
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
      isStatus = false;
    }
    if (isStatus) return;
    const records = parseRecords(text);
    const { benches, programs, loads, profiles, warnings } = sortRecords(records);
    for (const path of [
      ...benches.flatMap(({ stdout, stderr }) => [stdout, stderr]),
      ...profiles.map(({ file }) => file),
    ]) {
      check(/^(output|profiles)\/[^/\\\0]+$/.test(path) && !path.includes('/../'), `the path ${JSON.stringify(path)}`);
    }
    check(
      profiles.every(({ bench, name }) => !/[/\\\0]/.test(bench + name) && !/^\.\.?$/.test(bench)),
      'a folder',
    );
    check(
      [...programs, ...loads].every(({ lines = [] }) => lines.every(({ counts }) => isCounts(counts))),
      'pairs of a line and its instructions',
    );
    check(warnings.length <= records.length, 'warnings out of nothing');
  },
};
