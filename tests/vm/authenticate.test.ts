import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { VmError } from '../../src/common/errors.ts';
import { authenticate } from '../../src/vm/authenticate.ts';

const key = Buffer.alloc(32, 7);
/** The lines that the agent's own test seals with that key: two records and the status. */
const [first = '', second = '', status = ''] = readFileSync(
  join(packageRoot, 'vm', 'agent', 'tests', 'fixtures', 'sealed.jsonl'),
  'utf8',
).split('\n');
const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');

test("the agent's records are passed on, without an incomplete last line", () => {
  expect(authenticate(lines(first, second), `${status}\n`, key)).toBe(lines(first, second));
  expect(authenticate(`${lines(first, second)}{"rec`, status, key)).toBe(lines(first, second));
});

const other = '{"record":"warning","message":"c"}';
test.each([
  ['another text', lines(first.replace('"a"', '"x"'), second), status, 'records.jsonl:1'],
  ['another code', lines(first.replace(/[0-9a-f]"}$/, '_"}'), second), status, 'records.jsonl:1'],
  ['a record without a code', lines(first, second, other), status, 'records.jsonl:3'],
  ['the first record left out', lines(second), status, 'records.jsonl:1'],
  ['the last record left out', lines(first), status, 'status.json'],
  ['all records left out', '', status, 'status.json'],
  ['a record doubled', lines(first, first, second), status, 'records.jsonl:2'],
  ['records in another order', lines(second, first), status, 'records.jsonl:1'],
  ['a record taken for the status', lines(first), second, 'status.json'],
  ['another status', lines(first, second), status.replace('measured', 'failed'), 'status.json'],
  ['a status without a code', lines(first, second), '{"outcome":"measured"}', 'status.json'],
  ['an empty line', lines(first, '', second), status, 'records.jsonl:2'],
])('%s is detected', (_, records, own, where) => {
  const check = () => authenticate(records, own, key);
  expect(check).toThrow(VmError);
  expect(check).toThrow(`the guest's records were changed by what ran in it: ${where} is not as the agent wrote it`);
});

test('records sealed with another key are refused', () => {
  expect(() => authenticate(lines(first, second), status, Buffer.alloc(32, 8))).toThrow('records.jsonl:1');
});
