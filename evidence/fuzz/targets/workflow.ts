// A workflow file of someone else's repository, for `bpfgate doctor --workflow`.

import { InputError } from '../../../src/common/errors.ts';
import { checkWorkflow, namedProjects } from '../../../src/workflow/check-workflow.ts';
import { callableFiles } from '../../../src/workflow/find-calls.ts';
import { parseCallable, parseWorkflow } from '../../../src/workflow/parse-workflow.ts';
import { renderDiagnosis } from '../../../src/workflow/render-diagnosis.ts';
import { check, type Target } from '../target.ts';

/** An action with an input of each kind that the check examines. */
const action = `inputs:
  ${['project', 'config', 'base', 'kernels', 'lanes', 'shard', 'fail-on', 'comment', 'cache', 'github-token']
    .map((name) => `${name}: { default: "" }`)
    .join('\n  ')}
outputs: { verdict: {} }
on:
  workflow_call:
    inputs: { shards: { type: number }, runner: { default: ubuntu-24.04 }, timeout-minutes: { default: 60 } }
`;
const callables = new Map(callableFiles.map((file) => [file, parseCallable(action, file)]));
const project = { files: new Map([['bpfgate.toml', '[[bench]]\nname = "a"\ncommand = "a"\n']]), problems: new Map() };

export const target: Target = {
  shape: 'text',
  refusals: [InputError],
  words: ['on: pull_request', 'jobs:', 'steps:', 'uses: me/bpfgate@v1', 'with:', '*a', '&a ', '<<: ', 'matrix.a }}'],
  run(input) {
    const text = input.toString('utf8');
    const workflow = parseWorkflow(text, 'a.yml');
    const projects = new Map(namedProjects(workflow, callables).map((named) => [named.project, project]));
    const selectKernels = () => [];
    const diagnosis = checkWorkflow(workflow, { callables, projects, submodules: null, selectKernels });
    const last = text.split('\n').length;
    for (const { line } of [...diagnosis.findings, ...diagnosis.notes])
      check(line >= 1 && line <= last, `line ${line}`);
    const shown = renderDiagnosis(diagnosis, 'a.yml').split('\n');
    check(shown.length === 3 * diagnosis.findings.length + diagnosis.notes.length + 1, 'a finding is not three lines');
  },
};
