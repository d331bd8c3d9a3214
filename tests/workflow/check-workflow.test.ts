// The findings in a workflow and a project. A workflow without findings is changed in one place.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { InputError } from '../../src/common/errors.ts';
import { parsePackageNames } from '../../src/inputs/package-names.ts';
import { readPins } from '../../src/kernels/pins.ts';
import { selectKernels } from '../../src/kernels/select.ts';
import { checkWorkflow, type Diagnosis, namedProjects, type Project } from '../../src/workflow/check-workflow.ts';
import { callableFiles } from '../../src/workflow/find-calls.ts';
import { absentFromImage, hostedRunner } from '../../src/workflow/hosted-runner.ts';
import { parseCallable, parseWorkflow } from '../../src/workflow/parse-workflow.ts';
import { renderDiagnosis } from '../../src/workflow/render-diagnosis.ts';

const callables = new Map(
  callableFiles.map((file) => [file, parseCallable(readFileSync(join(packageRoot, file), 'utf8'), file)]),
);

const steps = `on:
  pull_request:
  push:
    branches: [main]
permissions: {}
jobs:
  gate:
    runs-on: ubuntu-24.04
    timeout-minutes: 60
    permissions:
      contents: read
    strategy:
      matrix:
        kernel: ["5.10", "6.1"]
    steps:
      - uses: actions/checkout@v7
        with:
          fetch-depth: 2
          persist-credentials: false
      - id: measure
        uses: somebody/bpfgate@v1
        with:
          kernels: \${{ matrix.kernel }}
          artifact-name: bpfgate@\${{ matrix.kernel }}
  report:
    needs: gate
    runs-on: ubuntu-24.04
    permissions:
      actions: read
      checks: write
      pull-requests: write
    steps:
      - uses: somebody/bpfgate/report@v1
        with:
          artifact-name: bpfgate
`;

const reusable = `on:
  pull_request:
  push:
permissions: {}
jobs:
  bpfgate:
    uses: somebody/bpfgate/.github/workflows/gate.yml@v1
    permissions:
      contents: read
      actions: read
      checks: write
      pull-requests: write
    with:
      kernels: 5.10,6.1
`;

const bench = '[[bench]]\nname = "a"\ncommand = "./a"\n';

interface Given {
  readonly submodules?: string;
  /** Files of the project at the root, in addition to its bpfgate.toml. */
  readonly files?: Record<string, string>;
  readonly problems?: Record<string, string>;
  readonly folder?: string;
}

function check(text: string, { submodules, files = {}, problems = {}, folder = '' }: Given = {}): Diagnosis {
  const project: Project = {
    files: new Map(Object.entries({ 'bpfgate.toml': `kernels = ["6.1"]\n${bench}`, ...files })),
    problems: new Map(Object.entries(problems)),
  };
  return checkWorkflow(parseWorkflow(text, 'a.yml'), {
    callables,
    projects: new Map([[folder, project]]),
    submodules: submodules ?? null,
    selectKernels: (selectors) => selectKernels(selectors, readPins()),
  });
}

/** Replaces `from`, which must be in the text, so that no test goes on without its change. */
function change(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

const lines = ({ findings }: Diagnosis) => findings.map(({ line, what }) => `${line}: ${what}`);

test('a workflow of steps, and one that calls the reusable workflow, have no findings', () => {
  for (const text of [steps, reusable]) expect(check(text)).toEqual({ findings: [], notes: [], packages: [] });
});

describe('of a workflow of steps', () => {
  test.each<[string, string, string, string[]]>([
    [
      'no base run fills the cache',
      '  push:\n    branches: [main]\n',
      '',
      ['2: no run on the base branch fills the cache'],
    ],
    [
      'pull_request_target runs foreign code with secrets',
      '  push:\n',
      '  pull_request_target:\n  push:\n',
      ['3: the workflow runs on `pull_request_target`'],
    ],
    [
      'an Arm runner',
      'ubuntu-24.04\n    timeout',
      'ubuntu-24.04-arm\n    timeout',
      ['8: ubuntu-24.04-arm is an Arm machine'],
    ],
    ['another image', 'ubuntu-24.04\n    timeout', 'ubuntu-22.04\n    timeout', ['8: the runner is ubuntu-22.04']],
    ['a short time limit', 'timeout-minutes: 60', 'timeout-minutes: 20', ['9: the job ends after 20 minutes']],
    [
      'a scope is missing',
      '      contents: read\n',
      '      actions: read\n',
      ['10: the permission `contents: read` is missing'],
    ],
    [
      'the comment needs a scope',
      '      pull-requests: write\n',
      '      pull-requests: read\n',
      ['28: the permission `pull-requests: write` is missing'],
    ],
    ['artifacts need a scope', '      actions: read\n', '', ['28: the permission `actions: read` is missing']],
    [
      'the history needs a scope',
      '          artifact-name: bpfgate\n',
      '          artifact-name: bpfgate\n          history-branch: bpfgate-history\n',
      ['28: the permission `contents: read` is missing'],
    ],
    [
      'no checkout',
      '      - uses: actions/checkout@v7\n        with:\n          fetch-depth: 2\n          persist-credentials: false\n',
      '',
      ['17: no step before checks the repository out'],
    ],
    [
      'the checkout of another repository is none of the project',
      'fetch-depth: 2\n',
      'repository: somebody/bpfgate\n',
      ['21: no step before checks the repository out'],
    ],
    ['the depth is 1', 'fetch-depth: 2', 'fetch-depth: 1', ['18: the base is not in the checkout']],
    ['the depth is left out', '          fetch-depth: 2\n', '', ['16: the base is not in the checkout']],
    [
      'a base that is named may be further back',
      'artifact-name: bpfgate@',
      'base: v1.0\n          artifact-name: bpfgate@',
      ['18: the base may not be in the checkout'],
    ],
    [
      'the head of a pull request needs its merge-base',
      'fetch-depth: 2\n',
      `fetch-depth: 2\n          ref: \${{ github.event.pull_request.head.sha }}\n`,
      ['19: the base may not be in the checkout'],
    ],
    [
      'the token stays in the checkout',
      '          persist-credentials: false\n',
      '',
      ['16: the checkout keeps the token'],
    ],
    ['an input that is misspelt', 'kernels: $', 'kernel: $', ['23: unknown input `kernel`; did you mean `kernels`?']],
    [
      'a wrong value',
      'artifact-name: bpfgate@',
      'fail-on: maybe\n          artifact-name: bpfgate@',
      ['24: input fail-on: `maybe`'],
    ],
    [
      'an unknown lane',
      'artifact-name: bpfgate@',
      'lanes: speed\n          artifact-name: bpfgate@',
      ['24: input lanes: unknown lane `speed`; allowed: instructions, verifier, time'],
    ],
    ['a number that GitHub rounds', '"5.10"', '5.10', ['14: `5.10` without quotes is the number 5.1']],
    ['a kernel that is not pinned', '"6.1"]', '"9.9"]', ['14: no pinned kernel matches "9.9"']],
    [
      'a comment without a token',
      'artifact-name: bpfgate@',
      'comment: always\n          artifact-name: bpfgate@',
      ['10: the permission `pull-requests: write` is missing', '21: `comment` without `github-token`'],
    ],
    ['a step that there is not', 'bpfgate/report@v1', 'bpfgate/reports@v1', ['33: bpfgate has no `reports`']],
    [
      'a time limit that is none',
      'artifact-name: bpfgate@',
      'timeout: 5m\n          artifact-name: bpfgate@',
      ['24: input timeout: `5m` is no time limit'],
    ],
    [
      'a job that ends before a kernel may',
      'artifact-name: bpfgate@',
      'timeout: 5400\n          artifact-name: bpfgate@',
      ['9: the job ends after 60 minutes'],
    ],
    [
      'another folder',
      'artifact-name: bpfgate@',
      'project: sub\n          artifact-name: bpfgate@',
      ['24: no bpfgate.toml in `sub`'],
    ],
    [
      'a project next to the checkout',
      'fetch-depth: 2\n',
      'fetch-depth: 2\n          path: sources\n',
      ['22: the project is looked for in `.`'],
    ],
  ])('%s', (_, from, to, found) => {
    const expected = found.map((each) => expect.stringMatching(new RegExp(`^${escapeRegExp(each)}`)));
    expect(lines(check(change(steps, from, to)))).toEqual(expected);
  });

  test('an output of a step is known by its action, and only for that step', () => {
    const read = change(
      steps,
      '  report:\n',
      `    outputs:\n      v: \${{ steps.measure.outputs.verdicts }}\n  report:\n`,
    );
    expect(lines(check(read))).toEqual(['26: unknown output `verdicts`; did you mean `verdict`?']);
    expect(lines(check(change(read, 'steps.measure', 'steps.other')))).toEqual([]);
  });

  test("without permissions the repository's settings decide, which is a finding", () => {
    const scopes = '    permissions:\n      actions: read\n      checks: write\n      pull-requests: write\n';
    const found = check(change(change(steps, 'permissions: {}\n', ''), scopes, ''));
    expect(lines(found)).toEqual([
      '24: no `permissions`, and `pull-requests: write` is needed',
      '24: no `permissions`, and `checks: write` is needed',
      '24: no `permissions`, and `actions: read` is needed',
    ]);
  });

  test("`project` is relative to the checkout's path, and is that folder of the repository", () => {
    const text = change(
      change(steps, 'fetch-depth: 2\n', 'fetch-depth: 2\n          path: sources\n'),
      'artifact-name: bpfgate@',
      'project: sources/xdp\n          artifact-name: bpfgate@',
    );
    expect(namedProjects(parseWorkflow(text, 'a.yml'), callables)).toEqual([
      { project: 'xdp', config: 'bpfgate.toml' },
    ]);
    expect(lines(check(text, { folder: 'xdp' }))).toEqual([]);
  });

  test.each<[string, string]>([
    ['bpfgate-kvm', 'what the runner `bpfgate-kvm` has cannot be known here: run `bpfgate doctor` on it'],
    [`\${{ inputs.runner }}`, 'the runner is known in a run only'],
  ])('the runner %s is a note and no finding', (label, note) => {
    const { findings, notes } = check(change(steps, 'ubuntu-24.04\n    timeout', `${label}\n    timeout`));
    expect(findings).toEqual([]);
    expect(notes.map(({ text }) => text)).toEqual([note]);
  });

  test('kernels to be compiled are a note, and a finding if the time limit is too short', () => {
    const compiled = change(steps, '["5.10", "6.1"]', '["5.8", "6.1"]');
    const [note, ...others] = check(compiled).notes;
    expect(others).toEqual([]);
    expect(note?.text).toMatch(/compiled the first time, about 5 minutes each on two cores: 5\.8$/);
    expect(lines(check(compiled))).toEqual([]);
    const many = change(
      change(steps, `\${{ matrix.kernel }}\n          artifact`, 'all\n          artifact'),
      '60',
      '30',
    );
    expect(lines(check(many))).toEqual(['9: the job ends after 30 minutes']);
  });
});

describe('of a workflow that calls the reusable one', () => {
  test.each<[string, string, string, string[]]>([
    ['a scope that its jobs ask for', '      checks: write\n', '', ['8: the permission `checks: write` is missing']],
    ['an unknown input', 'kernels:', 'kernel:', ['14: unknown input `kernel`; did you mean `kernels`?']],
    ['a text in the place of a number', 'kernels: 5.10,6.1', 'shards: many', ['14: input shards: `many`']],
    ['a short time limit', 'kernels: 5.10,6.1', 'timeout-minutes: 20', ['14: the job ends after 20 minutes']],
    ['an Arm runner', 'kernels: 5.10,6.1', 'runner: ubuntu-24.04-arm', ['14: ubuntu-24.04-arm is an Arm machine']],
    [
      'a workflow that there is not',
      'gate.yml@v1',
      'gates.yml@v1',
      ['7: bpfgate has no `.github/workflows/gates.yml`'],
    ],
  ])('%s', (_, from, to, found) => {
    expect(lines(check(change(reusable, from, to)))).toEqual(found);
  });

  test('its checkout is deep enough and has submodules by default', () => {
    const submodules = '[submodule "libbpf"]';
    expect(lines(check(reusable, { submodules }))).toEqual([]);
    const without = change(reusable, 'kernels: 5.10,6.1', 'submodules: false');
    expect(lines(check(without))).toEqual([]);
    expect(lines(check(without, { submodules }))).toEqual(['14: the submodules of the project are not checked out']);
    const shallow = change(reusable, 'kernels: 5.10,6.1', 'fetch-depth: 1');
    expect(lines(check(shallow))).toEqual(['14: the base is not in the checkout']);
    expect(lines(check(`${shallow}      base: v1\n`))).toEqual([]);
  });

  test.each(['OWNER/bpfgate@v1', `somebody/bpfgate@${'0'.repeat(40)}`, 'somebody/bpfgate@COMMIT'])(
    'the placeholder %s',
    (uses) => {
      expect(check(change(steps, 'somebody/bpfgate@v1', uses)).findings).toMatchObject([
        { line: 21, what: `\`uses: ${uses}\` is a placeholder`, next: 'fill in the owner and the commit of bpfgate' },
      ]);
    },
  );

  test('an unknown output of the job', () => {
    const text = `${reusable}  after:\n    needs: bpfgate\n    if: \${{ needs.bpfgate.outputs.verdicts }}\n`;
    expect(lines(check(text))).toEqual(['17: unknown output `verdicts`; did you mean `verdict`?']);
  });
});

describe('of a project', () => {
  test.each<[string, Given, string[]]>([
    [
      'submodules that are not checked out',
      { submodules: '[submodule "libbpf"]' },
      ['16: the submodules of the project are not checked out'],
    ],
    [
      'a library missing from the image',
      { files: { Makefile: 'LDLIBS = -lbpf\n' } },
      ['21: libbpf is missing on the runner'],
    ],
    [
      'a crate that links one',
      { files: { 'Cargo.toml': 'libbpf-rs = "0.24"\n' } },
      ['21: libelf is missing on the runner'],
    ],
    [
      'a clang missing from the image',
      { files: { Makefile: 'CLANG ?= clang-20\n' } },
      ['21: clang-20 is missing on the runner'],
    ],
    ['a clang that it has', { files: { Makefile: 'CLANG ?= clang-18\n' } }, []],
    ['a comment', { files: { Makefile: '# needs meson\n' } }, []],
    [
      'a command of bpfgate.toml',
      { files: { 'bpfgate.toml': `${bench}[build]\ncommand = "meson compile"\n` } },
      ['21: meson is missing on the runner'],
    ],
    [
      'a mistake in bpfgate.toml',
      { files: { 'bpfgate.toml': 'kernel = []\n' } },
      ['21: bpfgate.toml:1: `kernel` is a list; write [[kernel]]'],
    ],
  ])('%s', (_, given, found) => {
    const expected = found.map((each) => expect.stringMatching(new RegExp(`^${escapeRegExp(each)}`)));
    expect(lines(check(steps, given))).toEqual(expected);
  });

  test('a library installed by an earlier step or by input packages, or in a submodule, is not missing', () => {
    const files = { Makefile: 'LDLIBS = -lbpf\n' };
    const installing = change(
      steps,
      '      - id: measure\n',
      '      - run: sudo apt-get install libbpf-dev\n      - id: measure\n',
    );
    expect(lines(check(installing, { files }))).toEqual([]);
    expect(check(reusable, { files }).findings).toMatchObject([{ next: 'add input `packages: libbpf-dev`' }]);
    const given = change(reusable, 'kernels: 5.10,6.1', 'packages: libbpf-dev');
    expect(lines(check(given, { files }))).toEqual([]);
    const more = { Makefile: 'x: ; bpftool gen skeleton x; meson compile\nLDLIBS = -lbpf\n' };
    expect(check(given, { files: more }).findings).toMatchObject([
      {
        what: 'bpftool, meson are missing on the runner',
        next: 'change the input `packages: libbpf-dev linux-tools-common linux-tools-azure meson`',
      },
    ]);
    const checkedOut = change(steps, 'fetch-depth: 2\n', 'fetch-depth: 2\n          submodules: true\n');
    expect(lines(check(checkedOut, { files, submodules: '[submodule "libbpf"]' }))).toEqual([]);
  });

  test.each(absentFromImage)('packages of $name are names that the input takes', ({ packages }) => {
    expect(parsePackageNames(packages.join(' '), 'input packages')).toEqual(packages);
  });

  test('software on a self-hosted runner is not guessed', () => {
    const own = change(steps, 'ubuntu-24.04\n    timeout', 'own\n    timeout');
    expect(lines(check(own, { files: { Makefile: 'LDLIBS = -lbpf\n' } }))).toEqual([]);
  });

  test("Go newer than the image's is a note", () => {
    const { findings, notes } = check(steps, { files: { 'go.mod': 'module a\n\ngo 1.99\n' } });
    expect(findings).toEqual([]);
    expect(notes.map(({ text }) => text)).toEqual([expect.stringMatching(/^Go 1\.99 is newer/)]);
    const known = check(steps, { files: { 'go.mod': `module a\n\ngo ${hostedRunner.newestGo}\n` } });
    expect(known.notes).toEqual([]);
  });

  test('an unreadable configuration is reported with the reason', () => {
    const text = change(steps, 'artifact-name: bpfgate@', 'config: other.toml\n          artifact-name: bpfgate@');
    const { findings } = check(text, { problems: { 'other.toml': 'it is a link' } });
    expect(findings).toEqual([expect.objectContaining({ what: 'cannot read other.toml in `.`', why: 'it is a link' })]);
  });
});

test('a workflow that does not use bpfgate is refused', () => {
  const text = 'on: push\njobs:\n  a:\n    steps:\n      - run: make\n';
  expect(() => check(text)).toThrow(InputError);
  expect(() => check(text)).toThrow('a.yml has no step or job that uses bpfgate');
});

test('every finding has its line, its reason and the next step', () => {
  const text = change(steps, 'fetch-depth: 2', 'fetch-depth: 1');
  expect(renderDiagnosis(check(text), 'a.yml')).toBe(`a.yml:18: the base is not in the checkout
    why:  \`fetch-depth\` is 1, and the commit to compare with is another one
    next: set \`fetch-depth: 2\` for actions/checkout
1 finding; compared with ubuntu-24.04, image ${hostedRunner.image}`);
  expect(renderDiagnosis(check(steps), 'a.yml')).toBe(
    `no findings; compared with ubuntu-24.04, image ${hostedRunner.image}`,
  );
});

function escapeRegExp(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
