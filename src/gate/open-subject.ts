// Gate: opens what is measured, and has it built: two revisions of a project, or objects as they are.

import { isDeepStrictEqual } from 'node:util';
import { GitSession, openRepository } from '../adapters/git.ts';
import type { BuildRequest } from '../build/build-revisions.ts';
import { takeObjects } from '../build/take-objects.ts';
import { BaseBuildError, InputError } from '../common/errors.ts';
import { registryVariables } from '../common/host-environment.ts';
import type { Build } from '../model/build.ts';
import type { Config, GivenObjects, Inputs } from '../model/inputs.ts';
import { addBase } from '../plan/make-plan.ts';
import type { Plan } from '../plan/plan.ts';
import { type Accept, acceptKey, findAccepts, ofBot } from '../report/accept.ts';
import type { GuestContext } from '../vm/guest.ts';
import { type Builder, makeBuilder } from './builder.ts';
import type { Measured, Trees } from './make-results.ts';
import { type BaseInputs, readBaseInputs, withoutBuild } from './own-inputs.ts';

type Context = GuestContext & Pick<BuildRequest, 'onUse' | 'keptBuilds'>;

/** What is measured: two revisions of a project, or objects. */
export interface Subject extends Measured {
  /** Lines in commit messages that accept costs. */
  readonly accepts: readonly Accept[];
  readonly build: Builder;
  readonly close: () => Promise<void>;
}

/**
 * Builds both revisions here on the host; in guests the returned builder does, with a kernel.
 *
 * @param isConfigShared whether base is built and measured by head's configuration
 */
export async function openProject(
  planned: Plan,
  inputs: Inputs,
  context: Context,
  isConfigShared: boolean,
): Promise<Subject> {
  const repository = await openRepository(inputs.project);
  const git = await GitSession.open(repository, context);
  try {
    const trees = await findTrees(git, inputs);
    const buildBy = async (base: BaseInputs | undefined) => {
      const plan = base === undefined ? planned : addBase(planned, base, inputs);
      const build = await makeBuilder(
        {
          ...context,
          ...trees,
          git,
          config: inputs.config,
          baseConfig: base?.config ?? inputs.config,
          merged: inputs.merged ?? (context.environment.GITHUB_ACTIONS === undefined ? await git.defaultTips() : []),
          cargoCommands: plan.cargoCommands,
          // Not from the tools' environment, which is a copy: a step's secrets do not enumerate.
          registries: inputs.allowProjectRegistries ? registryVariables(process.env) : undefined,
        },
        inputs.sandbox,
      );
      return { plan, build, baseConfig: base?.config ?? inputs.config, configChanges: base?.changes ?? [] };
    };
    const base = isConfigShared ? undefined : await readBaseInputs(git, trees, inputs);
    const built = await buildBy(base).catch((error: unknown) => {
      // A pull request may be there to correct how its project is built, or to add the first bpfgate.toml.
      const isOwn = base !== undefined && !isDeepStrictEqual(base.config.build, inputs.config.build);
      if (!isOwn || !(error instanceof BaseBuildError)) throw error;
      return buildBy(withoutBuild(base, error));
    });
    const accepts = await readAccepts(git, trees);
    return {
      ...built,
      trees,
      projectPath: repository.projectPath,
      accepts,
      close: () => git.close(),
    };
  } catch (error) {
    await git.close();
    throw error;
  }
}

export async function openObjects(
  plan: Plan,
  objects: GivenObjects,
  baseConfig: Config,
  context: Context,
): Promise<Subject> {
  const builds = await takeObjects({ ...context, objects });
  const trees = { base: treeOf(builds.base), head: treeOf(builds.head) };
  const build = async () => builds;
  const project = { baseConfig, configChanges: [], projectPath: '', accepts: [] };
  return { trees, plan, ...project, build, close: async () => {} };
}

function treeOf({ tree, ref, commit }: Build): Trees['base'] {
  return { id: tree, ref, commit };
}

async function readAccepts(git: GitSession, { base, head }: Trees): Promise<Accept[]> {
  if (base.commit === null) return [];
  const messages = await git.messagesWith(base.commit, head.commit, acceptKey);
  return messages.flatMap(({ commit, author, message }) => {
    const found = findAccepts(message, 'commit', `commit ${commit.slice(0, 10)}`);
    return author.endsWith('[bot]') ? found.map((each) => ({ ...each, ignored: ofBot })) : found;
  });
}

async function findTrees(git: GitSession, inputs: Inputs) {
  const head = inputs.head === undefined ? await git.workingTree(inputs.out) : await git.commitTree(inputs.head);
  const base =
    inputs.base === undefined ? await git.defaultBase(head, inputs.eventBase) : await git.commitTree(inputs.base);
  // Who names both may want to compare a commit with itself.
  if (inputs.head === undefined && base.commit !== null && base.commit === head.commit) {
    throw new InputError(
      `nothing to compare: base and head are both ${base.commit.slice(0, 7)}, and the working tree has no change`,
      { hint: 'give another commit as --base (input base), or leave it out' },
    );
  }
  return { base, head };
}
