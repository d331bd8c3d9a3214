// Rules for every workflow and example that the linters do not have, or have in a weaker form.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isMap, isScalar, isSeq, type Pair, parseDocument, type Scalar, visit, type YAMLMap } from 'yaml';
import { packageRoot } from '../src/adapters/package-root.ts';
import { groupBy } from '../src/common/group-by.ts';

const files = ['.github/workflows', 'examples/workflows'].flatMap((folder) =>
  readdirSync(join(packageRoot, folder))
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => `${folder}/${name}`),
);
const documents = new Map(files.map((file) => [file, parseDocument(readFileSync(join(packageRoot, file), 'utf8'))]));
const jobs = files.flatMap((file) =>
  pairsOf(documentOf(file).get('jobs')).map((pair) => ({ file, id: keyOf(pair), job: pair.value as YAMLMap })),
);
/** Uses that do not refer to this repository itself by `./` or `$/`. */
const foreignUses = files.flatMap((file) => usesOf(file)).filter(({ name }) => !/^(\.|\$)\//.test(name));

test('there are workflows, examples and jobs to check', () => {
  expect(files).toEqual(expect.arrayContaining(['.github/workflows/gate.yml', 'examples/workflows/gate.yml']));
  expect(jobs.length).toBeGreaterThan(8);
  expect(foreignUses.length).toBeGreaterThan(10);
});

describe('an action of another repository', () => {
  test.each(foreignUses)(
    '$file:$line: $uses is pinned by a commit, with its version in a comment',
    ({ revision, comment }) => {
      expect(revision).toMatch(/^[0-9a-f]{40}$/);
      expect(comment).toMatch(/^v\d+\.\d+\.\d+$/);
    },
  );

  test('has the same commit and the same version everywhere', () => {
    const pins = groupBy(foreignUses, ({ repository }) => repository).map((uses) => [
      ...new Set(uses.map(({ repository, revision, comment }) => `${repository}@${revision} # ${comment}`)),
    ]);
    expect(pins.filter((versions) => versions.length > 1)).toEqual([]);
  });
});

test.each(files)('%s: no script contains an expression; values are passed in the environment', (file) => {
  const scripts: string[] = [];
  visit(documentOf(file), {
    Pair(_, pair) {
      if (isScalar(pair.key) && pair.key.value === 'run' && isScalar(pair.value))
        scripts.push(String(pair.value.value));
    },
  });
  expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
});

test.each(files)('%s: the token has only the permissions that a job requests', (file) => {
  expect(documentOf(file).toJS().permissions).toSatisfy(
    (granted: unknown) => JSON.stringify(granted) === '{}' || JSON.stringify(granted) === '{"contents":"read"}',
  );
});

describe.each(jobs)('$file: the job $id', ({ file, job }) => {
  test('has a time limit', () => {
    // A job that calls a workflow cannot have one; the jobs it calls have one.
    if (job.has('uses')) return;
    expect(String(job.get('timeout-minutes'))).toMatch(/^([1-9]\d*|\$\{\{ inputs\.timeout-minutes \}\})$/);
  });

  test('has permissions, or is in a file that only reads', () => {
    if (job.has('permissions')) return;
    expect(documentOf(file).toJS().permissions).toEqual({ contents: 'read' });
  });

  test('stores no credentials in a checkout', () => {
    const checkouts = stepsOf(job).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    for (const step of checkouts) expect(step.with?.['persist-credentials']).toBe(false);
  });
});

/** Matches bpfgate's own steps that build and measure a project, as they are called here and in the examples. */
const measures = /^(\.\/|\$\/|OWNER\/bpfgate@.*)$/;
const measuringJobs = jobs.filter(({ job }) => stepsOf(job).some(({ uses }) => measures.test(uses ?? '')));
/** Jobs started by a pull request, or by a run that follows one; not those only a maintainer or a schedule starts. */
const reachedByPullRequest = jobs.filter(({ file }) =>
  ['pull_request', 'workflow_call', 'workflow_run'].some((name) => triggersOf(file).includes(name)),
);
const writingJobs = reachedByPullRequest.filter(({ job }) =>
  Object.values((job.toJSON() as { permissions?: Record<string, string> }).permissions ?? {}).includes('write'),
);

describe('a job that builds and measures', () => {
  test.each(measuringJobs)('$file, $id: has a token that can only read the repository', ({ file, job }) => {
    const granted = job.has('permissions') ? job.toJSON().permissions : documentOf(file).toJS().permissions;
    expect(granted).toEqual({ contents: 'read' });
  });

  test.each(measuringJobs)('$file, $id: gets no token and no secret', ({ job }) => {
    expect(JSON.stringify(job)).not.toMatch(/github-token|github\.token|secrets\b|GITHUB_TOKEN|GH_TOKEN/i);
    const environments = [job.toJSON(), ...stepsOf(job)].map(({ env }) => Object.keys(env ?? {}));
    expect(environments.flat()).toEqual([]);
  });

  test('is there in the reusable workflow and in three examples', () => {
    const names = measuringJobs.map(({ file, id }) => `${file} ${id}`);
    expect(names).toEqual(
      expect.arrayContaining(['.github/workflows/gate.yml measure', 'examples/workflows/matrix.yml measure']),
    );
    expect(names.length).toBeGreaterThanOrEqual(4);
  });
});

describe('a job that may write, in a workflow for pull requests', () => {
  test('exists', () => {
    expect(writingJobs.map(({ file, id }) => `${file} ${id}`)).toEqual(
      expect.arrayContaining(['.github/workflows/gate.yml gate', '.github/workflows/publish.yml publish']),
    );
  });

  test.each(writingJobs)(
    '$file, $id: checks nothing out, restores and saves no cache, and runs no script',
    ({ file, job }) => {
      // No pull request can release kernels: that needs an input that only a maintainer gives.
      if (file.endsWith('/kernels.yml')) return expect(job.get('if')).toContain("inputs.release != ''");
      const refused = /^actions\/(checkout|cache)\b/;
      expect(stepsOf(job).filter(({ uses, run }) => run !== undefined || refused.test(uses ?? ''))).toEqual([]);
    },
  );
});

test('the release job runs nothing of the repository, and releases what two machines built alike', () => {
  const [make, publish] = jobs.filter(({ file }) => file === '.github/workflows/release.yml').map(({ job }) => job);
  expect(make?.has('permissions')).toBe(false);
  expect(make?.toJSON().strategy.matrix).toEqual({ copy: [1, 2] });
  expect(stepsOf(make as YAMLMap).map(({ run }) => run)).toEqual(
    expect.arrayContaining(['npm ci', 'npm run --silent check']),
  );
  const steps = stepsOf(publish as YAMLMap);
  expect(Object.keys(publish?.toJSON().permissions).sort()).toEqual(['attestations', 'contents', 'id-token']);
  expect(steps.filter(({ uses }) => uses !== undefined).map(({ uses }) => uses?.split('@')[0])).toEqual([
    'actions/download-artifact',
    ...Array(5).fill('actions/attest'),
  ]);
  const scripts = steps.flatMap(({ run }) => run ?? []);
  expect(scripts[0]).toMatch(/^diff --recursive made\/release-1 made\/release-2\n/);
  for (const script of scripts) expect(script).not.toMatch(/\b(npm|npx|node|cargo|git|bin\/)\b/);
});

test('the release job of kernels installs nothing: what it runs needs no package', () => {
  const [release] = jobs.filter(({ file, id }) => file.endsWith('/kernels.yml') && id === 'release');
  const scripts = stepsOf(release?.job as YAMLMap).flatMap(({ run }) => run ?? []);
  const [script = '', ...others] = scripts.map(
    (text) => /^node (\S+\.mjs) [^|;&]*\| tee -a \S+$/.exec(text.trim())?.[1],
  );
  expect(others).toEqual([]);
  const imported = [...readFileSync(join(packageRoot, script), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)];
  expect(imported.length).toBeGreaterThan(3);
  expect(imported.map(([, name]) => name).filter((name) => !name?.startsWith('node:'))).toEqual([]);
});

test('a program whose output goes through tee fails the step when it fails', () => {
  // `echo` does not fail.
  const piping = files.filter((file) =>
    readFileSync(join(packageRoot, file), 'utf8')
      .split('\n')
      .some((line) => /\S \| tee\b/.test(line) && !/^\s*(echo|#)/.test(line)),
  );
  expect(piping).toEqual(expect.arrayContaining(['.github/workflows/release.yml', '.github/workflows/kernels.yml']));
  // `bash` has `-o pipefail`, which the default shell of a step does not.
  for (const file of piping) expect(documentOf(file).toJS().defaults?.run?.shell, file).toBe('bash');
});

test('no workflow runs on pull_request_target, and none passes on all of its secrets', () => {
  expect(files.filter((file) => triggersOf(file).includes('pull_request_target'))).toEqual([]);
  expect(jobs.filter(({ job }) => job.get('secrets') === 'inherit')).toEqual([]);
});

test('publish.yml reads the run, and with it the pull request, from the event', () => {
  const [publish] = jobs.filter(({ file }) => file.endsWith('/publish.yml'));
  const text = JSON.stringify(publish?.job);
  expect(text).toContain("github.event.workflow_run.event == 'pull_request'");
  expect(text).toContain('github.event.workflow_run.head_repository.full_name != github.repository');
  const given = stepsOf(publish?.job as YAMLMap).map((step) => step.with ?? {});
  const named = given
    .flatMap((inputs) => Object.entries(inputs))
    .filter(([name]) => /(^|-)(run|pull|pr|issue)(-|$)/.test(name) && name !== 'check-run');
  expect(named.filter(([, value]) => !/^\$\{\{ github\.event\.workflow_run\.id \}\}$/.test(String(value)))).toEqual([]);
});

test('every job of a called workflow ends within ten minutes, except those that measure', () => {
  const others = jobs.filter(
    ({ file, id }) => /\/(gate|publish)\.yml$/.test(file) && id !== 'measure' && id !== 'bpfgate',
  );
  expect(others.map(({ job }) => job.get('timeout-minutes'))).toEqual([10, 10, 10]);
});

describe('a step of bpfgate', () => {
  const actions = ['.', ...readdirSync(packageRoot)]
    .map((folder) => (folder === '.' ? 'action.yml' : `${folder}/action.yml`))
    .filter((file) => existsSync(join(packageRoot, file)));
  const calls = jobs.flatMap(({ file, id, job }) =>
    stepsOf(job).flatMap(({ uses = '', with: inputs = {} }) => {
      const found = /^(?:\$|OWNER\/bpfgate)(?:\/([\w-]*))?(?:@|$)/.exec(uses);
      return found === null ? [] : [{ file, id, path: found[1] || '.', inputs }];
    }),
  );

  test('are these, and each is used by a workflow or an example', () => {
    expect(actions.map((file) => dirname(file)).sort()).toEqual(['.', 'plan', 'publish', 'record', 'report']);
    expect([...new Set(calls.map(({ path }) => path))].sort()).toEqual(['.', 'plan', 'publish', 'record', 'report']);
  });

  test.each(actions)('%s: runs committed code, with nothing to install', (file) => {
    const { runs } = parseDocument(readFileSync(join(packageRoot, file), 'utf8')).toJS();
    expect(Object.keys(runs).sort()).toEqual(['main', 'using']);
    const main = join(packageRoot, file, '..', runs.main);
    expect(importsOf(main).filter((name) => !builtinModules.includes(name.replace(/^node:/, '')))).toEqual([]);
  });

  // tests/examples.test.ts checks the examples.
  test.each(calls.filter(({ file }) => !file.startsWith('examples/')))(
    '$path knows the inputs that $file gives it in $id',
    ({ path, inputs }) => {
      const { inputs: known } = parseDocument(readFileSync(join(packageRoot, path, 'action.yml'), 'utf8')).toJS();
      expect(Object.keys(known)).toEqual(expect.arrayContaining(Object.keys(inputs)));
    },
  );
});

/** External imports of a bundle, and of the neighbouring bundles that it imports. */
function importsOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const names = [...text.matchAll(/^(?:import|export)\b[^"'`;]*?["']([^"']+)["'];?$/gm)].map(
    ([, name]) => name as string,
  );
  return names.flatMap((name) => (name.startsWith('./') ? importsOf(join(file, '..', name), seen) : [name]));
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Record<string, unknown>;
  readonly env?: Record<string, unknown>;
}

function stepsOf(job: YAMLMap): Step[] {
  return (job.toJSON() as { steps?: Step[] }).steps ?? [];
}

function triggersOf(file: string): string[] {
  const { on } = documentOf(file).toJS();
  return typeof on === 'string' ? [on] : Array.isArray(on) ? on : Object.keys(on);
}

test('nightly.yml looks back to its scheduled hour, however late GitHub starts it', () => {
  const { on, jobs } = documentOf('examples/workflows/nightly.yml').toJS();
  const [, minute, hour] = /^(\d+) (\d+) \* \* \*$/.exec(on.schedule[0].cron) ?? [];
  const time = [hour, minute].map((part) => part?.padStart(2, '0')).join(':');
  expect(jobs.base.steps.at(-1).run).toContain(`date --utc --date=yesterday +%F)T${time}:00Z`);
  expect(on.workflow_dispatch.inputs.base.description).toContain(`${time} UTC`);
});

function documentOf(file: string) {
  const document = documents.get(file);
  if (document === undefined) throw new Error(`no ${file}`);
  return document;
}

function pairsOf(node: unknown): Pair[] {
  return isMap(node) ? node.items : [];
}

function keyOf(pair: Pair): string {
  return String((pair.key as Scalar).value);
}

/** The `uses` of a file's jobs and steps, with the comments after them. */
function usesOf(file: string) {
  const document = documentOf(file);
  const text = readFileSync(join(packageRoot, file), 'utf8');
  const found: Pair[] = [];
  for (const { value: job } of pairsOf(document.get('jobs'))) {
    const steps = isMap(job) ? job.get('steps') : undefined;
    for (const holder of [job, ...(isSeq(steps) ? steps.items : [])]) {
      found.push(...pairsOf(holder).filter((pair) => keyOf(pair) === 'uses'));
    }
  }
  return found.map((pair) => {
    const node = pair.value as Scalar<string>;
    const [name = '', revision = ''] = node.value.split('@');
    const line = text.slice(0, node.range?.[0] ?? 0).split('\n').length;
    // A subfolder's action is pinned by the commit of its repository.
    const repository = name.split('/').slice(0, 2).join('/');
    return { file, line, uses: node.value, name, repository, revision, comment: (node.comment ?? '').trim() };
  });
}

test('self-hosted.yml names the runners of examples/arc/values.yaml, which get /dev/kvm and no access to the cluster', () => {
  const { jobs } = documentOf('examples/workflows/self-hosted.yml').toJS();
  const values = parseDocument(readFileSync(join(packageRoot, 'examples/arc/values.yaml'), 'utf8'));
  expect(values.errors).toEqual([]);
  const { runnerScaleSetName, template } = values.toJS();
  expect(runnerScaleSetName).toBe(jobs.bpfgate.with.runner);
  expect(template.spec.automountServiceAccountToken).toBe(false);
  const [runner, ...others] = template.spec.containers;
  expect(others).toEqual([]);
  expect(runner).toMatchObject({ name: 'runner', securityContext: { privileged: false } });
  expect(runner.resources.limits).toHaveProperty(['devices.kubevirt.io/kvm']);
  expect(template.spec.volumes).toBeUndefined();
});

describe('a job that calls a workflow of bpfgate grants the permissions of its jobs, and no more', () => {
  const calls = jobs.flatMap(({ file, id, job }) => {
    const called = /^OWNER\/bpfgate\/(\.github\/workflows\/[\w-]+\.yml)@/.exec(String(job.get('uses') ?? ''))?.[1];
    return called === undefined ? [] : { file, id, job, called };
  });

  test('exists', () => expect(calls.length).toBeGreaterThanOrEqual(5));

  // GitHub does not even start a run whose caller grants less.
  test.each(calls)('$file, $id', ({ job, called }) => {
    const asked = Object.values(documentOf(called).toJS().jobs as Record<string, { permissions: object }>);
    expect(job.toJSON().permissions).toEqual(Object.assign({}, ...asked.map(({ permissions }) => permissions)));
  });
});
