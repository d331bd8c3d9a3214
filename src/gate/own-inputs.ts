// Gate: reads what each revision measures from its own tree, so that a pull request cannot change what base counts.

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitSession, openRepository, type Tree } from '../adapters/git.ts';
import { locateProjectKernels } from '../adapters/locate-kernels.ts';
import { type Detection, readRevision } from '../adapters/read-inputs.ts';
import { readCriterionUse } from '../build/read-criterion.ts';
import { clipMiddle } from '../common/clip-middle.ts';
import { type BuildError, InputError } from '../common/errors.ts';
import { leadsOut } from '../common/paths.ts';
import { describeConfigChanges } from '../inputs/config-changes.ts';
import type { Inputs } from '../model/inputs.ts';
import type { RevisionInputs } from '../plan/make-plan.ts';
import { maxText } from '../report/results-schema.ts';
import type { GuestContext } from '../vm/guest.ts';

export interface BaseInputs extends RevisionInputs {
  /** What head changes in the configuration, and why base's could not be read. */
  readonly changes: readonly string[];
}

/**
 * Reads base's configuration, packets and use of Criterion. Where base has no configuration, or one that cannot be
 * read, they are what is detected in base.
 *
 * @returns undefined if they are head's: the trees are the same, or the file is the user's own, outside of the tree
 */
export async function readBaseInputs(
  git: GitSession,
  { base, head }: { readonly base: Tree; readonly head: Tree },
  inputs: Inputs,
): Promise<BaseInputs | undefined> {
  const { file } = inputs.config;
  if (base.id === head.id || isOutside(git, file)) return undefined;
  const { isWritten, problem, ...own } = await readTree(git, base, file);
  const changes = [...describeFile(problem, isWritten, inputs), ...describeConfigChanges(own, inputs, inputs.given)];
  return { ...own, changes };
}

/**
 * Returns the inputs with the configuration and packets of head's own tree, where head is a commit; `inputs` has those of
 * the working tree.
 *
 * @throws InputError when head's configuration cannot be read
 */
export async function readHeadInputs(
  inputs: Inputs,
  context: GuestContext,
): Promise<Pick<RevisionInputs, 'criterion'> & { readonly inputs: Inputs }> {
  const { head, project, objects } = inputs;
  const { file } = inputs.config;
  if (head !== undefined && objects === undefined) {
    const git = await GitSession.open(await openRepository(project), context);
    try {
      if (!isOutside(git, file)) {
        const { criterion, isWritten, problem, ...own } = await readTree(git, await git.commitTree(head), file);
        if (problem !== undefined) throw new InputError(`head (${head}): ${problem}`);
        const { config } = own;
        const { detected: _, given = [], ...others } = inputs;
        const ofHead = {
          ...others,
          ...own,
          given,
          kernels: given.includes('kernels')
            ? inputs.kernels
            : await locateProjectKernels(config.kernels, project, file),
          lanes: given.includes('lanes') ? inputs.lanes : config.lanes,
          runner: given.includes('runner') ? inputs.runner : config.runner,
          ...(isWritten ? {} : { detected: '' }),
        };
        return { inputs: ofHead, criterion };
      }
    } finally {
      await git.close();
    }
  }
  return { inputs, criterion: await readCriterionUse(project) };
}

/** Whether the configuration is the user's own file, outside of the tree, so that it holds for both revisions. */
function isOutside({ repository }: GitSession, file: string): boolean {
  return leadsOut(join(repository.projectPath, file));
}

/** Reads the configuration, packets and use of Criterion of a tree. */
async function readTree(git: GitSession, tree: Tree, file: string): Promise<RevisionInputs & Detection> {
  const folder = await mkdtemp(join(tmpdir(), 'bpfgate-tree-'));
  try {
    await git.checkOut(tree, folder);
    // The root of a repository, as for what looks for one.
    await mkdir(join(folder, '.git'), { recursive: true });
    const project = join(folder, git.repository.projectPath);
    await mkdir(project, { recursive: true });
    return { ...(await readRevision(project, file)), criterion: await readCriterionUse(project) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Describes which revision has no file that can be read. */
function describeFile(
  problem: string | undefined,
  isWritten: boolean,
  { config: { file }, detected }: Inputs,
): string[] {
  if (problem !== undefined) {
    return [clipMiddle(`what base has cannot be read, so it is measured as detected: ${problem}`, maxText)];
  }
  const missing = [...(isWritten ? [] : ['base']), ...(detected === undefined ? [] : ['head'])];
  return missing.length === 1 ? [`${missing[0]} has no ${file}, so it is measured as detected`] : [];
}

/** Returns base with nothing that is built or run by its configuration, because its own build fails. */
export function withoutBuild(base: BaseInputs, error: BuildError): BaseInputs {
  const build = { ...base.config.build, command: 'true' };
  const [reason = ''] = error.message.split('\n', 1);
  const change = clipMiddle(`nothing is built in base, whose own build failed: ${reason}`, maxText);
  return { ...base, config: { ...base.config, build, benches: [] }, changes: [change, ...base.changes] };
}
