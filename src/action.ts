// Action: the step of a workflow. Reads its inputs into one literal, runs the gate, and shows the result as annotations,
// job summary and outputs.

import { join, resolve } from 'node:path';
import * as core from '@actions/core';
import { findEventBase, findMerged, readOrigin } from './adapters/event-base.ts';
import { readInputs } from './adapters/read-inputs.ts';
import {
  beginStep,
  given,
  makeOutputFolder,
  oneOf,
  readEvent,
  requireCheckout,
  runnerFolder,
  runnerLog,
  show,
} from './adapters/runner.ts';
import { readSchedule } from './adapters/schedule.ts';
import { openActionsCache, whySavesNothing } from './cache/actions-cache.ts';
import { openCache } from './cache/cache.ts';
import { GateError, InputError } from './common/errors.ts';
import { describeRelativeFolders } from './common/host-environment.ts';
import { installForGate } from './gate/prepare.ts';
import { runGate } from './gate.ts';
import { describeDetected } from './inputs/detected.ts';
import { describeExposure, whyStranger } from './inputs/event-base.ts';
import { parsePackageNames } from './inputs/package-names.ts';
import { parseSeconds } from './inputs/seconds.ts';
import { chooseKernels } from './kernels/cached.ts';
import { findOwnKernels } from './kernels/own/find.ts';
import { readPins } from './kernels/pins.ts';
import { describeLeftOut } from './kernels/select.ts';
import { sandboxPolicies } from './model/inputs.ts';
import { findMissingPackages, installPackages } from './prerequisites/apt.ts';
import { requireX64 } from './prerequisites/prerequisites.ts';
import { readShowInputs, showError, showResults } from './publish/show-results.ts';
import { requireArtifactName, tryUpload, uploadFailure } from './publish/upload-artifact.ts';
import { publishFailure, publishRun } from './publish/write-outputs.ts';
import type { Accept } from './report/accept.ts';
import { renderSchedule } from './report/render-schedule.ts';
import { acceptPolicies, acceptsOf, codeUrlOf } from './workflow/workflow-run.ts';

const signal = beginStep();
/** Jobs of a matrix differ in more than the project. */
const scope = ['project', 'config', 'kernels', 'lanes', 'shard'].map((name) => core.getInput(name));
try {
  await runAction();
} catch (error) {
  await showError(error, { scope, signal });
}

async function runAction(): Promise<void> {
  const inputTexts = {
    project: given('project'),
    config: given('config'),
    kernels: given('kernels'),
    lanes: given('lanes'),
    shard: given('shard'),
    base: given('base'),
    sandbox: oneOf('sandbox', sandboxPolicies),
    allowProjectRegistries: oneOf('allow-project-registries', ['true', 'false']) === 'true',
    out: runnerFolder(),
  };
  const event = await readEvent();
  const timeout = given('timeout');
  const limits = timeout === undefined ? {} : { kernelTimeoutMs: parseSeconds(timeout, 'input timeout') * 1000 };
  const packages = parsePackageNames(given('packages') ?? '', 'input packages');
  const acceptPolicy = oneOf('accept-costs', acceptPolicies);
  const shown = readShowInputs();
  const isCached = oneOf('cache', ['true', 'false']) === 'true';
  const artifactName = given('artifact-name');
  if (artifactName !== undefined) requireArtifactName(artifactName, 'artifact-name');
  await requireCheckout();
  const configured = await readInputs(inputTexts, (option) => `input ${option}`);
  const origin = await readOrigin(configured.project, event);
  const stranger = whyStranger(origin);
  if (inputTexts.allowProjectRegistries && stranger !== null) {
    throw new InputError(`input allow-project-registries: \`true\` is refused: ${stranger}`, {
      hint: "a stranger would choose which servers get this job's logins: give the input only where this repository's own commits are built, as docs/building.md shows",
    });
  }
  // Selectors are checked before anything is installed.
  const local = openCache();
  const own = await findOwnKernels(configured.kernels, configured.config.namedKernels);
  const kernels = chooseKernels(configured.kernels, local, own).map(({ id }) => id);
  const leftOut = describeLeftOut(configured.kernels, readPins(), 'input kernels:');
  if (leftOut !== undefined) show(leftOut);
  if (configured.detected !== undefined) show(describeDetected(configured.detected));
  const savesNothing = whySavesNothing(origin);
  const inputs = {
    ...configured,
    merged: savesNothing === null ? [origin.sha ?? ''] : await findMerged(configured.project, event),
    out: await makeOutputFolder('bpfgate-out'),
    ...(inputTexts.base === undefined ? await findEventBase(configured.project, event) : {}),
  };

  const exposure = describeExposure(event, process.env.GITHUB_EVENT_NAME ?? '');
  if (exposure !== undefined) runnerLog.warn(exposure);

  const isRecord = savesNothing === null;
  const baseBranch = process.env.GITHUB_BASE_REF ?? '';
  const options = { cache: local, log: runnerLog, signal, savesNothing, baseBranch };
  const remote = isCached ? await openActionsCache(options) : undefined;
  const context = { cache: { ...local, remote }, log: runnerLog, signal };
  try {
    const leftOutOfPath = describeRelativeFolders(process.env.PATH);
    if (leftOutOfPath !== undefined) runnerLog.warn(leftOutOfPath);
    const { tools, all, stop } = await core.group('bpfgate: tools', async () => {
      const environment = process.env;
      requireX64();
      const absent = await findMissingPackages(packages, environment);
      if (absent.length > 0) await installPackages(absent, { ...context, env: environment });
      return await installForGate(inputs, { ...context, environment });
    });
    // Nightly runs count all that is cached again.
    const auditShare = process.env.GITHUB_EVENT_NAME === 'schedule' ? 1 : undefined;
    const guests = { ...context, environment: tools.env, identities: tools.identities, auditShare };
    const accept = (ofCommits: readonly Accept[]) => acceptsOf(origin, acceptPolicy, ofCommits);
    const options = { ...limits, guestTools: all, acceptsOf: accept };
    const run = await core.group('bpfgate: measure', () => runGate(inputs, guests, options)).finally(stop);
    // A cancelled job's partial results are never read.
    signal.throwIfAborted();
    await publishRun(run, inputs.out, {
      ofWorkflow: true,
      codeUrl: codeUrlOf(run.results.revisions.head.commit, event, process.env),
    });
    await core.group('bpfgate: timing', async () => show(renderSchedule(readSchedule(), 100)));

    core.setOutput('results', resolve(inputs.out, 'results.json'));
    core.setOutput('report', resolve(inputs.out, 'report.md'));
    // First, because the results link it.
    const { artifact, problem } = await tryUpload(artifactName, inputs.out);
    await showResults(run.results, shown, { profilesIn: () => inputs.out, scope, signal, artifact });
    // A joining job would take this one for lost, so it fails; but its findings have been shown. A job that has failed
    // already has no room for another error next to its annotations.
    if (problem !== null && process.exitCode === undefined) core.setFailed(problem);
    else if (problem !== null) runnerLog.warn(problem);
  } catch (error) {
    if (error instanceof GateError && !signal.aborted) {
      const warn = (cause: Error) => runnerLog.warn(cause.message);
      await publishFailure(error, kernels, inputs.out).catch(warn);
      const kept = artifactName === undefined ? ', until the job ends: input artifact-name keeps it' : '';
      for (const name of Object.keys(error.logs))
        show(`the whole output is in ${join(inputs.out, 'logs', name)}${kept}`);
      if (artifactName !== undefined) await uploadFailure(artifactName, error, kernels).catch(warn);
    }
    throw error;
  } finally {
    // A failed run saves too: what it has fetched and built is good.
    if (remote !== undefined && !signal.aborted) {
      // A run that saves nothing says so in one line, which a group would hide.
      await (isRecord ? core.group('bpfgate: cache', () => remote.save()) : remote.save());
    }
  }
}
