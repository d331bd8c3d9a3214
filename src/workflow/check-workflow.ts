// Workflow: finds what a hosted runner will be missing for a workflow and a project, before anything is pushed. Pure.

import { InputError } from '../common/errors.ts';
import { distinctBy } from '../common/group-by.ts';
import { listNames } from '../common/list-names.ts';
import { normalizeRelative } from '../common/paths.ts';
import { compareVersions } from '../common/versions.ts';
import { parseConfig } from '../inputs/config.ts';
import { parseLanes } from '../inputs/lanes.ts';
import { suggest } from '../inputs/nearest-name.ts';
import { parsePackageNames } from '../inputs/package-names.ts';
import { parseSeconds } from '../inputs/seconds.ts';
import { parseShard, parseShards } from '../inputs/shard.ts';
import type { Config } from '../model/inputs.ts';
import { compileMinutes, type KernelPin } from '../model/kernel.ts';
import { type Call, type CallableFile, checkoutOf, findCalls, measures, resolve, valuesOf } from './find-calls.ts';
import { absentFromImage, hostedRunner, type Need, otherHostedLabel } from './hosted-runner.ts';
import type { Callable, Step, Value, Workflow } from './parse-workflow.ts';
import { commentModes, failOnValues } from './workflow-run.ts';

/** Something that would make the run fail, slow or unsafe. */
export interface Finding {
  /** Line of the workflow file. */
  readonly line: number;
  readonly what: string;
  readonly why: string;
  /** What to do. */
  readonly next: string;
}

/** Something that cannot be known here, or costs time. */
export interface Note {
  readonly line: number;
  readonly text: string;
}

export interface Diagnosis {
  readonly findings: readonly Finding[];
  readonly notes: readonly Note[];
  /** Packages of the distribution that projects are built with, and no step or input installs. */
  readonly packages: readonly string[];
}

/** Names of the files that say what a build needs. */
export const projectFiles = [
  'Cargo.toml',
  'go.mod',
  'Makefile',
  'GNUmakefile',
  'makefile',
  'CMakeLists.txt',
  'meson.build',
] as const;

/** A project's folder as it is on this machine. */
export interface Project {
  /**
   * Texts of the configuration and of the build's files, by path from the project's folder. The latter have the names
   * of `projectFiles`.
   */
  readonly files: ReadonlyMap<string, string>;
  /** Why an existing file cannot be read, by the same path. */
  readonly problems: ReadonlyMap<string, string>;
}

export interface Surroundings {
  readonly callables: ReadonlyMap<CallableFile, Callable>;
  /** Projects by their folders in the repository, as `namedProjects` gives them. */
  readonly projects: ReadonlyMap<string, Project>;
  /** Text of the repository's .gitmodules; null where there is none. */
  readonly submodules: string | null;
  /** @throws InputError when a selector names no pinned kernel */
  readonly selectKernels: (selectors: readonly string[]) => readonly KernelPin[];
}

/** Default time limit of the step for one kernel, in seconds. */
const kernelSeconds = 1800;
const booleans = ['true', 'false'];
const allowedValues: Readonly<Record<string, readonly string[]>> = {
  'fail-on': failOnValues,
  comment: commentModes,
  annotations: booleans,
  'check-run': booleans,
  cache: booleans,
};

/** The folders and configurations that a workflow names for its projects, each once. */
export function namedProjects(
  workflow: Workflow,
  callables: Surroundings['callables'],
): readonly { readonly project: string; readonly config: string }[] {
  const named = findCalls(workflow, callables).calls.flatMap((call) => {
    if (!measures(call)) return [];
    const configs = valuesOf(call, 'config') ?? [];
    return (valuesOf(call, 'project') ?? []).map(({ text }) => ({
      project: folderInRepository(call, text),
      config: configs[0]?.text ?? 'bpfgate.toml',
    }));
  });
  return distinctBy(named, ({ project, config }) => JSON.stringify([project, config]));
}

/** The folder that an input `project` names, from the root of the repository; empty for the root itself. */
function folderInRepository(call: Call, project: string): string {
  const path = normalizeRelative(checkoutOf(call)?.with.get('path')?.text ?? '');
  const folder = normalizeRelative(project);
  return path !== '' && `${folder}/`.startsWith(`${path}/`) ? folder.slice(path.length + 1) : folder;
}

/** @throws InputError when the workflow does not use bpfgate */
export function checkWorkflow(workflow: Workflow, surroundings: Surroundings): Diagnosis {
  const { calls, unknown } = findCalls(workflow, surroundings.callables);
  if (calls.length === 0 && unknown.length === 0) {
    throw new InputError(`${workflow.file} has no step or job that uses bpfgate`, {
      hint: 'examples/workflows of bpfgate has complete workflows',
    });
  }
  const checker = new Checker(workflow, surroundings);
  for (const { uses, path } of unknown) checker.unknownAction(uses, path);
  for (const call of calls) checker.call(call);
  return checker.diagnosis();
}

class Checker {
  readonly #workflow: Workflow;
  readonly #surroundings: Surroundings;
  readonly #findings = new Map<string, Finding>();
  readonly #notes = new Map<string, Note>();
  readonly #packages = new Set<string>();

  constructor(workflow: Workflow, surroundings: Surroundings) {
    this.#workflow = workflow;
    this.#surroundings = surroundings;
  }

  /** Findings and notes, each once, sorted by line. */
  diagnosis(): Diagnosis {
    const inOrder = <T extends { readonly line: number }>(found: ReadonlyMap<string, T>) =>
      [...found.values()].sort((one, other) => one.line - other.line);
    return { findings: inOrder(this.#findings), notes: inOrder(this.#notes), packages: [...this.#packages] };
  }

  #find(line: number, what: string, why: string, next: string): void {
    this.#findings.set(`${line} ${what}`, { line, what, why, next });
  }

  #note(line: number, text: string): void {
    this.#notes.set(`${line} ${text}`, { line, text });
  }

  unknownAction(uses: Value, path: string): void {
    const known =
      '`report`, `plan`, `record`, `publish`, `.github/workflows/gate.yml`, `.github/workflows/publish.yml`';
    this.#find(uses.line, `bpfgate has no \`${path}\``, 'the run ends when it is looked up', `use one of ${known}`);
  }

  call(call: Call): void {
    this.#checkPlaceholders(call);
    this.#checkInputs(call);
    this.#checkOutputs(call);
    this.#checkPermissions(call);
    if (call.file === 'plan/action.yml') this.#checkCheckout(call);
    if (!measures(call)) return;
    this.#checkTriggers(call);
    this.#checkRunner(call);
    if (call.step === null) this.#checkOwnCheckout(call);
    else this.#checkHistory(call, this.#checkCheckout(call));
    const kernels = this.#checkProject(call);
    this.#checkTime(call, kernels);
  }

  /** Finds what the examples leave to fill in. */
  #checkPlaceholders({ uses }: Call): void {
    if (!/^OWNER\/|@(?:0{40}|COMMIT)$/.test(uses.text)) return;
    const what = `\`uses: ${uses.text}\` is a placeholder`;
    const why = 'GitHub finds no action or workflow there, and starts nothing';
    this.#find(uses.line, what, why, 'fill in the owner and the commit of bpfgate');
  }

  #checkInputs(call: Call): void {
    const { callable } = call;
    for (const [name, value] of call.inputs) {
      const input = callable.inputs.get(name);
      if (input === undefined) {
        const known = [...callable.inputs.keys()];
        const near = suggest(name, known);
        const why = call.step === null ? 'GitHub does not start the run' : 'it is ignored';
        this.#find(value.line, `unknown input \`${name}\`${near}`, why, `inputs are ${known.join(', ')}`);
        continue;
      }
      const values = resolve(value, call.job);
      for (const each of values ?? []) this.#checkValue(name, each, input.type);
    }
    for (const [name, { required, default: text }] of callable.inputs) {
      if (!required || text !== null || call.inputs.has(name)) continue;
      this.#find(call.uses.line, `no input \`${name}\``, 'it is required', `add it to \`with\``);
    }
  }

  #checkValue(name: string, value: Value, type: string): void {
    const { line, text, written } = value;
    if (written !== undefined) {
      const what = `\`${written}\` without quotes is the number ${text}`;
      this.#find(line, what, 'GitHub reads it so', `write "${written}"`);
      return;
    }
    if (text === '') return;
    const refuse = (why: string, next: string) => this.#find(line, `input ${name}: \`${text}\``, why, next);
    const allowed = type === 'boolean' ? booleans : allowedValues[name];
    if (allowed !== undefined) {
      if (!allowed.includes(text)) refuse('it is not allowed', `use one of ${allowed.join(', ')}`);
      return;
    }
    if (type === 'number' && !/^\d+$/.test(text)) {
      refuse('it is not a number', 'give a number');
      return;
    }
    const parse = {
      lanes: () => parseLanes(text, 'input lanes'),
      shard: () => parseShard(text, 'input shard'),
      shards: () => parseShards(text, 'input shards'),
      timeout: () => parseSeconds(text, 'input timeout'),
      packages: () => parsePackageNames(text, 'input packages'),
      kernels: () => this.#surroundings.selectKernels([text]),
    }[name];
    this.#try(line, () => parse?.());
  }

  /** Returns the result of `work`. An InputError becomes a finding, unless another check reports it. */
  #try<T>(line: number, work: () => T, isFinding = true): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      if (isFinding) this.#find(line, error.message, 'the step refuses it', error.hint ?? 'correct it');
      return undefined;
    }
  }

  /** Finds reads of outputs that the call does not have. */
  #checkOutputs(call: Call): void {
    const { outputs } = call.callable;
    const { step, job } = call;
    const reads =
      step === null
        ? this.#workflow.jobs.flatMap(({ texts }) => outputsRead(texts, 'needs', job.id))
        : outputsRead(job.texts, 'steps', step.id);
    for (const { line, name } of reads) {
      if (outputs.has(name)) continue;
      const known = outputs.size === 0 ? 'it has none' : `outputs are ${[...outputs].join(', ')}`;
      this.#find(line, `unknown output \`${name}\`${suggest(name, [...outputs])}`, 'it is empty', known);
    }
  }

  #checkPermissions(call: Call): void {
    const wanted = this.#wantedPermissions(call);
    const permissions = call.job.permissions ?? this.#workflow.permissions;
    const line = (call.job.permissions ?? call.job).line;
    const missing = [...wanted].filter(([scope, { level }]) => {
      if (permissions === null) return scope !== 'contents' || level === 'write';
      const granted = permissions.all ?? permissions.scopes.get(scope)?.text ?? 'none';
      return !granted.startsWith('write') && !(level === 'read' && granted.startsWith('read'));
    });
    for (const [scope, { level, why }] of missing) {
      const what =
        permissions === null
          ? `no \`permissions\`, and \`${scope}: ${level}\` is needed`
          : `the permission \`${scope}: ${level}\` is missing`;
      const default_ = permissions === null ? '; without `permissions` a setting of the repository decides' : '';
      const next = `add \`${scope}: ${level}\` to the \`permissions\` of job \`${call.job.id}\``;
      this.#find(line, what, `${why}${default_}`, next);
    }
  }

  #wantedPermissions(call: Call): Map<string, { level: string; why: string }> {
    const wanted = new Map<string, { level: string; why: string }>();
    const want = (scope: string, level: string, why: string) => wanted.set(scope, { level, why });
    for (const [scope, level] of call.callable.permissions) {
      want(scope, level, 'GitHub does not start a reusable workflow that asks for more than its caller has');
    }
    if (call.step === null) return wanted;
    const isOneOf = (name: string, values: readonly string[]) =>
      valuesOf(call, name)?.some(({ text }) => values.includes(text)) === true;
    const hasComments = this.#runsOn(['pull_request', 'workflow_run', 'pull_request_target']);
    const comments = hasComments && isOneOf('comment', ['always', 'on-change']);
    if (comments) want('pull-requests', 'write', 'the comment needs it');
    const adds = isOneOf('check-run', ['true']);
    if (adds) want('checks', 'write', 'the check run needs it');
    if (call.file === 'action.yml') {
      want('contents', 'read', 'actions/checkout needs it in a private repository');
      if ((comments || adds) && !call.inputs.get('github-token')?.text) {
        const what = `\`${comments ? 'comment' : 'check-run'}\` without \`github-token\``;
        const why = 'this step has no token by default, because it runs the code of the project';
        const next = 'comment from a job with the step `report`, as examples/workflows/matrix.yml does';
        this.#find(call.uses.line, what, why, next);
      }
    } else if (call.file === 'record/action.yml') {
      want('contents', 'write', 'the step pushes to the history branch');
    } else if (call.inputs.has('history-branch')) {
      want('contents', 'read', 'the step reads the history branch');
    }
    if (call.file !== 'action.yml' && call.file !== 'plan/action.yml' && call.inputs.has('artifact-name')) {
      want('actions', 'read', 'the step downloads artifacts');
    }
    return wanted;
  }

  #runsOn(events: readonly string[]): boolean {
    return events.some((name) => this.#workflow.triggers.has(name));
  }

  #checkTriggers(call: Call): void {
    const { triggers } = this.#workflow;
    const target = triggers.get('pull_request_target');
    if (target !== undefined) {
      const why =
        'its runs have the secrets and a token that can write, and this workflow runs the code of the pull request';
      const next = 'use `pull_request`; examples/workflows/forks.yml comments on pull requests from forks';
      this.#find(target, 'the workflow runs on `pull_request_target`', why, next);
    }
    const line = triggers.get('pull_request');
    const fills = this.#runsOn(['push', 'schedule', 'workflow_dispatch', 'workflow_call']);
    if (line === undefined || fills || call.inputs.get('cache')?.text === 'false') return;
    const why = 'pull requests only read the cache, so every run would fetch and compile everything again';
    this.#find(line, 'no run on the base branch fills the cache', why, 'add `push: { branches: [main] }` to `on`');
  }

  #checkRunner(call: Call): void {
    const runners = runnersOf(call);
    if (call.job.container !== null) this.#note(call.job.container.line, 'what the container has cannot be known here');
    if (runners === null) this.#note(call.job.line, 'the runner is known in a run only');
    for (const { line, text } of runners?.filter((each) => !isHosted(each)) ?? []) {
      const next = `use ${hostedRunner.labels[0]}`;
      if (/-arm$/.test(text)) {
        this.#find(line, `${text} is an Arm machine`, 'bpfgate measures on x86-64 only', next);
      } else if (otherHostedLabel.test(text)) {
        this.#find(line, `the runner is ${text}`, `bpfgate installs what it needs on ${hostedRunner.labels[0]}`, next);
      } else {
        this.#note(line, `what the runner \`${text}\` has cannot be known here: run \`bpfgate doctor\` on it`);
      }
    }
  }

  /** @returns the step that checks the project out */
  #checkCheckout(call: Call): Step | undefined {
    const checkout = checkoutOf(call);
    if (checkout === undefined) {
      const why = 'the project is not on the runner';
      this.#find(call.uses.line, 'no step before checks the repository out', why, 'add a step with actions/checkout');
    }
    return checkout;
  }

  /** Checks what the reusable workflow checks out. With a base it fetches the whole history. */
  #checkOwnCheckout(call: Call): void {
    const [depth, submodules] = ['fetch-depth', 'submodules'].map((name) => valuesOf(call, name)?.[0]);
    if (depth?.text === '1' && !call.inputs.get('base')?.text) this.#findShallow(depth.line, 'remove `fetch-depth`');
    if (submodules?.text === 'false') this.#findSubmodules(submodules.line, 'remove `submodules`');
  }

  #findShallow(line: number, next: string, isDefault = false): void {
    const why = `\`fetch-depth\` is 1${isDefault ? ' by default' : ''}, and the commit to compare with is another one`;
    this.#find(line, 'the base is not in the checkout', why, next);
  }

  #findSubmodules(line: number, next: string): void {
    if (this.#surroundings.submodules === null) return;
    this.#find(line, 'the submodules of the project are not checked out', 'the project has .gitmodules', next);
  }

  #checkHistory(call: Call, checkout: Step | undefined): void {
    if (checkout === undefined) return;
    const line = checkout.uses?.line ?? checkout.line;
    const value = (name: string) => checkout.with.get(name);
    const depth = value('fetch-depth');
    const isKnown = depth === undefined || /^\d+$/.test(depth.text);
    const commits = Number(depth?.text || '1');
    const at = depth?.line ?? line;
    const base = call.inputs.get('base');
    const ref = value('ref');
    if (isKnown && commits === 1) {
      this.#findShallow(at, 'set `fetch-depth: 2` for actions/checkout', depth === undefined);
    } else if (isKnown && commits > 1 && base !== undefined && base.text !== '') {
      const why = `\`base\` may be any number of commits back, and the checkout has ${commits}`;
      this.#find(at, 'the base may not be in the checkout', why, 'set `fetch-depth: 0` for actions/checkout');
    } else if (isKnown && commits > 1 && ref !== undefined && /head/i.test(ref.text)) {
      const why = 'the head of a pull request is compared with its merge-base, which may be any number of commits back';
      this.#find(ref.line, 'the base may not be in the checkout', why, 'remove `ref`, or set `fetch-depth: 0`');
    }
    if ((value('submodules')?.text ?? 'false') === 'false') {
      this.#findSubmodules(line, 'set `submodules: recursive` for actions/checkout');
    }
    const persists = value('persist-credentials');
    if (persists?.text !== 'false') {
      const what = 'the checkout keeps the token';
      const why = 'the build runs the code of the pull request, which could read it';
      this.#find(persists?.line ?? line, what, why, 'set `persist-credentials: false` for actions/checkout');
    }
    const path = value('path')?.text;
    const project = call.inputs.get('project')?.text ?? '.';
    if (path !== undefined && !`${normalizeRelative(project)}/`.startsWith(`${normalizeRelative(path)}/`)) {
      const what = `the project is looked for in \`${project}\``;
      this.#find(call.uses.line, what, `the checkout is in \`${path}\``, `set \`project: ${path}\``);
    }
  }

  /** @returns the kernels that each job of the call measures on; null where only a run knows */
  #checkProject(call: Call): readonly (readonly KernelPin[])[] | null {
    const projects = valuesOf(call, 'project');
    const file = valuesOf(call, 'config')?.[0]?.text ?? 'bpfgate.toml';
    const selectors = valuesOf(call, 'kernels');
    if (projects === null || selectors === null) return null;
    return projects.flatMap(({ text, line }) => {
      const path = folderInRepository(call, text);
      const project = this.#surroundings.projects.get(path);
      const config = this.#readConfig(project, { path, file, line: call.inputs.get('project')?.line ?? line });
      if (project === undefined || config === undefined) return [];
      this.#checkNeeds(call, path, project, config);
      const lists = selectors.length === 0 ? [config.kernels] : selectors.map(({ text }) => [text]);
      // Kernels that the workflow itself names are checked with its inputs.
      const select = (list: readonly string[]) => () => this.#surroundings.selectKernels(list);
      return lists.map((list) => this.#try(line, select(list), selectors.length === 0) ?? []);
    });
  }

  #readConfig(
    project: Project | undefined,
    { path, file, line }: { path: string; file: string; line: number },
  ): Config | undefined {
    const text = project?.files.get(file);
    if (text !== undefined)
      return this.#try(line, () => parseConfig(text, [path, file].filter((part) => part !== '').join('/')));
    const problem = project?.problems.get(file);
    if (problem === undefined) {
      const next = 'set the input `project` to the folder that has it, or write one; README.md of bpfgate shows how';
      this.#find(line, `no ${file} in \`${path || '.'}\``, 'it says what to build and to measure', next);
    } else {
      const what = `cannot read ${file} in \`${path || '.'}\``;
      this.#find(line, what, problem, 'make it a regular file of the repository');
    }
    return undefined;
  }

  /** Finds what the project's build needs and the runner's image does not have. */
  #checkNeeds(call: Call, path: string, { files }: Project, config: Config): void {
    if (runnersOf(call)?.every(isHosted) !== true || call.job.container !== null) return;
    const isBuildFile = (file: string) => projectFiles.some((name) => name === file.split('/').at(-1));
    const buildFiles = [...files].flatMap(([file, text]) => (isBuildFile(file) ? [text] : []));
    const texts = [config.build.command, ...config.benches.map(({ command }) => command), ...buildFiles].map(
      withoutComments,
    );
    const asksFor = (word: RegExp) => texts.some((text) => word.test(text));
    const given = valuesOf(call, 'packages')?.map(({ text }) => text) ?? [];
    const installed = [...call.before.map(({ run }) => run ?? ''), ...given].join('\n');
    const submodules = this.#surroundings.submodules ?? '';
    const where = path === '' ? 'the project' : `the project in \`${path}\``;
    const needs: Pick<Need, 'name' | 'packages'>[] = absentFromImage.filter(
      ({ word, vendored }) => asksFor(word) && vendored?.test(submodules) !== true,
    );
    const versions = new Set(
      texts.flatMap((text) => [...text.matchAll(/\bclang-(\d+)\b/g)].map(([, major = '']) => major)),
    );
    for (const major of versions) {
      const name = `clang-${major}`;
      if (!hostedRunner.clang.some((known) => known === major)) needs.push({ name, packages: [name] });
    }
    const missing = needs.filter(({ packages }) => !packages.some((each) => installed.includes(each)));
    for (const { packages } of missing) for (const each of packages) this.#packages.add(each);
    if (missing.length > 0) {
      const [are, them] = missing.length === 1 ? ['is', 'it'] : ['are', 'them'];
      const names = missing.map(({ name }) => name).join(', ');
      // One line to paste, which keeps what the input has.
      const already = given.length === 1 ? given.flatMap((text) => text.trim().split(/[\s,]+/)) : [];
      const packages = [...already, ...missing.flatMap(({ packages }) => packages)].join(' ');
      const next = `${already.length === 0 ? 'add' : 'change the'} input \`packages: ${packages}\``;
      this.#find(call.uses.line, `${names} ${are} missing on the runner`, `${where} is built with ${them}`, next);
    }
    const go = /^go (\d+\.\d+(?:\.\d+)?)/m.exec(files.get('go.mod') ?? '')?.[1];
    if (go !== undefined && compareVersions(go, hostedRunner.newestGo) > 0) {
      this.#note(call.uses.line, `Go ${go} is newer than any on the runner: Go fetches it in every run`);
    }
  }

  #checkTime(call: Call, kernels: readonly (readonly KernelPin[])[] | null): void {
    // A job of the reusable workflow has one kernel.
    const toCompile = (kernels ?? []).map((pins) =>
      pins.filter((pin) => pin.origin === 'source' && pin.asset === undefined),
    );
    const most = Math.max(0, ...toCompile.map((pins) => (call.step === null ? Math.min(1, pins.length) : pins.length)));
    const names = [...new Set(toCompile.flat().map(({ id }) => id))];
    if (names.length > 0) {
      const text = `kernels without a ready-made image are compiled the first time, about ${compileMinutes} minutes each on two cores: ${listNames(names)}`;
      this.#note(call.inputs.get('kernels')?.line ?? call.uses.line, text);
    }
    const limit = call.step === null ? valuesOf(call, 'timeout-minutes')?.[0] : (call.job.timeoutMinutes ?? undefined);
    const seconds = Number(valuesOf(call, 'timeout')?.[0]?.text ?? kernelSeconds);
    if (Number.isNaN(seconds)) return;
    const kernelMinutes = Math.ceil(seconds / 60);
    const needed = kernelMinutes + most * compileMinutes;
    if (limit === undefined || !/^\d+$/.test(limit.text) || Number(limit.text) >= needed) return;
    const compiles = most === 0 ? '' : `, and ${most} of them ${most === 1 ? 'has' : 'have'} to be compiled`;
    const why = `one kernel may take ${kernelMinutes} minutes${compiles}`;
    const next = `set \`timeout-minutes: ${Math.max(60, needed)}\``;
    this.#find(limit.line, `the job ends after ${limit.text} minutes`, why, next);
  }
}

function outputsRead(texts: readonly Value[], of: 'needs' | 'steps', id: string | null) {
  const reads = /\b(needs|steps)\.([\w-]+)\.outputs\.([\w-]+)/g;
  return texts.flatMap(({ line, text }) =>
    [...text.matchAll(reads)].flatMap(([, from, whose, name = '']) =>
      from === of && whose === id ? [{ line, name }] : [],
    ),
  );
}

/** Labels of the call's runner; null where only a run knows them. */
function runnersOf(call: Call): readonly Value[] | null {
  const { job } = call;
  if (call.step === null) return valuesOf(call, 'runner');
  const resolved = job.runsOn.map((value) => resolve(value, job));
  return resolved.includes(null) ? null : resolved.flatMap((values) => values ?? []);
}

function isHosted({ text }: Value): boolean {
  return hostedRunner.labels.some((label) => label === text);
}

function withoutComments(text: string): string {
  return text.replace(/^\s*(?:#|\/\/).*$/gm, '');
}
