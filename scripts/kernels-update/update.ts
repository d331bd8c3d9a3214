// Kernel updates: `npm run kernels:update` reads the signed index of each origin and proposes newer pins as a patch. It
// writes no pin.

import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Log } from '../../src/adapters/log.ts';
import { withTemporaryFolder } from '../../src/adapters/temporary-folder.ts';
import { permanentArchive, readAptSites } from '../../src/cache/debian-package.ts';
import { KernelError, MachineError } from '../../src/common/errors.ts';
import { parseEntries } from '../../src/kernels/pins.ts';
import { kernelSuites } from './debian-index.ts';
import {
  type DebianAccess,
  type IndexOptions,
  type KernelOrgAccess,
  obtainKey,
  readFolder,
  readSuite,
  UnreachableError,
} from './indexes.ts';
import { autosignerAddress, autosignerFingerprint, kernelOrgFolders, kernelOrgRoot } from './kernel-org-index.ts';
import {
  type Candidate,
  type Change,
  type PinDocument,
  propose,
  renderDocument,
  type UpdateOrigin,
} from './propose.ts';
import { runTool } from './tool.ts';

/** Path below the repository. */
export const pinsFile = 'kernels/kernels.json';

export const updateOrigins: readonly UpdateOrigin[] = ['debian', 'source'];

export interface UpdateOptions {
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Default: both. */
  readonly origins?: readonly UpdateOrigin[] | undefined;
  /** Minor versions to update, without new ones. Default: all that are pinned, and those newer than all of them. */
  readonly minors?: ReadonlySet<string> | undefined;
  /** File with kernel.org's signing key as `gpg --export` writes it. Default: the key is fetched. */
  readonly keyring?: string | undefined;
  /** Time after which a source that sends nothing is given up. Default 30 s. */
  readonly stallMs?: number;
  /** Default: the clock's time. */
  readonly now?: Date;
  /** Default: this machine's Debian mirrors, then the permanent archive; Debian's own keyring. */
  readonly debian?: Partial<DebianAccess>;
  /** Default: kernel.org and its checksum autosigner. */
  readonly kernelOrg?: Partial<KernelOrgAccess>;
}

/** An index that was left out. */
export interface UnreadIndex {
  /** `bookworm-security`, `kernel.org v6.x`. */
  readonly index: string;
  readonly error: KernelError;
}

export interface Update {
  /** A patch of kernels/kernels.json for `git apply`; empty when nothing is newer. */
  readonly diff: string;
  readonly changes: readonly Change[];
  /** Indexes that could not be fetched. */
  readonly unreachable: readonly UnreadIndex[];
  /** Errors that a person has to investigate: indexes that were refused, and pins that an index contradicts. */
  readonly faults: readonly KernelError[];
}

/**
 * Reads the indexes and proposes newer pins. An index that cannot be fetched or is refused is left out and named in the
 * result; the others count.
 *
 * @param text content of kernels/kernels.json
 * @throws KernelError when no index could be read, or the text is not a valid kernels.json
 * @throws MachineError when gpgv, Debian's keyring, xz, dpkg or diff is missing
 * @throws InputError when the given keyring cannot be used
 */
export async function updatePins(text: string, options: UpdateOptions): Promise<Update> {
  const { origins = updateOrigins, minors, now = new Date(), signal } = options;
  const document = parseDocument(text);
  const unreachable: UnreadIndex[] = [];
  const faults: KernelError[] = [];
  const candidates: Candidate[] = [];
  let read = 0;
  /** Reads an index; undefined when it is left out. */
  const attempt = async <T>(index: string, readIndex: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await readIndex();
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      if (error instanceof UnreachableError) unreachable.push({ index, error });
      else faults.push(error);
      return undefined;
    }
  };
  const collect = async (index: string, readIndex: () => Promise<Candidate[]>) => {
    const found = await attempt(index, readIndex);
    if (found === undefined) return;
    read += 1;
    candidates.push(...found);
  };

  return await withTemporaryFolder(join(tmpdir(), 'bpfgate-update-'), async (scratch) => {
    const indexOptions: IndexOptions = { log: options.log, signal, stallMs: options.stallMs, scratch };
    if (origins.includes('debian')) {
      const { suites = kernelSuites, keyring = debianKeyring, permanent = permanentArchive() } = options.debian ?? {};
      const sites = options.debian?.sites ?? (await readAptSites({ signal }));
      for (const suite of suites) {
        await collect(suite.codename, () => readSuite(suite, { sites, permanent, keyring }, now, indexOptions));
      }
    }
    if (origins.includes('source')) {
      const access: KernelOrgAccess = {
        root: kernelOrgRoot,
        folders: kernelOrgFolders,
        keyAddress: autosignerAddress,
        fingerprint: autosignerFingerprint,
        ...options.kernelOrg,
      };
      // Without its key nothing from kernel.org can be read.
      const keyring = await attempt('kernel.org', () => obtainKey(options.keyring, access, indexOptions));
      for (const folder of keyring === undefined ? [] : access.folders.filter((name) => holdsAny(name, minors))) {
        await collect(`kernel.org ${folder}`, () => readFolder(folder, access, keyring ?? '', indexOptions));
      }
    }
    if (read === 0) throw nothingRead(unreachable, faults);

    const isNewer = (version: string, than: string) => isNewerVersion(version, than, signal);
    const proposal = await propose(document, candidates, { minors, isNewer });
    const { changes } = proposal;
    const hint =
      'an origin changed a file it had published, or the pin is wrong: find out which before using this kernel';
    faults.push(...proposal.contradictions.map((sentence) => new KernelError(sentence, { hint })));
    if (changes.length === 0) return { diff: '', changes, unreachable, faults };
    const proposed = renderDocument(proposal.document);
    parseDocument(proposed);
    return { diff: await makeDiff(text, proposed, scratch, signal), changes, unreachable, faults };
  });
}

/** Keyring of the package debian-archive-keyring: the keys that apt itself trusts. */
const debianKeyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

function parseDocument(text: string): PinDocument {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new KernelError(`${pinsFile} is not JSON: ${(cause as Error).message}`, { cause });
  }
  parseEntries(document);
  // Returns the document as written, not as parsed, which keeps the order of the fields.
  return document as PinDocument;
}

/** Whether a folder of kernel.org can have a release of these minor versions. */
function holdsAny(folder: string, minors: ReadonlySet<string> | undefined): boolean {
  return minors === undefined || [...minors].some((minor) => folder === `v${minor.split('.')[0]}.x`);
}

function nothingRead(unreachable: readonly UnreadIndex[], faults: readonly KernelError[]): KernelError {
  const errors = [...faults, ...unreachable.map(({ error }) => error)];
  const hint = errors[0]?.hint;
  const lines = errors.map(({ message }) => `  ${message.replaceAll('\n', '\n  ')}`);
  return new KernelError(`no index could be read:\n${lines.join('\n')}`, hint === undefined ? {} : { hint });
}

/** Compares with dpkg, which knows Debian's order of versions. */
async function isNewerVersion(version: string, than: string, signal?: AbortSignal): Promise<boolean> {
  const result = await runTool('dpkg', ['--compare-versions', version, 'gt', than], { signal, timeoutMs: 10_000 });
  if (result.exitCode === 0 || result.exitCode === 1) return result.exitCode === 0;
  throw new MachineError(`dpkg cannot compare the versions ${version} and ${than}: ${result.stderr.trim()}`);
}

/** Makes a patch with paths that `git apply` and `patch -p1` take at the repository's root. */
async function makeDiff(before: string, after: string, scratch: string, signal?: AbortSignal): Promise<string> {
  const paths = ['a', 'b'].map((side) => `${side}/${pinsFile}`);
  for (const [index, text] of [before, after].entries()) {
    const path = join(scratch, paths[index] ?? '');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  // Labels instead of headers with times: the same proposal gives the same text.
  const args = ['-u', ...paths.flatMap((path) => ['--label', path]), ...paths];
  const result = await runTool('diff', args, { cwd: scratch, signal });
  if (result.exitCode === 0 || result.exitCode === 1) return result.stdout;
  throw new MachineError(`diff failed: ${result.stderr.trim()}`);
}
