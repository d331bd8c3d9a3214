// Report: the result files of a kernel matrix, each of which holds other kernels, joined into one.

import { diffFingerprints, type Fingerprint } from '../compare/fingerprint.ts';
import { decideVerdict } from '../compare/gate-verdict.ts';
import { InputError } from '../errors.ts';
import type { KernelPin } from '../kernels/kernel.ts';
import { clipMiddle, toPlainLine } from './plain-text.ts';
import type { KernelResult, Results } from './results.ts';
import { requireKnownKernels } from './results-schema.ts';

export interface ResultFile {
  /** What to call it in messages. */
  readonly file: string;
  readonly results: Results;
}

/** Parts of a fingerprint that differ from kernel to kernel in one run. */
const kernelParts: ReadonlySet<string> = new Set(['kernel', 'commandLine', 'initramfs']);

const maxValue = 120;

/**
 * One result of several, whatever their order but for what the user called the revisions: the first file's words.
 *
 * The files must be of one project, the same two trees, one version of bpfgate and the same tools. The verdict is
 * decided anew over all kernels.
 *
 * @param files at least one
 * @throws InputError that names each part that differs, or a kernel that is in two files or of which a file has results
 * without naming it among its kernels
 */
export function joinResults(files: readonly ResultFile[]): Results {
  const [first] = files;
  if (first === undefined) throw new InputError('no result file is given', { hint: 'give at least one results.json' });
  for (const other of files.slice(1)) {
    refuse(diffFingerprints(identityOf(first.results), identityOf(other.results)), quote(first.file), other.file);
  }
  requireEqualTools(files);
  // What is put in the kernels' order below would lose them.
  for (const { file, results } of files) requireKnownKernels(results, file);
  requireDistinctKernels(files);

  const kernels = files
    .flatMap(({ results }) => results.kernels)
    .sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  const inOrder = <Item extends { readonly kernel: string }>(itemsOf: (results: Results) => readonly Item[]) => {
    const items = files.flatMap(({ results }) => itemsOf(results));
    return kernels.flatMap(({ id }) => items.filter(({ kernel }) => kernel === id));
  };
  const comparisons = inOrder((results) => results.comparisons);
  const gaps = inOrder((results) => results.gaps);
  return {
    ...first.results,
    verdict: decideVerdict(comparisons, gaps, kernels),
    kernels,
    measurements: inOrder((results) => results.measurements),
    gaps,
    comparisons,
    profiles: inOrder((results) => results.profiles),
  };
}

/** What every file of one matrix has in common. */
function identityOf({ bpfgate, project, revisions }: Results): Fingerprint {
  return {
    'version of bpfgate': bpfgate,
    'project name': project.name,
    'configuration file': project.configFile,
    'project path': project.projectPath,
    ...identityOfRevision(revisions.base),
    ...identityOfRevision(revisions.head),
  };
}

function identityOfRevision({ revision, tree, tools }: Results['revisions']['base']): Fingerprint {
  const versions = Object.entries(tools).map(([tool, version]) => [`${tool} of ${revision}`, version] as const);
  return { [`tree of ${revision}`]: tree, ...Object.fromEntries(versions) };
}

/** A kernel that could not be booted has no fingerprint, and no numbers that it could spoil. */
function requireEqualTools(files: readonly ResultFile[]): void {
  const [first, ...others] = files.flatMap(({ file, results }) =>
    results.kernels.flatMap(({ id, fingerprint }) => (fingerprint === null ? [] : { file, id, fingerprint })),
  );
  if (first === undefined) return;
  for (const { file, id, fingerprint } of others) {
    const differences = diffFingerprints(toolsOf(first.fingerprint), toolsOf(fingerprint));
    refuse(differences, `${quote(first.file)} (${toPlainLine(first.id)})`, file, id);
  }
}

function toolsOf(fingerprint: NonNullable<KernelResult['fingerprint']>): Fingerprint {
  return Object.fromEntries(Object.entries(fingerprint).filter(([part]) => !kernelParts.has(part)));
}

function refuse(
  differences: ReturnType<typeof diffFingerprints>,
  firstPlace: string,
  file: string,
  kernel?: string,
): void {
  if (differences.length === 0) return;
  const place = `${quote(file)}${kernel === undefined ? '' : ` (${toPlainLine(kernel)})`}`;
  const value = (text: string | null) => (text === null ? 'missing' : quote(text));
  const parts = differences.map(
    ({ part, a, b }) => `${toPlainLine(part)} is ${value(a)} in ${firstPlace} and ${value(b)} in ${place}`,
  );
  throw new InputError(`${quote(file)} cannot be joined with the others: ${parts.join('; ')}`, {
    hint: 'join only the files of one run: the same revisions, measured with the same bpfgate and tools',
  });
}

function requireDistinctKernels(files: readonly ResultFile[]): void {
  const seen = new Map<string, string>();
  for (const { file, results } of files) {
    for (const { id } of results.kernels) {
      const other = seen.get(id);
      if (other !== undefined) {
        throw new InputError(`kernel ${quote(id)} is in both ${quote(other)} and ${quote(file)}`, {
          hint: 'give one result file for each kernel',
        });
      }
      seen.set(id, file);
    }
  }
}

/** Values come from files that anybody may have written. */
function quote(text: string): string {
  return `\`${clipMiddle(toPlainLine(text), maxValue)}\``;
}

/**
 * Adds an error for each kernel that should have been measured and of which nothing is there, as where a job was
 * cancelled: a gate that is not whole cannot pass.
 */
export function addMissingKernels(results: Results, wanted: readonly KernelPin[]): Results {
  const missing = wanted.filter(({ id }) => !results.kernels.some((kernel) => kernel.id === id));
  const kernels = [...results.kernels, ...missing.map(toMissing)].sort((a, b) =>
    a.id.localeCompare(b.id, 'en', { numeric: true }),
  );
  return { ...results, kernels, verdict: decideVerdict(results.comparisons, results.gaps, kernels) };
}

function toMissing({ id, release, sha256, origin }: KernelPin): KernelResult {
  return {
    ...{ id, release, sha256, origin, uname: null, machine: null, keptBase: false, timed: null, fingerprint: null },
    error: {
      kind: 'machine',
      message: 'no result of it is there',
      hint: 'its job failed or was cancelled before it could leave one: look at its log',
      consoleTail: [],
    },
    warnings: [],
  };
}
