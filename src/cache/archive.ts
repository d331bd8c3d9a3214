// Cache: files in packages and archives. Every kind becomes a tar stream, from which GNU tar extracts the wanted files.

import { mkdir } from 'node:fs/promises';
import { run } from '../adapters/process.ts';
import { fullCache, type GateError, type GateErrorOptions, MachineError, saysFullDisk } from '../common/errors.ts';

/** How a kind of archive becomes a tar stream. */
export interface ArchiveKind {
  /** Program and arguments that write the stream of a file. */
  readonly reader: (file: string) => readonly [program: string, ...args: string[]];
  /** Debian package of the program. */
  readonly package: string;
}

const deb: ArchiveKind = { reader: (file) => ['dpkg-deb', '--fsys-tarfile', file], package: 'dpkg' };

const kinds: readonly (readonly [offset: number, magic: string, ArchiveKind])[] = [
  [0, '213c617263683e0a', deb],
  // bsdtar reads the file after `@` as an archive; rpm is one of its formats.
  [
    0,
    'edabeedb',
    {
      reader: (file) => ['bsdtar', '--create', '--format=gnutar', '--file=-', `@${file}`],
      package: 'libarchive-tools',
    },
  ],
  [0, '1f8b', { reader: (file) => ['gzip', '-dc', file], package: 'gzip' }],
  [0, 'fd377a585a00', { reader: (file) => ['xz', '-dc', file], package: 'xz-utils' }],
  [0, '28b52ffd', { reader: (file) => ['zstd', '-dc', file], package: 'zstd' }],
  [257, '7573746172', { reader: (file) => ['cat', file], package: 'coreutils' }],
];

/** Finds the kind of an archive by its first 262 bytes; undefined for other files. */
export function archiveKindOf(start: Buffer): ArchiveKind | undefined {
  return kinds.find(([at, magic]) => start.toString('hex', at, at + magic.length / 2) === magic)?.[2];
}

export interface ArchiveOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: a Debian package. */
  readonly kind?: ArchiveKind;
  /** Name of the archive in messages. Default: its path. */
  readonly name?: string;
  /** Class of the error for an archive that cannot be read. Default `MachineError`. */
  readonly ErrorClass?: new (
    message: string,
    options?: GateErrorOptions,
  ) => GateError;
}

/** Names of the files, folders and links in an archive, as tar prints them: `./boot/vmlinuz-6.1.0-50-amd64`. */
export async function listArchive(file: string, options: ArchiveOptions = {}): Promise<string[]> {
  const listing = await pipeToTar(file, ['--list'], options);
  return listing.split('\n').filter((line) => line !== '');
}

export interface ArchiveEntry {
  /** Name in the archive. Characters that are not printed are escaped by `\`. */
  readonly name: string;
  /** Letter that `ls -l` prints: `-` for a regular file. */
  readonly type: string;
  /** 0 for what is no regular file. */
  readonly bytes: number;
}

/** Characters of a listing, several times those of any kernel package. */
const maxListing = 64 * 1024 * 1024;

/**
 * Lists an archive whose author is not trusted.
 *
 * @throws ErrorClass when it cannot be read, or has too many entries
 */
export async function listEntries(file: string, options: ArchiveOptions): Promise<ArchiveEntry[]> {
  const list = ['--list', '--verbose', '--numeric-owner', '--quoting-style=escape'];
  const listing = await pipeToTar(file, list, { ...options, maxOutput: maxListing });
  if (listing.length >= maxListing) {
    const { name = `\`${file}\``, ErrorClass = MachineError } = options;
    throw new ErrorClass(`${name} has too many entries`);
  }
  return [...listing.matchAll(/^(.)\S{9}\S* \d+\/\d+ +([\d,]+) \S+ \S+ (.*)$/gm)].map(
    ([, type = '', size, name = '']) => ({
      name: type === 'l' || type === 'h' ? name.replace(/ (?:->|link to) .*/, '') : name,
      type,
      bytes: type === '-' ? Number(size) : 0,
    }),
  );
}

/** Extracts the files of these names, and everything below the folders among them. */
export async function extractArchive(
  file: string,
  names: readonly string[],
  into: string,
  options: ArchiveOptions = {},
): Promise<void> {
  await mkdir(into, { recursive: true });
  const extract = ['--extract', '--directory', into, '--no-same-owner', '--no-wildcards', '--files-from', '-'];
  await pipeToTar(file, extract, { ...options, input: `${names.join('\n')}\n` });
}

/** Bytes of a tar stream. A small file could unpack without end. */
const maxUnpacked = 8 * 1024 ** 3;

async function pipeToTar(
  file: string,
  tarArguments: readonly string[],
  options: ArchiveOptions & { readonly input?: string; readonly maxOutput?: number },
): Promise<string> {
  const { signal, input = '', maxOutput, kind = deb, name = `\`${file}\``, ErrorClass = MachineError } = options;
  // The names come on the script's standard input, the stream on tar's, which takes a third descriptor.
  const script = `command -v "$2" >/dev/null || exit 127
count=$1
shift
reader=("\${@:1:count}")
shift "$count"
set -o pipefail
exec 3<&0
"\${reader[@]}" | head -c ${maxUnpacked} | {
  exec 4<&0
  tar --file /dev/fd/4 "$@" <&3
  code=$?
  # tar stops at the archive's end. What follows is read too, so that nothing fails because it is not.
  cat <&4 >/dev/null
  exit "$code"
}`;
  const reader = kind.reader(file);
  const args = ['-c', script, 'bpfgate', String(reader.length), ...reader, ...tarArguments];
  const result = await run('bash', args, { signal, input, ...(maxOutput === undefined ? {} : { maxOutput }) });
  if (result.exitCode === 0) return result.stdout;
  if (result.exitCode === 127) {
    throw new MachineError(`${reader[0]} is missing, which unpacks ${name}`, {
      hint: `apt-get install ${kind.package}, or your distribution's package of that program`,
    });
  }
  if (saysFullDisk(result.stderr)) throw fullCache(`unpack ${name}`);
  const how = result.timedOut ? 'ran out of time' : `exited with ${result.exitCode ?? result.signal}`;
  throw new ErrorClass(`unpacking ${name} ${how}:\n${result.stderr.trim().slice(-1000)}`, {
    hint: 'it is incomplete, or unpacks to more than 8 GiB: get it again',
  });
}
