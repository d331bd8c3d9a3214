// Kernels: reads kernels/kernels.json, the list of kernels bpfgate can boot.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import document from '../../kernels/kernels.json' with { type: 'json' };
import { KernelError } from '../common/errors.ts';
import { compareVersions } from '../common/versions.ts';
import type { DebianPackage, DebianPin, KernelPin, SourcePin, SupportStatus } from '../model/kernel.ts';

const file = 'kernels/kernels.json';

const release = z.string().regex(/^\d+\.\d+\.\d+$/, 'must be an upstream release such as "6.1.176"');
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits');
const sizeBytes = z.int('must be a number of bytes').positive('must be a number of bytes');
const url = z.string().regex(/^https:\/\/[^\s/]+\/[^\s]+$/, 'must be an https address');

/** Tag in a release's addresses, limited to characters that GitHub leaves unchanged. */
const tag = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be the tag of a release');
const assetName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._+-]*$/, 'must be the name of a file of a release');

const missingSchema = z.strictObject({ missing: z.string().min(1, 'must say why') });

const debianSchema = z.strictObject({
  release,
  archive: z.literal(['debian', 'debian-security'], 'must be "debian" or "debian-security"'),
  version: z.string().regex(/^[0-9][A-Za-z0-9.+~:-]*$/, 'must be a package version'),
  snapshot: z.string().regex(/^\d{8}T\d{6}Z$/, 'must be a time such as "20261121T000000Z"'),
  packages: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/, 'must be a package name'),
        poolPath: z.string().regex(/^pool\/(?!.*\.\.)[^\s\\]+\.deb$/, 'must be a path such as "pool/.../NAME.deb"'),
        sha256,
        sizeBytes,
        asset: z.strictObject({ tag, name: assetName }).optional(),
      }),
      'must be a list of packages',
    )
    .min(1, 'must not be empty'),
});

const sourceSchema = z.strictObject({
  release,
  url,
  sha256,
  agreeing: z
    .array(z.string().min(1, 'must name a recipe'), 'must be a list of recipes')
    .min(1, 'must name where the checksum was found'),
  asset: z.strictObject({ tag, name: assetName, sha256, sizeBytes }).optional(),
});

const entrySchema = z.strictObject({
  minor: z.string().regex(/^\d+\.\d+$/, 'must be a minor version such as "6.1"'),
  support: z.literal(['longterm', 'stable', 'eol'], 'must be "longterm", "stable" or "eol"'),
  debian: dataOrReason(debianSchema),
  source: dataOrReason(sourceSchema),
});

const documentSchema = z.strictObject({
  schema: z.literal('bpfgate.kernels/2', 'must be "bpfgate.kernels/2"'),
  kernels: z.array(entrySchema, 'must be a list').min(1, 'must not be empty'),
});

/** The entry of one minor version in kernels.json. */
export type KernelEntry = z.infer<typeof entrySchema>;

/** A kernel that is not pinned. */
export interface MissingKernel {
  readonly minor: string;
  readonly origin: 'debian' | 'source';
  readonly reason: string;
}

export interface Pins {
  /** Oldest first. */
  readonly pins: KernelPin[];
  /** Oldest first. */
  readonly missing: MissingKernel[];
}

let own: Pins | undefined;

/** Checks the document on first use, so that a fault is reported like every other error. */
function ownPins(): Pins {
  own ??= parsePins(document);
  return own;
}

/** The kernels pinned in this release of bpfgate, oldest first. */
export function readPins(): KernelPin[] {
  return [...ownPins().pins];
}

/** The kernels that this release of bpfgate does not pin, with the reason; oldest first. */
export function readMissing(): MissingKernel[] {
  return [...ownPins().missing];
}

/** Upstream's support of a minor version. One that kernels.json does not list is `stable` if newer than all listed. */
export function supportOf(minor: string): SupportStatus {
  const { pins } = ownPins();
  const pinned = pins.find((pin) => pin.minor === minor);
  if (pinned !== undefined) return pinned.support;
  return pins.every((pin) => compareVersions(pin.minor, minor) < 0) ? 'stable' : 'eol';
}

/**
 * Checks the content of a kernels.json and converts its entries to kernels. A minor version boots Debian's kernel by
 * default where there is one, else the one compiled from source; the id of the other one contains its origin.
 *
 * @throws KernelError naming the entry and the field of every fault
 */
export function parsePins(content: unknown): Pins {
  const entries = parseEntries(content).sort((a, b) => compareVersions(a.minor, b.minor));
  return { pins: entries.flatMap(toPins), missing: entries.flatMap(toMissing) };
}

/**
 * Checks the content of a kernels.json.
 *
 * @returns its entries in the order of the file
 * @throws KernelError naming the entry and the field of every fault
 */
export function parseEntries(content: unknown): KernelEntry[] {
  const parsed = documentSchema.safeParse(content);
  const faults = parsed.success
    ? [...findDuplicates(parsed.data.kernels), ...findMismatches(parsed.data.kernels)]
    : parsed.error.issues.map((issue) => `${place(content, issue.path)}: ${issue.message}`);
  if (!parsed.success || faults.length > 0) {
    throw new KernelError(`${file} is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`, {
      hint: 'see kernels/README.md',
    });
  }
  return parsed.data.kernels;
}

/**
 * Orders kernels oldest first; the default comes first within one release. The user's own come last, as they are given:
 * their versions may not be known yet.
 */
export function compareKernels(a: KernelPin, b: KernelPin): number {
  if (a.origin === 'own' || b.origin === 'own') return Number(a.origin === 'own') - Number(b.origin === 'own');
  return compareVersions(a.minor, b.minor) || compareVersions(a.release, b.release) || a.id.length - b.id.length;
}

/** The sum that stands for all of a kernel's packages: the only package's own, else that of all sums, one a line. */
export function sumOfPackages(packages: readonly Pick<DebianPackage, 'sha256'>[]): string {
  const [first, ...others] = packages;
  if (first !== undefined && others.length === 0) return first.sha256;
  const hash = createHash('sha256');
  for (const { sha256: sum } of packages) hash.update(`${sum}\n`);
  return hash.digest('hex');
}

function toPins({ minor, support, debian, source }: KernelEntry): KernelPin[] {
  const pins: KernelPin[] = [];
  if (!('missing' in debian)) {
    const pin: DebianPin = {
      id: minor,
      origin: 'debian',
      minor,
      support,
      sha256: sumOfPackages(debian.packages),
      ...debian,
    };
    pins.push(pin);
  }
  if (!('missing' in source)) {
    const pin: SourcePin = {
      id: pins.length === 0 ? minor : `${minor}:source`,
      origin: 'source',
      minor,
      support,
      ...source,
    };
    pins.push(pin);
  }
  return pins.sort(compareKernels);
}

function toMissing({ minor, debian, source }: KernelEntry): MissingKernel[] {
  return [
    ...('missing' in debian ? [{ minor, origin: 'debian' as const, reason: debian.missing }] : []),
    ...('missing' in source ? [{ minor, origin: 'source' as const, reason: source.missing }] : []),
  ];
}

/** Accepts the data, or `{ "missing": "reason" }`. A plain union would report only that neither fits. */
function dataOrReason<Data extends z.ZodType>(data: Data) {
  return z.unknown().transform((value, context): z.output<Data> | z.output<typeof missingSchema> => {
    const isReason = typeof value === 'object' && value !== null && 'missing' in value;
    const parsed = (isReason ? missingSchema : data).safeParse(value);
    if (parsed.success) return parsed.data as z.output<Data>;
    for (const issue of parsed.error.issues) {
      context.issues.push({ code: 'custom', input: value, message: issue.message, path: [...issue.path] });
    }
    return z.NEVER;
  });
}

function findDuplicates(entries: readonly KernelEntry[]): string[] {
  const seen = new Map<string, number>();
  return entries.flatMap(({ minor }, index) => {
    const first = seen.get(minor);
    if (first !== undefined) return [`${entryName(index, minor)}, minor: kernel ${first + 1} has the same one`];
    seen.set(minor, index);
    return [];
  });
}

/** Finds values that contradict one another, such as a typo in an update. */
function findMismatches(entries: readonly KernelEntry[]): string[] {
  return entries.flatMap(({ minor, debian, source }, index) => {
    const faults: string[] = [];
    for (const [origin, data] of [['debian', debian] as const, ['source', source] as const]) {
      if ('missing' in data || data.release.startsWith(`${minor}.`)) continue;
      faults.push(`${origin}.release: "${data.release}" is not a release of ${minor}`);
    }
    if (!('missing' in debian) && !debian.version.startsWith(`${debian.release}-`)) {
      faults.push(`debian.version: "${debian.version}" is not a version of ${debian.release}`);
    }
    if (!('missing' in source) && !source.url.includes(`/linux-${source.release}.tar.`)) {
      faults.push(`source.url: "${source.url}" is not the tarball of ${source.release}`);
    }
    return faults.map((fault) => `${entryName(index, minor)}, ${fault}`);
  });
}

/** `kernel 2 ("6.1"), debian.packages[0].sha256`: the entry by number and minor version, then the field. */
function place(content: unknown, path: readonly PropertyKey[]): string {
  const [top, index, ...field] = path;
  if (top !== 'kernels' || typeof index !== 'number') return path.length === 0 ? 'document' : path.join('.');
  const entry = entryName(index, (content as { kernels: { minor?: unknown }[] }).kernels[index]?.minor);
  return field.length === 0 ? entry : `${entry}, ${field.join('.').replace(/\.(\d+)/g, '[$1]')}`;
}

function entryName(index: number, minor: unknown): string {
  return `kernel ${index + 1}${typeof minor === 'string' ? ` ("${minor}")` : ''}`;
}
