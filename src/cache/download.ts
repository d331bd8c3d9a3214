// Cache: downloads a file of known SHA-256 from the first of several addresses that has it.

import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import type { Log } from '../adapters/log.ts';
import { GateError, type GateErrorOptions, InterruptedError, MachineError, machineFailure } from '../common/errors.ts';

export type ExpectedFile = {
  /** Name for progress and messages. */
  readonly name: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
} & (
  | { readonly sizeBytes: number }
  /** Limit where the size is not known beforehand. A source that sends more is refused. */
  | { readonly maxBytes: number }
);

export interface DownloadOptions {
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Time after which a source that sends next to nothing is given up. Default 30 s. */
  readonly stallMs?: number | undefined;
  /** Time before sources that may recover soon are tried again. Default 2 s. */
  readonly retryMs?: number | undefined;
  /** Class of the errors thrown. It says who has to fix that a file cannot be fetched. */
  readonly ErrorClass: new (
    message: string,
    options?: GateErrorOptions,
  ) => GateError;
  /** Hint for when no address has the file, in addition to checking the network. */
  readonly unreachableHint?: string | undefined;
  /** Hint for when the addresses do not have the file. Default: to use a newer bpfgate. */
  readonly absentHint?: string | undefined;
  /** Whether every address, also one that a server redirects to, has to be https. Default false. */
  readonly httpsOnly?: boolean | undefined;
  /** Sources that could not be asked, each with the reason. The error names them when no address has the file. */
  readonly notAsked?: readonly string[] | undefined;
  /**
   * File that keeps an incomplete download, so that the next call resumes it. It is on the destination's disk; its
   * folder need not exist. No other process may use it meanwhile. Default: nothing is kept.
   */
  readonly partial?: string | undefined;
}

/**
 * Downloads `file` to `destination` from the first address that has it.
 *
 * An address that fails, stalls, breaks off or sends something else is skipped. It is asked again after the others
 * where that may help. Received bytes are kept meanwhile: only the rest is requested, from servers that support it. The
 * destination exists afterwards only when its content is right.
 *
 * @throws ErrorClass when no address has it
 * @throws MachineError when it cannot be written
 * @throws InterruptedError when `signal` aborts
 */
export async function downloadVerified(
  file: ExpectedFile,
  addresses: readonly string[],
  destination: string,
  options: DownloadOptions,
): Promise<void> {
  const path = options.partial ?? `${destination}.part`;
  let isKept = options.partial !== undefined;
  try {
    await mkdir(dirname(path), { recursive: true });
    const partial = await PartialFile.open(path, file);
    try {
      if (partial.isComplete()) options.log.progress(`${file.name} had arrived already`);
      else await tryAddresses(file, addresses, partial, options);
    } finally {
      await partial.close();
    }
    await rename(path, destination);
  } catch (error) {
    if (options.signal?.aborted || error instanceof GateError) throw error;
    // A partial file on a full disk would only keep it full.
    isKept = false;
    throw new MachineError(`cannot write ${file.name} to \`${path}\`: ${(error as Error).message}`, {
      cause: error,
      hint: machineFailure(error)?.hint ?? 'set BPFGATE_CACHE to a folder that can be written',
    });
  } finally {
    if (!isKept) await rm(path, { force: true });
  }
}

/** Why a source failed: it has no such file, sends another one, refuses, fails itself, stalls, or cannot be reached. */
type Reason = 'absent' | 'different' | 'refused' | 'overloaded' | 'stalled' | 'unreachable';

/** One source could not deliver. The next one may. */
class SourceFailure extends Error {
  readonly reason: Reason;
  /** Time that the server asks to wait. */
  readonly waitMs: number;

  constructor(message: string, reason: Reason, waitMs = 0) {
    super(message);
    this.reason = reason;
    this.waitMs = waitMs;
  }
}

/** Reasons that may be gone after a short wait. A source that stalled once has taken long enough. */
const passing: ReadonlySet<Reason> = new Set(['overloaded', 'unreachable']);

/** The longest wait that a server may ask for. */
const longestWaitMs = 60_000;

/** Maximum number of times that a source is asked again, while each attempt brings something. */
const mostRetries = 8;

/** Bytes per second. A source that sends less counts as stalled: its transfer would not end. */
const leastRate = 1024;

/** Number of bytes after which a source is worth asking for the rest. */
const goodBytes = 1_000_000;

/** Downloads the rest of a file from the first address that has it. A failed attempt keeps what it received. */
async function tryAddresses(
  file: ExpectedFile,
  addresses: readonly string[],
  partial: PartialFile,
  options: DownloadOptions,
): Promise<void> {
  const { name } = file;
  const { log, signal, ErrorClass, retryMs = 2000 } = options;
  const failures = new Map<string, SourceFailure>();
  const succeedsAtOne = async (these: readonly string[]): Promise<boolean> => {
    for (const address of these) {
      try {
        await downloadRest(address, file, partial, options);
        return true;
      } catch (error) {
        if (signal?.aborted) throw interrupted(name, signal);
        if (!(error instanceof SourceFailure)) throw error;
        failures.set(address, error);
        if (error.reason === 'different') log.warn(`${name}: ${address}: ${error.message}`);
        else log.progress(`${address}: ${error.message}`);
      }
    }
    return false;
  };
  let before = partial.bytes;
  if (await succeedsAtOne(addresses)) return;
  for (let retry = 1; retry <= mostRetries; retry += 1) {
    const again = addresses.filter((address) => {
      const { reason, waitMs } = failures.get(address) ?? {};
      return reason !== undefined && passing.has(reason) && (waitMs ?? 0) <= longestWaitMs;
    });
    // Each is asked once more in any case, and then as long as something arrives.
    if (again.length === 0 || (retry > 1 && partial.bytes <= before)) break;
    before = partial.bytes;
    const waitMs = Math.max(retryMs, ...again.map((address) => failures.get(address)?.waitMs ?? 0));
    log.progress(`${name}: trying again in ${waitMs / 1000} s`);
    await setTimeoutAsync(waitMs, undefined, { signal }).catch(() => {
      throw interrupted(name, signal);
    });
    if (await succeedsAtOne(again)) return;
  }
  const lines = [
    ...(options.notAsked ?? []),
    ...addresses.map((address) => `${address}: ${failures.get(address)?.message}`),
  ];
  const reasons = new Set([...failures.values()].map(({ reason }) => reason));
  throw new ErrorClass(`cannot fetch ${name} from any source:\n${lines.map((line) => `  ${line}`).join('\n')}`, {
    hint: [
      hintFor(reasons, options.absentHint),
      reasons.has('different') ? lookHint : undefined,
      options.unreachableHint,
    ]
      .filter((hint) => hint !== undefined)
      .join('; or '),
  });
}

function interrupted(name: string, signal: AbortSignal | undefined): InterruptedError {
  return new InterruptedError(`fetching ${name} was interrupted`, { cause: signal?.reason });
}

/** The next step for the user, by the source that came nearest to having the file. */
function hintFor(
  reasons: ReadonlySet<Reason>,
  absentHint = 'it is not there any more: use a newer bpfgate, which may know another place',
): string | undefined {
  if (reasons.has('overloaded')) return 'the server is failing: retry later';
  if (reasons.has('stalled')) return 'the network delivers next to nothing: try again, or through another one';
  if (reasons.has('unreachable')) return networkHint(process.env);
  if (reasons.has('refused')) return 'see whether a proxy, or the server, asks for something that is not given here';
  return reasons.has('absent') && reasons.size === 1 ? absentHint : undefined;
}

/** The part of a file that is on the disk, and its hash so far. */
class PartialFile {
  readonly #handle: FileHandle;
  readonly #file: ExpectedFile;
  #hash = createHash('sha256');
  #bytes = 0;

  private constructor(handle: FileHandle, file: ExpectedFile) {
    this.#handle = handle;
    this.#file = file;
  }

  /** Resumes from what an earlier download left at `path`. */
  static async open(path: string, file: ExpectedFile): Promise<PartialFile> {
    const partial = new PartialFile(await open(path, 'a+'), file);
    for await (const chunk of partial.#handle.createReadStream({ start: 0, autoClose: false })) {
      partial.#hash.update(chunk);
      partial.#bytes += chunk.length;
    }
    const { bytes } = partial;
    if (bytes > limitOf(file) || ('sizeBytes' in file && bytes === file.sizeBytes && !partial.isComplete())) {
      await partial.clear();
    }
    return partial;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Lower-case hexadecimal. */
  get sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  isComplete(): boolean {
    return this.sha256 === this.#file.sha256;
  }

  async append(chunk: Uint8Array): Promise<void> {
    await this.#handle.writeFile(chunk);
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }

  async clear(): Promise<void> {
    await this.#handle.truncate(0);
    this.#hash = createHash('sha256');
    this.#bytes = 0;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

function limitOf(file: ExpectedFile): number {
  return 'sizeBytes' in file ? file.sizeBytes : file.maxBytes;
}

/** @throws SourceFailure when the address does not deliver the rest of the file */
async function downloadRest(
  address: string,
  file: ExpectedFile,
  partial: PartialFile,
  options: DownloadOptions,
): Promise<void> {
  try {
    await downloadFrom(address, file, partial, options);
  } catch (error) {
    if (!(error instanceof KeptPartMisfit)) throw error;
    options.log.progress(`what was kept of ${file.name} does not fit: fetching all of it`);
    await downloadFrom(address, file, partial, options);
  }
}

/** The kept part does not make the pinned file with what an address sends. It may be from another file. */
class KeptPartMisfit extends Error {}

/**
 * Appends the rest of the file, as an address sends it. Content that turns out to be from another file is removed.
 *
 * @throws SourceFailure when the address does not deliver the file
 * @throws KeptPartMisfit when the kept part does not fit what it delivers; the kept part is removed
 */
async function downloadFrom(
  address: string,
  file: ExpectedFile,
  partial: PartialFile,
  options: DownloadOptions,
): Promise<void> {
  const limit = limitOf(file);
  let isResumed = partial.bytes > 0;
  const restart = async () => {
    isResumed = false;
    await partial.clear();
  };
  const different = async (what: string) => {
    await partial.clear();
    return isResumed ? new KeptPartMisfit(what) : new SourceFailure(what, 'different');
  };
  const showProgress = progressLines(options.log, file, new URL(address).host, partial.bytes);
  const append = async (chunk: Uint8Array) => {
    if (partial.bytes + chunk.length > limit) {
      const bound = 'sizeBytes' in file ? `the ${limit} bytes pinned` : `${limit} bytes`;
      throw await different(`wrong size: it sends more than ${bound}`);
    }
    await partial.append(chunk);
    showProgress(partial.bytes);
  };
  const isWhole = await receive(address, { ...options, from: partial.bytes, restart }, append);
  if ('sizeBytes' in file && partial.bytes < file.sizeBytes) {
    // For example a proxy's login page.
    if (isWhole) throw await different(`wrong size: it has ${partial.bytes} bytes, and ${file.sizeBytes} are pinned`);
    throw new SourceFailure(`broke off after ${partial.bytes} of ${file.sizeBytes} bytes`, 'unreachable');
  }
  if (partial.isComplete()) return;
  throw await different(`wrong SHA-256: it sends ${partial.sha256}, and ${file.sha256} is pinned`);
}

interface ReceiveOptions extends Pick<DownloadOptions, 'signal' | 'stallMs' | 'httpsOnly'> {
  /** Number of bytes that have been received already. */
  readonly from: number;
  /** Called when the address sends the whole file instead of the rest. */
  readonly restart: () => Promise<void>;
}

/**
 * Passes what an address sends to `take`, chunk by chunk.
 *
 * @returns whether the server says that this was everything; otherwise the connection may have broken
 * @throws SourceFailure when the network, the server or the time limit ends it; errors of `take` pass through
 */
async function receive(
  address: string,
  options: ReceiveOptions,
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<boolean> {
  const { signal, stallMs = 30_000, from, restart } = options;
  const stall = new AbortController();
  // Otherwise a server that sends a byte now and then would never end.
  let lately = 0;
  let received = 0;
  const timer = setInterval(() => {
    if (lately < (leastRate * stallMs) / 1000) stall.abort();
    else lately = 0;
  }, stallMs);
  const signals = signal === undefined ? [stall.signal] : [stall.signal, signal];
  const sourceFailure = (error: unknown) => {
    if (!stall.signal.aborted) return new SourceFailure(describe(error), 'unreachable');
    // A connection that was good until now and died silently is like one that was closed.
    const reason = received >= goodBytes ? 'unreachable' : 'stalled';
    return new SourceFailure(`sent ${lately} bytes in ${stallMs / 1000} s`, reason);
  };
  try {
    const request = {
      signal: AbortSignal.any(signals),
      headers: { 'accept-encoding': 'identity', ...(from === 0 ? {} : { range: `bytes=${from}-` }) },
    };
    const response = await (options.httpsOnly ? fetchOverHttps(address, request) : fetch(address, request)).catch(
      (error: unknown) => {
        throw error instanceof SourceFailure ? error : sourceFailure(error);
      },
    );
    // The sum decides whether the rest fits the kept part, so no `If-Range` is needed.
    const isRest = response.status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${from}-`);
    if (from > 0 && (response.status === 416 || (response.status === 206 && !isRest))) {
      await response.body?.cancel();
      await restart();
      return await receive(address, { ...options, from: 0 }, take);
    }
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new SourceFailure(`HTTP ${response.status}`, reasonOf(response.status), readRetryAfter(response.headers));
    }
    if (from > 0 && !isRest) await restart();
    // Read by hand: only the network's errors make a source fail, not a full disk.
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw sourceFailure(error);
      });
      // With either header, fetch reports a premature end as an error.
      if (done) return response.headers.has('content-length') || response.headers.has('transfer-encoding');
      lately += value.length;
      received += value.length;
      try {
        await take(value);
      } catch (error) {
        await reader.cancel();
        throw error;
      }
    }
  } finally {
    clearInterval(timer);
  }
}

/** Maximum number of redirects, which is that of browsers. */
const mostRedirects = 20;

/** @throws SourceFailure when the address, or one that it redirects to, is not https */
async function fetchOverHttps(address: string, request: RequestInit): Promise<Response> {
  let next = new URL(address);
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    if (next.protocol !== 'https:') throw new SourceFailure(`it redirects to ${next}, which is not https`, 'refused');
    const response = await fetch(next.href, { ...request, redirect: 'manual' });
    const to = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (to === null || !URL.canParse(to, next.href)) return response;
    await response.body?.cancel();
    next = new URL(to, next.href);
  }
  throw new SourceFailure(`it redirects more than ${mostRedirects} times`, 'refused');
}

/** Milliseconds to wait; 0 where the server does not say. Dates are ignored: servers that limit rates send seconds. */
function readRetryAfter(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

function reasonOf(status: number): Reason {
  if (status === 404 || status === 410) return 'absent';
  return status === 429 || status >= 500 ? 'overloaded' : 'refused';
}

const lookHint = 'do not retry blindly: find out whether the source changed the file or something rewrites downloads';

const progressMs = 3000;

/** @param from number of bytes that have been received already */
function progressLines(log: Log, file: ExpectedFile, host: string, from: number): (received: number) => void {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const size = 'sizeBytes' in file ? ` (${megabytes(file.sizeBytes)})` : '';
  const start = from === 0 ? '' : `, going on after ${megabytes(from)}`;
  log.progress(`fetching ${file.name}${size} from ${host}${start}`);
  let shownAt = performance.now();
  return (received) => {
    const now = performance.now();
    if (now - shownAt < progressMs) return;
    shownAt = now;
    const share =
      'sizeBytes' in file
        ? `${megabytes(received)} of ${megabytes(file.sizeBytes)} (${Math.floor((100 * received) / file.sizeBytes)} %)`
        : megabytes(received);
    log.progress(`fetching ${file.name}: ${share}`);
  };
}

/** Describes an error with its causes: `fetch failed` alone does not give the reason. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause;
  if (!(cause instanceof Error)) return error.message;
  const code = (cause as NodeJS.ErrnoException).code;
  const reason = cause.message || String(code);
  return reason === error.message ? reason : `${error.message}: ${reason}`;
}

function networkHint(env: NodeJS.ProcessEnv): string {
  const proxy = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].find((name) => env[name]);
  if (proxy !== undefined && env.NODE_USE_ENV_PROXY !== '1') {
    return `${proxy} is set, but Node heeds it only with NODE_USE_ENV_PROXY=1 (Node 24): set that and try again`;
  }
  return 'check that this machine reaches one of these addresses, then try again';
}
