// records.jsonl and status.json, as a guest's agent leaves them, and the sorted records of a run.

import { type Instruction, readInstructions } from '../../../src/bench/machine-code.ts';
import { VmError } from '../../../src/common/errors.ts';
import { parseRecords, parseStatus, sortRecords } from '../../../src/vm/records.ts';
import { check, type Target } from '../target.ts';

/** Checks an instruction independently of the parser, which passes code on unchanged. */
function isInstruction({ offset, shape }: Instruction): boolean {
  return Number.isSafeInteger(offset) && offset >= 0 && /^[\w-]{3}$/.test(shape);
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
    const { programs, loads, profiles, warnings } = sortRecords(records, 'head');
    check(
      profiles.every(({ bench, name }) => !/[/\\\0]/.test(bench + name) && !/^\.\.?$/.test(bench)),
      'a folder',
    );
    check(
      [...programs, ...loads].every(({ machine_code: code }) => !code || readInstructions(code).every(isInstruction)),
      'instructions with a shape',
    );
    check(warnings.length <= records.length, 'warnings out of nothing');
  },
};
