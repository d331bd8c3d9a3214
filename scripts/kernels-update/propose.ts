// Kernel updates, pure: makes a new kernels.json from the present one and what the origins offer. Pins only go forward.

import { compareVersions } from '../../src/common/versions.ts';
import type { KernelEntry } from '../../src/kernels/pins.ts';
import type { DebianPackage } from '../../src/model/kernel.ts';
import type { DebianCandidate } from './debian-index.ts';
import type { SourceCandidate } from './kernel-org-index.ts';

/** An origin whose indexes can be read. */
export type UpdateOrigin = 'debian' | 'source';

export type Candidate = DebianCandidate | SourceCandidate;

/** Content of kernels.json, as it is written. */
export interface PinDocument {
  readonly schema: string;
  readonly kernels: readonly KernelEntry[];
}

/** A proposed pin. */
export interface Change {
  readonly minor: string;
  readonly origin: UpdateOrigin;
  /** Present pin: a release, or a package version where the release stays; `missing` or `new` without one. */
  readonly from: string;
  readonly to: string;
  /** The index that offers it. */
  readonly where: string;
}

export interface Proposal {
  readonly document: PinDocument;
  readonly changes: readonly Change[];
  /** Sentences, one for each file of a pinned version that an index lists with another checksum. */
  readonly contradictions: readonly string[];
}

export interface ProposeOptions {
  /** Minor versions to update, without new ones. Default: all that are pinned, and those newer than all of them. */
  readonly minors?: ReadonlySet<string> | undefined;
  /** Whether the first Debian version is newer than the second, as dpkg orders them. */
  readonly isNewer: (version: string, than: string) => Promise<boolean>;
}

/**
 * Replaces an older or a missing pin with the newest candidate of each minor version and origin.
 *
 * A new minor version is proposed as `stable`. No signed index says which ones are long-term or no longer supported; a
 * person decides that.
 */
export async function propose(
  document: PinDocument,
  candidates: readonly Candidate[],
  { minors, isNewer }: ProposeOptions,
): Promise<Proposal> {
  const changes: Change[] = [];
  const debian = await pickNewest(
    candidates.filter((candidate) => candidate.origin === 'debian'),
    (a, b) => isNewer(a.version, b.version),
  );
  const source = await pickNewest(
    candidates.filter((candidate) => candidate.origin === 'source'),
    (a, b) => compareVersions(a.release, b.release) > 0,
  );

  const updateDebian = async (minor: string, entry: KernelEntry['debian'], none: string) => {
    const found = debian.get(minor);
    if (found === undefined) return entry;
    const { release, archive, version, snapshot, packages, where } = found;
    let [from, to] = [none, release];
    if (!('missing' in entry)) {
      if (!(await isNewer(version, entry.version))) return entry;
      [from, to] = release === entry.release ? [entry.version, version] : [entry.release, release];
    }
    changes.push({ minor, origin: 'debian', from, to, where });
    return { release, archive, version, snapshot, packages: [...packages] };
  };

  const updateSource = (minor: string, entry: KernelEntry['source'], none: string) => {
    const found = source.get(minor);
    if (found === undefined) return entry;
    const { release, url, sha256, where } = found;
    if (!('missing' in entry) && compareVersions(release, entry.release) <= 0) return entry;
    changes.push({ minor, origin: 'source', from: 'missing' in entry ? none : entry.release, to: release, where });
    // Without `asset`: an image built from the release before is not an image of this one.
    return { release, url, sha256, agreeing: [`${where}/sha256sums.asc, signature checked`] };
  };

  const update = async ({ minor, support, debian: byDebian, source: bySource }: KernelEntry, none: string) => ({
    minor,
    support,
    debian: await updateDebian(minor, byDebian, none),
    source: updateSource(minor, bySource, none),
  });

  const isChosen = ({ minor }: KernelEntry) => minors === undefined || minors.has(minor);
  const kernels: KernelEntry[] = [];
  for (const entry of document.kernels) kernels.push(isChosen(entry) ? await update(entry, 'missing') : entry);
  if (minors === undefined) {
    const offered = [...new Set([...debian.keys(), ...source.keys()])].sort(compareVersions);
    const isNewest = (minor: string) => document.kernels.every((entry) => compareVersions(minor, entry.minor) > 0);
    const missing = { missing: 'no index that was read when this minor version was added has it' };
    for (const minor of offered.filter(isNewest)) {
      kernels.push(await update({ minor, support: 'stable', debian: missing, source: missing }, 'new'));
    }
  }
  const contradictions = document.kernels.filter(isChosen).flatMap((entry) => findContradictions(entry, candidates));
  return { document: { ...document, kernels }, changes, contradictions };
}

/** Picks the newest candidate of each minor version; the first of equal ones. */
export async function pickNewest<T extends { readonly minor: string }>(
  candidates: readonly T[],
  isNewer: (candidate: T, than: T) => boolean | Promise<boolean>,
): Promise<Map<string, T>> {
  const newest = new Map<string, T>();
  for (const candidate of candidates) {
    const best = newest.get(candidate.minor);
    if (best === undefined || (await isNewer(candidate, best))) newest.set(candidate.minor, candidate);
  }
  return newest;
}

/** A sentence for each file of the pinned version that an index lists with another checksum than the pinned one. */
function findContradictions({ debian, source }: KernelEntry, candidates: readonly Candidate[]): string[] {
  return candidates.flatMap((candidate) => {
    const { where } = candidate;
    if (candidate.origin === 'debian') {
      if ('missing' in debian || candidate.version !== debian.version) return [];
      const differs = ({ name, sha256 }: DebianPackage) =>
        candidate.packages.some((listed) => listed.name === name && listed.sha256 !== sha256);
      return debian.packages.filter(differs).map(({ name }) => contradiction(name, where));
    }
    if ('missing' in source || candidate.url !== source.url || candidate.sha256 === source.sha256) return [];
    return [contradiction(source.url, where)];
  });
}

function contradiction(file: string, where: string): string {
  return `${where} lists ${file} with another SHA-256 than the one pinned`;
}

/** `6.1 debian 6.1.176 -> 6.1.180 (bookworm-security)`. */
export function renderChange({ minor, origin, from, to, where }: Change): string {
  return `${minor} ${origin} ${from} -> ${to} (${where})`;
}

/** Maximum width of a line in kernels.json, a setting of Biome. */
const lineWidth = 120;

/** Renders a kernels.json as Biome formats it: a list of strings stands on one line where it fits. */
export function renderDocument(document: PinDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`.replace(
    /^(.*)\[\n((?: *"(?:[^"\\]|\\.)*",?\n)+) *\](,?)$/gm,
    (expanded, start: string, items: string, end: string) => {
      const list = items
        .trim()
        .split('\n')
        .map((item) => item.trim());
      const line = `${start}[${list.join(' ')}]${end}`;
      return line.length <= lineWidth ? line : expanded;
    },
  );
}
