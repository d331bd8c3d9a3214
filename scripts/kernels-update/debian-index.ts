// Kernel updates, pure: reads Debian's index of a suite and finds the kernels in it.
// The formats: https://wiki.debian.org/DebianRepository/Format

import { clipMiddle } from '../../src/common/clip-middle.ts';
import { KernelError } from '../../src/common/errors.ts';
import type { DebianArchive, DebianPackage, DebianPin } from '../../src/model/kernel.ts';

/** A suite of a Debian archive, under its code name. */
export interface DebianSuite {
  readonly archive: DebianArchive;
  /** `bookworm-security`. */
  readonly codename: string;
}

/** The suites that carry kernel images bpfgate can pin, oldest first. */
export const kernelSuites: readonly DebianSuite[] = [
  { archive: 'debian-security', codename: 'bullseye-security' },
  { archive: 'debian', codename: 'bookworm' },
  { archive: 'debian-security', codename: 'bookworm-security' },
  { archive: 'debian', codename: 'bookworm-backports' },
  { archive: 'debian', codename: 'trixie' },
  { archive: 'debian-security', codename: 'trixie-security' },
  { archive: 'debian', codename: 'trixie-backports' },
];

/** The only index read of a suite. Debian publishes it in this compression for all suites. */
export const packagesPath = 'main/binary-amd64/Packages.xz';

/** The parts of an `InRelease` file that are needed. */
export interface SuiteIndex {
  readonly codename: string;
  readonly date: Date;
  /** Undefined for suites that do not expire: released ones between two point releases. */
  readonly validUntil: Date | undefined;
  /** Whether its files can be fetched by their checksums, which works even while the mirror is being updated. */
  readonly byHash: boolean;
  /** The file at `packagesPath`. */
  readonly packages: { readonly sha256: string; readonly sizeBytes: number };
}

/**
 * Reads the signed text of an `InRelease` file.
 *
 * @param now rejects an index that has expired or has a later date: an old index could be sent again
 * @throws KernelError naming the suite when it is another suite's, is not current, or does not list `packagesPath`
 */
export function readSuiteIndex(text: string, { codename }: DebianSuite, now: Date): SuiteIndex {
  const refuse = (message: string, hint: string) => new KernelError(`the index of ${codename} ${message}`, { hint });
  const fields = readStanza(text.split('\n'));
  const found = fields.get('Codename');
  if (found !== codename) {
    throw refuse(
      `is that of ${clipMiddle(JSON.stringify(found) ?? 'undefined', 200)}`,
      'the source mixes suites up: find out why before trying again',
    );
  }
  const date = readDate(fields.get('Date'));
  if (date === undefined) throw refuse('has no valid Date', malformedHint);
  const validUntil = fields.has('Valid-Until') ? readDate(fields.get('Valid-Until')) : undefined;
  if (fields.has('Valid-Until') && validUntil === undefined) throw refuse('has no valid Valid-Until', malformedHint);
  if (validUntil !== undefined && validUntil < now) {
    throw refuse(
      `expired at ${validUntil.toISOString()}`,
      "use a mirror that is kept up to date, and see whether this machine's clock is right",
    );
  }
  if (date.getTime() > now.getTime() + clockToleranceMs) {
    throw refuse(`is dated ${date.toISOString()}, which is still to come`, "see whether this machine's clock is right");
  }
  for (const line of (fields.get('SHA256') ?? '').split('\n')) {
    const [, sha256, size] = new RegExp(`^([0-9a-f]{64}) +(\\d+) +${packagesPath}$`).exec(line.trim()) ?? [];
    if (sha256 === undefined) continue;
    const packages = { sha256, sizeBytes: Number(size) };
    return { codename, date, validUntil, byHash: fields.get('Acquire-By-Hash') === 'yes', packages };
  }
  throw refuse(`does not list ${packagesPath}`, malformedHint);
}

const clockToleranceMs = 600_000;
const malformedHint = 'please report this: Debian publishes a format that bpfgate does not know';

/** One package of a `Packages` file. */
export interface PackageRecord extends DebianPackage {
  readonly version: string;
  /** Dependencies as written; empty when there are none. */
  readonly depends: string;
}

/** Packages that can be part of a kernel. findKernels sorts out the many variants among them. */
const kernelPackage = /^linux-(?:image|binary|base|modules)-\d\S*-amd64$/;

/**
 * Reads a `Packages` file line by line, because it is tens of megabytes long, and keeps what may be a kernel.
 *
 * @throws KernelError (by `addLine` and `end`) naming a package with a missing field
 */
export function openPackagesReader(): { addLine(line: string): void; end(): PackageRecord[] } {
  const records: PackageRecord[] = [];
  let lines: string[] = [];
  const endStanza = () => {
    const [name] = lines[0]?.match(/(?<=^Package: ).*/) ?? [];
    if (name !== undefined && kernelPackage.test(name)) records.push(readPackage(name, readStanza(lines)));
    lines = [];
  };
  return {
    addLine(line) {
      if (line === '') endStanza();
      else lines.push(line);
    },
    end() {
      endStanza();
      return records;
    },
  };
}

function readPackage(name: string, fields: ReadonlyMap<string, string>): PackageRecord {
  const [version, poolPath, sha256, size] = ['Version', 'Filename', 'SHA256', 'Size'].map((field) => fields.get(field));
  if (version === undefined || poolPath === undefined || sha256 === undefined || !/^\d+$/.test(size ?? '')) {
    throw new KernelError(`the entry of ${clipMiddle(name, 200)} has no Version, Filename, SHA256 or Size`, {
      hint: malformedHint,
    });
  }
  return { name, poolPath, sha256, sizeBytes: Number(size), version, depends: fields.get('Depends') ?? '' };
}

/** A kernel that Debian offers. */
export interface DebianCandidate extends Omit<DebianPin, 'id' | 'sha256' | 'support'> {
  /** The suite it was found in. */
  readonly where: string;
}

/**
 * Matches `linux-image-6.1.0-56-amd64`, `-6.1.0-0.deb11.52-`, `-6.12.117+deb13.1-`: a whole release, then at most a
 * number or Debian's mark. Does not match other flavours (`-cloud-amd64`, `-rt-amd64`), `-unsigned` and `-dbg`, or
 * metapackages (`linux-image-6.1-amd64`).
 */
const genericImage = /^linux-image-(\d+\.\d+\.\d+(?:-\d[a-z0-9.]*|\+[a-z0-9.]+)?-amd64)$/;

/** Parts into which an image is split from 6.19 on: the image itself, its configuration, its modules. */
const parts = ['linux-binary', 'linux-base', 'linux-modules'] as const;

/**
 * Finds the kernels of the generic flavour among a suite's packages.
 *
 * Up to 6.18 an image package is the kernel. From 6.19 on it is empty and depends on its parts. If the suite does not
 * have one of them in the same version, there is no kernel: suites keep images longer than modules.
 */
export function findKernels(
  records: readonly PackageRecord[],
  { archive, codename }: DebianSuite,
  { date }: Pick<SuiteIndex, 'date'>,
): DebianCandidate[] {
  const snapshot = snapshotTime(date);
  return records.flatMap((image) => {
    const { version } = image;
    const [, uname] = genericImage.exec(image.name) ?? [];
    const [, release, minor] = /^((\d+\.\d+)\.\d+)-/.exec(version) ?? [];
    if (uname === undefined || release === undefined || minor === undefined || !uname.startsWith(`${minor}.`))
      return [];
    const depends = new Set(image.depends.split(/[\s,|]+/));
    const names = parts.map((part) => `${part}-${uname}`).filter((name) => depends.has(name));
    const found = names.map((name) => records.find((record) => record.name === name && record.version === version));
    const files = names.length === 0 ? [image] : found.filter((record) => record !== undefined);
    if (files.length < names.length) return [];
    const packages = files.map(({ name, poolPath, sha256, sizeBytes }) => ({ name, poolPath, sha256, sizeBytes }));
    return [{ origin: 'debian', minor, release, archive, version, snapshot, packages, where: codename }];
  });
}

/**
 * A time at which the permanent archive has what an index of this date lists, `YYYYMMDDTHHMMSSZ`.
 *
 * It is a day after the index. The permanent archive answers with its last copy before the requested time. It copies an
 * archive a few times a day, after the index was made, so the copy of that very time may not have a package that came
 * with this index. A package that was superseded in that day is still there: suites keep a kernel for weeks after the
 * next. For a time in the future the permanent archive answers with the newest copy.
 */
export function snapshotTime(date: Date): string {
  return formatSnapshot(new Date(date.getTime() + 86_400_000));
}

/** Formats a time as `YYYYMMDDTHHMMSSZ`. */
export function formatSnapshot(time: Date): string {
  return time.toISOString().replace(/[-:]|\.\d+/g, '');
}

/** The fields of one deb822 stanza; lines of a long field are joined by newlines. The first of equal names counts. */
function readStanza(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  let current = '';
  for (const line of lines) {
    if (/^[ \t]/.test(line)) {
      if (current !== '') fields.set(current, `${fields.get(current)}\n${line.trim()}`);
      continue;
    }
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    current = colon > 0 && !fields.has(name) ? name : '';
    if (current !== '') fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

function readDate(text: string | undefined): Date | undefined {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}
