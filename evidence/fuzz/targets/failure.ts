// The file of a job that could not measure, which the code of a pull request may have written; it becomes a comment.

import { InputError } from '../../../src/common/errors.ts';
import { parseFailure, serializeFailure, toError } from '../../../src/report/failure.ts';
import { check, type Target } from '../target.ts';

export const target: Target = {
  shape: 'json',
  refusals: [InputError],
  words: ['bpfgate.error/1', 'input', 'kernel', 'machine', 'vm', 'build', 'bench', 'internal', '6.1'],
  run(input) {
    const failure = parseFailure(input.toString('utf8'), 'error.json');
    check(
      serializeFailure(parseFailure(serializeFailure(failure), 'error.json')) === serializeFailure(failure),
      'written and read it is another',
    );
    const error = toError([failure, failure]);
    check(error.message.endsWith(failure.message), 'the message is another');
  },
};
