// Cache: downloads a file of known SHA-256 from the first of several addresses that has it.

import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
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
}

/**
 * Downloads `file` to `destination` from the first address that has it.
 *
 * An address that fails, stalls, breaks off or sends something else is skipped. It is asked again after the others
 * where that may help. The destination exists afterwards only when its content is right.
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
  const path = `${destination}.part`;
  try {
    const handle = await open(path, 'a');
    try {
      await tryAddresses(file, addresses, handle, options);
    } finally {
      await handle.close();
    }
    await rename(path, destination);
  } catch (error) {
    if (options.signal?.aborted || error instanceof GateError) throw error;
    throw new MachineError(`cannot write ${file.name} to \`${path}\`: ${(error as Error).message}`, {
      cause: error,
      hint: machineFailure(error)?.hint ?? 'set BPFGATE_CACHE to a folder that can be written',
    });
  } finally {
    await rm(path, { force: true });
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

/** Maximum number of times that a source is asked again. */
const mostRetries = 3;

/** Bytes per second. A source that sends less counts as stalled: its transfer would not end. */
const leastRate = 1024;

/** Number of bytes after which a source that stalls is worth asking again. */
const goodBytes = 1_000_000;

/** Downloads a file from the first address that has it. */
async function tryAddresses(
  file: ExpectedFile,
  addresses: readonly string[],
  handle: FileHandle,
  options: DownloadOptions,
): Promise<void> {
  const { name } = file;
  const { log, signal, ErrorClass, retryMs = 2000 } = options;
  const failures = new Map<string, SourceFailure>();
  const succeedsAtOne = async (these: readonly string[]): Promise<boolean> => {
    for (const address of these) {
      try {
        await downloadFrom(address, file, handle, options);
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
  if (await succeedsAtOne(addresses)) return;
  for (let retry = 1; retry <= mostRetries; retry += 1) {
    const again = addresses.filter((address) => {
      const { reason, waitMs } = failures.get(address) ?? {};
      return reason !== undefined && passing.has(reason) && (waitMs ?? 0) <= longestWaitMs;
    });
    if (again.length === 0) break;
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

/**
 * Writes a file, as an address sends it.
 *
 * @throws SourceFailure when the address does not deliver it
 */
async function downloadFrom(
  address: string,
  file: ExpectedFile,
  handle: FileHandle,
  options: DownloadOptions,
): Promise<void> {
  const limit = 'sizeBytes' in file ? file.sizeBytes : file.maxBytes;
  const sum = createHash('sha256');
  let bytes = 0;
  const showProgress = progressLines(options.log, file, new URL(address).host);
  await handle.truncate(0);
  await receive(address, options, async (chunk) => {
    if (bytes + chunk.length > limit) {
      const bound = 'sizeBytes' in file ? `the ${limit} bytes pinned` : `${limit} bytes`;
      throw new SourceFailure(`wrong size: it sends more than ${bound}`, 'different');
    }
    await handle.appendFile(chunk);
    sum.update(chunk);
    bytes += chunk.length;
    showProgress(bytes);
  });
  if ('sizeBytes' in file && bytes < file.sizeBytes) {
    // For example a proxy's login page.
    throw new SourceFailure(`wrong size: it has ${bytes} bytes, and ${file.sizeBytes} are pinned`, 'different');
  }
  const sha256 = sum.digest('hex');
  if (sha256 === file.sha256) return;
  throw new SourceFailure(`wrong SHA-256: it sends ${sha256}, and ${file.sha256} is pinned`, 'different');
}

/**
 * Passes what an address sends to `take`, chunk by chunk.
 *
 * @throws SourceFailure when the network, the server or the time limit ends it; errors of `take` pass through
 */
async function receive(
  address: string,
  { signal, stallMs = 30_000, httpsOnly }: Pick<DownloadOptions, 'signal' | 'stallMs' | 'httpsOnly'>,
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
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
      headers: { 'accept-encoding': 'identity' },
    };
    const response = await (httpsOnly ? fetchOverHttps(address, request) : fetch(address, request)).catch(
      (error: unknown) => {
        throw error instanceof SourceFailure ? error : sourceFailure(error);
      },
    );
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new SourceFailure(`HTTP ${response.status}`, reasonOf(response.status), readRetryAfter(response.headers));
    }
    // Read by hand: only the network's errors make a source fail, not a full disk.
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw sourceFailure(error);
      });
      if (done) return;
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

function progressLines(log: Log, file: ExpectedFile, host: string): (received: number) => void {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const size = 'sizeBytes' in file ? ` (${megabytes(file.sizeBytes)})` : '';
  log.progress(`fetching ${file.name}${size} from ${host}`);
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
