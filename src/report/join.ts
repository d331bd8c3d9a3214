// Report: joins the result files of a matrix into one. Each holds other kernels, or another shard of their benches.

import { clipMiddle } from '../common/clip-middle.ts';
import { InputError } from '../common/errors.ts';
import { distinctBy, groupBy, indexBy } from '../common/group-by.ts';
import { compareNames } from '../common/order.ts';
import { diffFingerprints, type Fingerprint } from '../compare/fingerprint.ts';
import { revisionNames } from '../model/build.ts';
import type { Shard } from '../model/inputs.ts';
import type { KernelPin } from '../model/kernel.ts';
import { acceptCosts, limitAccepts } from './accept.ts';
import type { Failure } from './failure.ts';
import { decideVerdict, findAnswered } from './gate-verdict.ts';
import { joinWords, toPlainLine } from './plain-text.ts';
import type { KernelResult, Results } from './results.ts';
import { requireKnownKernels, requireShowable } from './results-schema.ts';

export interface ResultFile {
  /** Name of the file in messages. */
  readonly file: string;
  readonly results: Results;
}

/** Parts of a fingerprint that belong to the kernel, and differ from kernel to kernel on one machine. */
const kernelParts: ReadonlySet<string> = new Set(['kernel', 'commandLine', 'initramfs']);

const maxValue = 120;
/** Shards named in one place; more are counted. */
const maxNamed = 6;

/**
 * Joins several results into one. Their order does not matter, except that the first file's names of the revisions are
 * kept.
 *
 * The files must be of one project, the same two trees and one version of bpfgate. A kernel is in one file as a whole,
 * or in shards of one count that were measured alike. The parts of its shards are joined in their order. A shard that
 * failed, measured nothing or is missing is an error of the kernel, which keeps the other shards' numbers. A kernel
 * that was measured with other tools than the first one gets a warning, since a runner's image can change during a
 * matrix. No number is compared with another kernel's. The verdict is decided again over all kernels.
 *
 * @param files at least one
 * @throws InputError that names each part that differs; a kernel, a shard of it or a benchmark that is in two files; a
 * kernel of which a file has results without listing it; or that there is more than can be reported
 */
export function joinResults(files: readonly ResultFile[]): Results {
  const [first] = files;
  if (first === undefined) throw new InputError('no result file is given', { hint: 'give at least one results.json' });
  for (const other of files.slice(1)) {
    requireEqual(identityOf(first.results), identityOf(other.results), first.file, other.file);
  }
  // Joining in the kernels' order below would lose results of unknown kernels.
  for (const { file, results } of files) requireKnownKernels(results, file);
  const indexOf = ({ results: { shard } }: ResultFile) => shard?.index ?? 0;
  const ordered = files.toSorted((a, b) => indexOf(a) - indexOf(b));
  const parts = ordered.flatMap(({ file, results }): Part[] => {
    const answered = findAnswered(results);
    return results.kernels.map((kernel) => {
      const tools = { ...buildToolsOf(results.revisions), ...kernel.fingerprint };
      return { file, shard: results.shard, kernel, tools, isAnswered: answered.has(kernel.id) };
    });
  });
  const groups = groupBy(parts, ({ kernel }) => kernel.id);
  for (const group of groups) requireOneDivision(group);
  requireDisjointShards(ordered);

  const sorted = groups.toSorted(([a], [b]) => compareNames(a.kernel.id, b.kernel.id));
  const kernels = warnOfTools(sorted).map(joinKernel);
  const inOrder = <Item extends { readonly kernel: string }>(itemsOf: (results: Results) => readonly Item[]) => {
    const items = ordered.flatMap(({ results }) => itemsOf(results));
    const byKernel = indexBy(items, ({ kernel }) => kernel);
    return kernels.flatMap(({ id }) => byKernel.get(id) ?? []);
  };
  const accepts = files.flatMap(({ results }) => results.accepts);
  const distinct = limitAccepts(distinctBy(accepts, (each) => JSON.stringify(each)));
  const changes = files.flatMap(({ results }) => results.project.configChanges);
  const project = { ...first.results.project, configChanges: [...new Set(changes)] };
  const comparisons = acceptCosts({
    comparisons: inOrder((results) => results.comparisons),
    project,
    accepts: distinct,
  });
  const gaps = inOrder((results) => results.gaps);
  const diffs = files.flatMap(({ results }) => results.diffs);
  const joined: Results = {
    ...first.results,
    project,
    verdict: decideVerdict(comparisons, gaps, kernels),
    shard: null,
    kernels,
    measurements: inOrder((results) => results.measurements),
    gaps,
    comparisons,
    accepts: distinct,
    profiles: inOrder((results) => results.profiles),
    diffs: [...new Map(diffs.map((each) => [JSON.stringify(each.source), each])).values()],
  };
  requireShowable(joined, 'joined results');
  return joined;
}

/** The properties that every file of one matrix shares. */
function identityOf({ bpfgate, project, revisions }: Results): Fingerprint {
  return {
    'version of bpfgate': bpfgate,
    'project name': project.name,
    'configuration file': project.configFile,
    'project path': project.projectPath,
    [`tree of ${revisions.base.revision}`]: revisions.base.tree,
    [`tree of ${revisions.head.revision}`]: revisions.head.tree,
  };
}

/** Versions of the tools that both revisions were built with. */
function buildToolsOf({ base, head }: Results['revisions']): Fingerprint {
  return Object.fromEntries(
    [base, head].flatMap(({ revision, tools }) =>
      Object.entries(tools).map(([tool, version]) => [`${tool} of ${revision}`, version]),
    ),
  );
}

/** Adds a warning to each measured kernel whose tools differ from those of the first one. */
function warnOfTools(groups: readonly [Part, ...Part[]][]): readonly [Part, ...Part[]][] {
  const first = groups.flat().find(isMeasured);
  return groups.map((group) => {
    const own = group.find(isMeasured);
    const differences = own === undefined || first === undefined ? [] : diffFingerprints(toolsOf(first), toolsOf(own));
    if (first === undefined || differences.length === 0) return group;
    const parts = differences.map(
      ({ part, a, b }) => `${toPlainLine(part)} is ${nameValue(b)} and there ${nameValue(a)}`,
    );
    const other = toPlainLine(first.kernel.id);
    const reason = `measured with other tools than ${other}, so the counts of both must not be compared with each other`;
    const warning = { about: [], reason, detail: parts.join('; ') };
    return group.map((part) =>
      part === own ? { ...part, kernel: { ...part.kernel, warnings: [...part.kernel.warnings, warning] } } : part,
    ) as typeof group;
  });
}

/** Whether it was measured. A kernel that could not be booted has no fingerprint, and no numbers to spoil. */
function isMeasured({ kernel }: Part): boolean {
  return kernel.fingerprint !== null;
}

function toolsOf({ tools }: Part): Fingerprint {
  return Object.fromEntries(Object.entries(tools).filter(([part]) => !kernelParts.has(part)));
}

/**
 * Refuses a file whose fingerprint differs from that of the first.
 *
 * @param of what follows the files' names
 */
function requireEqual(a: Fingerprint, b: Fingerprint, first: string, file: string, of = ''): void {
  const differences = diffFingerprints(a, b);
  if (differences.length === 0) return;
  const [here, there] = [first, file].map((each) => `${quote(each)}${of}`);
  const parts = differences.map(
    ({ part, a, b }) => `${toPlainLine(part)} is ${nameValue(a)} in ${here} and ${nameValue(b)} in ${there}`,
  );
  throw new InputError(`${quote(file)} cannot be joined with the others: ${parts.join('; ')}`, {
    hint: 'join only the files of one run: the same revisions, measured with the same bpfgate and tools',
  });
}

/** One file's part of one kernel. */
interface Part {
  readonly file: string;
  readonly shard: Shard | null;
  readonly kernel: KernelResult;
  /** Everything but the programs that shaped its numbers. */
  readonly tools: Fingerprint;
  /** Whether it has any comparison or gap of the kernel. */
  readonly isAnswered: boolean;
}

/** Checks that the parts of one kernel are one whole, or different shards of one count, measured alike. */
function requireOneDivision(parts: readonly [Part, ...Part[]]): void {
  const [first, ...others] = parts;
  const id = quote(first.kernel.id);
  const seen = new Map([[first.shard?.index, first]]);
  for (const other of others) {
    const files = [quote(first.file), quote(other.file)] as const;
    if (first.shard === null && other.shard === null) {
      throw new InputError(`kernel ${id} is in both ${files[0]} and ${files[1]}`, {
        hint: 'give one result file for each kernel, or for each shard of it',
      });
    }
    if (first.shard === null || other.shard === null || first.shard.count !== other.shard.count) {
      throw new InputError(
        `kernel ${id} is divided in two ways: ${files[0]} has ${describeShard(first.shard)}, ${files[1]} has ${describeShard(other.shard)}`,
        { hint: 'give either one result file of all benches, or those of all shards of one count' },
      );
    }
    const same = seen.get(other.shard.index);
    if (same !== undefined) {
      throw new InputError(
        `${describeShard(other.shard)} of kernel ${id} is in both ${quote(same.file)} and ${files[1]}`,
        { hint: 'give one result file for each shard' },
      );
    }
    seen.set(other.shard.index, other);
  }
  const [measured, ...further] = parts.filter(isMeasured);
  if (measured === undefined) return;
  for (const { file, kernel, tools } of further) {
    requireEqual(measured.tools, tools, measured.file, file, ` (${toPlainLine(kernel.id)})`);
  }
}

/** Refuses a benchmark in two shards: it is of two configurations, and would be in the result twice. */
function requireDisjointShards(files: readonly ResultFile[]): void {
  const owners = new Map<string, ResultFile>();
  for (const own of files) {
    const { shard, measurements, comparisons, gaps, profiles } = own.results;
    if (shard === null) continue;
    const claim = (kernel: string, lane: string, name: string) => {
      const key = JSON.stringify([kernel, lane, name]);
      const owner = owners.get(key);
      if (owner === undefined) owners.set(key, own);
      else if (owner !== own) {
        throw new InputError(
          `${quote(name)} of kernel ${quote(kernel)} is in both ${quote(owner.file)} (${describeShard(owner.results.shard)}) and ${quote(own.file)} (${describeShard(shard)})`,
          { hint: 'join the shards of one run: of the same bpfgate.toml, lanes and number of shards' },
        );
      }
    };
    const named = [...measurements, ...comparisons, ...gaps];
    for (const { kernel, lane, benchmark } of named) claim(kernel, lane, benchmark);
    for (const { kernel, bench } of profiles) claim(kernel, 'profile', bench);
  }
}

type KernelError = NonNullable<KernelResult['error']>;

/** @param parts those of one kernel, in the order of their shards */
function joinKernel(parts: readonly [Part, ...Part[]]): KernelResult {
  const [first] = parts;
  if (first.shard === null) return first.kernel;
  const measured = parts.find(isMeasured) ?? first;
  return {
    ...measured.kernel,
    kept: revisionNames.filter((revision) => parts.some(({ kernel }) => kernel.kept.includes(revision))),
    error: joinErrors(parts, first.shard.count),
    warnings: distinctBy(
      parts.flatMap(({ kernel }) => kernel.warnings),
      (warning) => JSON.stringify(warning),
    ),
  };
}

/** Joins the errors of the shards, each once and with its shards; null if there is none. */
function joinErrors(parts: readonly Part[], count: number): KernelError | null {
  const byIndex = new Map(parts.map((part) => [part.shard?.index, part]));
  const failures = Array.from({ length: count }, (_, position) => position + 1).flatMap((index) => {
    const error = errorOf(byIndex.get(index));
    return error === null ? [] : { index, error };
  });
  const groups = groupBy(failures, ({ error: { kind, message, hint } }) => JSON.stringify([kind, message, hint]));
  const errors = groups.map((group) => {
    const shards = nameShards(
      group.map(({ index }) => index),
      count,
    );
    const [{ error }] = group;
    return { ...error, shards, message: `${shards}${error === noResult ? ' ' : ': '}${error.message}` };
  });
  const [first] = errors;
  if (first === undefined) return null;
  const tails = errors.filter(({ consoleTail }) => consoleTail.length > 0);
  return {
    // An error for the change's author to fix comes before one that a retry may fix, as it does among kernels.
    kind: errors.find(({ kind }) => kind === 'build' || kind === 'bench')?.kind ?? first.kind,
    message: errors.map(({ message }) => message).join('; '),
    hint: [...new Set(errors.flatMap(({ hint }) => hint ?? []))].join('; ') || null,
    consoleTail:
      tails.length === 1
        ? (tails[0]?.consoleTail ?? [])
        : tails.flatMap(({ shards, consoleTail }) => [`${shards}:`, ...consoleTail]),
    benches: errors.flatMap(({ benches }) => benches),
  };
}

const noResult: KernelError = {
  kind: 'machine',
  message: 'left no result',
  hint: 'its job failed or was cancelled before it could leave one: look at its log',
  consoleTail: [],
  benches: [],
};

function errorOf(part: Part | undefined): KernelError | null {
  if (part === undefined) return noResult;
  if (part.kernel.error !== null || part.isAnswered) return part.kernel.error;
  return { ...noResult, kind: 'bench', message: 'nothing was measured', hint: null };
}

/** `shard 2 of 3`; `shards 1 and 3 of 3`. */
function nameShards(indexes: readonly number[], count: number): string {
  const named = indexes.length > maxNamed ? indexes.slice(0, maxNamed - 1) : indexes;
  const more = indexes.length - named.length;
  const words = [...named.map(String), ...(more === 0 ? [] : [`${more} more`])];
  return `shard${indexes.length === 1 ? '' : 's'} ${joinWords(words)} of ${count}`;
}

function describeShard(shard: Shard | null): string {
  return shard === null ? 'all of its benches' : nameShards([shard.index], shard.count);
}

/** Names a value of a fingerprint. */
function nameValue(value: string | null): string {
  return value === null ? 'missing' : quote(value);
}

/** Quotes a value, because anybody may have written the files. */
function quote(text: string): string {
  return `\`${clipMiddle(toPlainLine(text), maxValue)}\``;
}

/**
 * Adds an error for each kernel that should have been measured and has no result, as when a job was cancelled: an
 * incomplete gate cannot pass.
 *
 * @param failures what failed jobs report of it. If other shards have measured the kernel, this is a warning next to
 * the error for the missing shard
 */
export function addMissingKernels(
  results: Results,
  wanted: readonly KernelPin[],
  failures: readonly Failure[] = [],
): Results {
  const ofKernel = (id: string) => failures.filter((failure) => failure.kernels.includes(id));
  const missing = wanted.filter(({ id }) => !results.kernels.some((kernel) => kernel.id === id));
  const kernels = [
    ...results.kernels.map((kernel) => {
      const said = [...new Set(ofKernel(kernel.id).map(({ message }) => message))];
      const further = said.map((reason) => ({ about: [], reason }));
      return said.length === 0 ? kernel : { ...kernel, warnings: [...kernel.warnings, ...further] };
    }),
    ...missing.map((pin) => toMissing(pin, ofKernel(pin.id)[0])),
  ].sort((a, b) => compareNames(a.id, b.id));
  return { ...results, kernels, verdict: decideVerdict(results.comparisons, results.gaps, kernels) };
}

function toMissing({ id, release, sha256, origin }: KernelPin, failure: Failure | undefined): KernelResult {
  const { kernels: _, kind, ...said } = failure ?? { ...noResult, message: 'no result of it is there', kernels: [] };
  const error = { ...said, kind: kind === 'input' ? ('machine' as const) : kind };
  return {
    id,
    release,
    sha256,
    origin,
    uname: null,
    machine: null,
    kept: [],
    objects: {},
    fingerprint: null,
    error,
    warnings: [],
  };
}

/** Finds the file next to which the profiles of a kernel's bench are; undefined if no file has any. */
export function fileOfProfiles(files: readonly ResultFile[]): (kernel: string, bench: string) => string | undefined {
  const keyOf = (kernel: string, bench: string) => JSON.stringify([kernel, bench]);
  const owners = new Map(
    files.flatMap(({ file, results }) => results.profiles.map(({ kernel, bench }) => [keyOf(kernel, bench), file])),
  );
  return (kernel, bench) => owners.get(keyOf(kernel, bench));
}
