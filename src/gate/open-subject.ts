// Gate: opens what is measured, and has it built: two revisions of a project, or objects as they are.

import { GitSession, openRepository } from '../adapters/git.ts';
import type { BuildRequest } from '../build/build-revisions.ts';
import { takeObjects } from '../build/take-objects.ts';
import { registryVariables } from '../common/host-environment.ts';
import type { Build } from '../model/build.ts';
import type { GivenObjects, Inputs } from '../model/inputs.ts';
import type { Plan } from '../plan/plan.ts';
import type { ToolEnvironment } from '../prerequisites/prerequisites.ts';
import { type Accept, acceptKey } from '../report/accept.ts';
import type { GuestContext } from '../vm/guest.ts';
import { type Builder, makeBuilder } from './builder.ts';
import type { Trees } from './make-results.ts';

type Context = GuestContext & Pick<BuildRequest, 'onUse' | 'keptBuilds'>;

/** What is measured: two revisions of a project, or objects. */
export interface Subject {
  readonly trees: Trees;
  /** Path of the project below its repository's root; empty at the root. */
  readonly projectPath: string;
  /** Lines in commit messages that accept costs. */
  readonly accepts: readonly Accept[];
  readonly build: Builder;
  /** Whether a commit is another one or an ancestor of it. */
  readonly isAncestor: (ancestor: string, commit: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** Builds both revisions here on the host; in guests the returned builder does, with a kernel. */
export async function openProject(
  plan: Plan,
  inputs: Inputs,
  context: Context,
  guestTools: Promise<ToolEnvironment> | undefined,
): Promise<Subject> {
  const repository = await openRepository(inputs.project);
  const git = await GitSession.open(repository);
  try {
    const trees = await findTrees(git, inputs);
    const build = await makeBuilder(
      {
        ...context,
        ...trees,
        git,
        config: inputs.config,
        cargoCommands: plan.cargoCommands,
        // Not from the tools' environment, which is a copy: a step's secrets do not enumerate.
        registries: inputs.allowProjectRegistries ? registryVariables(process.env) : undefined,
      },
      inputs.sandbox,
      guestTools,
    );
    const accepts = await readAccepts(git, trees);
    return {
      trees,
      projectPath: repository.projectPath,
      accepts,
      build,
      isAncestor: (ancestor, commit) => git.isAncestor(ancestor, commit),
      close: () => git.close(),
    };
  } catch (error) {
    await git.close();
    throw error;
  }
}

export async function openObjects(objects: GivenObjects, context: Context): Promise<Subject> {
  const builds = await takeObjects({ ...context, objects });
  const trees = { base: treeOf(builds.base), head: treeOf(builds.head) };
  const isAncestor = async () => false;
  return { trees, projectPath: '', accepts: [], build: async () => builds, isAncestor, close: async () => {} };
}

function treeOf({ tree, ref, commit }: Build): Trees['base'] {
  return { id: tree, ref, commit };
}

async function readAccepts(git: GitSession, { base, head }: Trees): Promise<Accept[]> {
  if (base.commit === null) return [];
  const trailers = await git.trailers(base.commit, head.commit, acceptKey);
  return trailers.map(({ commit, value }) => ({ text: value, by: `commit ${commit.slice(0, 10)}` }));
}

async function findTrees(git: GitSession, inputs: Inputs) {
  const head = inputs.head === undefined ? await git.workingTree(inputs.out) : await git.commitTree(inputs.head);
  const base =
    inputs.base === undefined ? await git.defaultBase(head, inputs.baseBranch) : await git.commitTree(inputs.base);
  return { base, head };
}
