import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { maxText, parseCallable, parseWorkflow } from '../../src/workflow/parse-workflow.ts';

const jobs = 'jobs:\n  a:\n    runs-on: ubuntu-24.04\n';

describe('the events', () => {
  test.each([
    ['on: push\n', { push: 1 }],
    ['on: [push, pull_request]\n', { push: 1, pull_request: 1 }],
    ['on:\n  push:\n    branches: [main]\n  pull_request:\n', { push: 2, pull_request: 4 }],
  ])('%j', (on, triggers) => {
    expect(Object.fromEntries(parseWorkflow(`${on}${jobs}`, 'a.yml').triggers)).toEqual(triggers);
  });
});

test('a job has its steps, its matrix and their lines', () => {
  const { jobs: found } = parseWorkflow(
    `on: push
jobs:
  a:
    runs-on: [self-hosted, "\${{ matrix.os }}"]
    strategy:
      matrix:
        os: [x, y]
        include:
          - { os: z, more: 1 }
    steps:
      - id: b
        uses: c/d@e # v1
        with:
          f: true
`,
    'a.yml',
  );
  expect(found).toHaveLength(1);
  const [job] = found;
  expect(job?.runsOn.map(({ text }) => text)).toEqual(['self-hosted', `\${{ matrix.os }}`]);
  expect(job?.matrix.get('os')?.map(({ text }) => text)).toEqual(['x', 'y', 'z']);
  expect(job?.matrix.get('more')).toEqual([{ line: 9, text: '1' }]);
  expect(job?.steps).toEqual([
    {
      line: 11,
      id: 'b',
      uses: { line: 12, text: 'c/d@e' },
      run: null,
      with: new Map([['f', { line: 14, text: 'true' }]]),
    },
  ]);
});

test('an alias is resolved, and a value is as GitHub passes it on', () => {
  const text = 'on: push\njobs:\n  a: &job\n    steps:\n      - { with: { k: 5.10, l: "5.10", m: } }\n  b: *job\n';
  const [one, other] = parseWorkflow(text, 'a.yml').jobs;
  expect(other?.steps).toEqual(one?.steps);
  expect([...(one?.steps[0]?.with ?? [])]).toEqual([
    ['k', { line: 5, text: '5.1', written: '5.10' }],
    ['l', { line: 5, text: '5.10' }],
    ['m', { line: 5, text: '' }],
  ]);
});

describe('an invalid file is refused with file and line', () => {
  test.each([
    ['', /^a\.yml is not a workflow: it has no keys$/],
    ['- a\n', /^a\.yml is not a workflow: it has no keys$/],
    ['jobs: {}\n', /^a\.yml is not a workflow: it has no `on`$/],
    ['on: push\n', /^a\.yml is not a workflow: it has no `jobs`$/],
    ['on: push\non: pull_request\n', /^a\.yml:2:1: not YAML: Map keys must be unique/],
    ['on: [push\n', /^a\.yml:2:1: not YAML: /],
    [`on: push\njobs: ${'['.repeat(20_000)}`, /^a\.yml: nested too deep$|^a\.yml:\d+:\d+: not YAML/],
    [`on: push\n# ${'x'.repeat(maxText)}`, /^a\.yml has \d+ characters/],
    [`on: push\nx: &a y\njobs:\n  b:\n    runs-on: [${'*a, '.repeat(1001)}]\n`, /^a\.yml has more than 1000 aliases$/],
  ])('%#', (text, message) => {
    expect(() => parseWorkflow(text, 'a.yml')).toThrow(InputError);
    expect(() => parseWorkflow(text, 'a.yml')).toThrow(message);
  });
});

test('inputs, outputs and permissions of an action and of a reusable workflow are known', () => {
  const action = parseCallable('inputs:\n  a: { default: "" }\n  b: { required: true }\noutputs: { c: {} }\n', 'x');
  expect([...action.inputs]).toEqual([
    ['a', { required: false, default: '', type: 'string' }],
    ['b', { required: true, default: null, type: 'string' }],
  ]);
  expect([...action.outputs]).toEqual(['c']);
  const workflow = parseCallable(
    'on:\n  workflow_call:\n    inputs:\n      a: { type: number, default: 1 }\n    outputs: { b: { value: x } }\njobs:\n  c:\n    permissions: { checks: write }\n  d:\n    permissions: { checks: read, contents: read }\n',
    'x',
  );
  expect([...workflow.inputs]).toEqual([['a', { required: false, default: '1', type: 'number' }]]);
  expect([...workflow.outputs]).toEqual(['b']);
  expect([...workflow.permissions]).toEqual([
    ['checks', 'write'],
    ['contents', 'read'],
  ]);
});
