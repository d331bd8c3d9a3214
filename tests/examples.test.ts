// Every workflow that a user pastes: complete as it stands, right for the actions that it uses, and run under act.
// actionlint and zizmor check them in `npm run lint:workflows`, and rules that hold for all workflows are in
// workflows.test.ts.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { examplesUnderAct } from '../evidence/act/examples.mjs';
import { packageRoot } from '../src/adapters/package-root.ts';

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8');
const examples = readdirSync(join(packageRoot, 'examples/workflows')).sort();
/** Needs a server of Bencher's, and a secret, which docs/continuous-benchmarking.md explains. */
const bencher = 'bencher.yml';
const workflows = [
  ...examples.map((name) => ({ name, text: read(`examples/workflows/${name}`) })),
  { name: bencher, text: read(`examples/${bencher}`) },
  ...blocksOf(read('README.md')).map((text) => ({ name: 'README.md', text })),
];

function blocksOf(page: string): string[] {
  return [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].flatMap(([, text = '']) => (/^jobs:/m.test(text) ? text : []));
}

test('there are examples, and a page with a workflow', () => {
  expect(examples).toEqual(expect.arrayContaining(['single-step.yml', 'gate.yml', 'matrix.yml']));
  expect(workflows.length).toBe(examples.length + 2);
});

describe.each(workflows)('$name', ({ name, text }) => {
  test('has only OWNER and the commit of bpfgate to fill in', () => {
    const filled = fillIn(text);
    expect(filled).not.toBe(text);
    const uses = [...filled.matchAll(/^ *(?:- )?uses: (\S+)/gm)].map(([, used]) => used);
    for (const used of uses) expect(used).toMatch(/^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/);
    const code = filled.replace(/#.*$/gm, '');
    expect(code).not.toMatch(/OWNER|COMMIT|TODO|YOUR/);
    // These would be set in the repository, not in the file.
    if (name !== bencher) expect(code).not.toMatch(/\b(vars|secrets)\./);
  });

  test('passes only inputs that exist', () => {
    const jobs: Call[] = Object.values(parse(text).jobs);
    const own = [...jobs, ...jobs.flatMap(({ steps = [] }) => steps)].flatMap(({ uses = '', with: inputs = {} }) => {
      const [whole, path = ''] = /^OWNER\/bpfgate(?:\/([^@]*))?@/.exec(uses) ?? [];
      return whole === undefined ? [] : [{ file: path.endsWith('.yml') ? path : join(path, 'action.yml'), inputs }];
    });
    expect(own).not.toEqual([]);
    for (const { file, inputs } of own) {
      const called = parse(read(file));
      const known = called.inputs ?? called.on.workflow_call.inputs;
      expect(Object.keys(known), file).toEqual(expect.arrayContaining(Object.keys(inputs)));
    }
  });
});

/** A step, or a job that calls a workflow. */
interface Call {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly steps?: readonly Call[];
}

function fillIn(text: string): string {
  return text
    .replaceAll(/\bOWNER\b(?=\/bpfgate)/g, 'somebody')
    .replaceAll(/@(0{40}|COMMIT)\b/g, `@${'a1'.repeat(20)}`)
    .replaceAll(/\bref: COMMIT\b/g, 'ref: main');
}

test('every example is run under act by one script, which ci.yml starts', () => {
  const run = Object.values(examplesUnderAct).flat();
  expect(run.map((name) => `${name}.yml`).sort()).toEqual(examples);
  const { scripts } = JSON.parse(read('package.json'));
  const { jobs } = parse(read('.github/workflows/ci.yml'));
  for (const script of Object.keys(examplesUnderAct)) {
    expect(Object.keys(scripts)).toContain(script);
    expect(jobs.act.strategy.matrix.script).toContain(script);
  }
});
