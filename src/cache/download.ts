// Downloads from the first of several addresses that has the file: verified ones, of known size and SHA-256, and small
// ones that carry a signature instead.

import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import type { Log } from '../adapters/log.ts';
import { GateError, type GateErrorOptions, InterruptedError, MachineError } from '../errors.ts';

export type ExpectedFile = {
  /** What a person calls it, for progress and messages. */
  readonly name: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
} & (
  | { readonly sizeBytes: number }
  /** Where the size is not known beforehand. A source that sends more is refused. */
  | { readonly maxBytes: number }
);

/** A file whose content nothing tells beforehand. */
export interface SmallFile {
  /** What a person calls it, for messages. */
  readonly name: string;
  /** A source that sends more is refused. */
  readonly maxBytes: number;
}

type ErrorClass = new (message: string, options?: GateErrorOptions) => GateError;

export interface DownloadOptions {
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** How long a source may send next to nothing before the next one is tried. Default 30 s. */
  readonly stallMs?: number | undefined;
  /** How long to wait before sources that may be well again soon are tried once more. Default 2 s. */
  readonly retryMs?: number | undefined;
  /** Class of the errors thrown: who has to mend a file that cannot be had. */
  readonly ErrorClass: ErrorClass;
  /** Class of the error thrown when no address has the file, as opposed to a wrong file. Default `ErrorClass`. */
  readonly UnreachableClass?: ErrorClass;
  /** What to do when no address has the file, beyond seeing to the network. */
  readonly unreachableHint?: string | undefined;
}

/**
 * Downloads `file` to `destination` from the first address that has it.
 *
 * An address that fails, stalls or breaks off is passed over, and tried once more after the others where that may help.
 * One that delivers something else ends the search: someone has to look. The destination exists afterwards only when its content is right.
 *
 * @throws ErrorClass when no address has it, or when one delivers another content
 * @throws MachineError when the destination cannot be written
 * @throws InterruptedError when `signal` aborts
 */
export async function downloadVerified(
  file: ExpectedFile,
  addresses: readonly string[],
  destination: string,
  options: DownloadOptions,
): Promise<void> {
  await tryAddresses(file.name, addresses, options, async (address) => {
    try {
      await downloadFrom(address, file, destination, options);
    } catch (error) {
      await rm(destination, { force: true });
      if (options.signal?.aborted || error instanceof GateError || error instanceof SourceFailure) throw error;
      throw new MachineError(`cannot write \`${destination}\``, {
        cause: error,
        hint: 'see whether its disk is full',
      });
    }
  });
}

/**
 * The content of a small file from the first address that has it. Nothing about it is verified: the caller checks the
 * signature it carries.
 *
 * @throws UnreachableClass when no address has it
 * @throws ErrorClass when one sends more than `maxBytes`
 * @throws InterruptedError when `signal` aborts
 */
export async function downloadSmall(
  file: SmallFile,
  addresses: readonly string[],
  options: DownloadOptions,
): Promise<{ readonly content: Buffer; readonly address: string }> {
  return await tryAddresses(file.name, addresses, options, async (address) => {
    const chunks: Uint8Array[] = [];
    let received = 0;
    await receive(address, options, (chunk) => {
      received += chunk.length;
      if (received > file.maxBytes) {
        throw new options.ErrorClass(`${file.name} is too long: ${address} sends more than ${file.maxBytes} bytes`, {
          hint: lookHint,
        });
      }
      chunks.push(chunk);
    });
    return { content: Buffer.concat(chunks), address };
  });
}

/** What is the matter with a source: it has no such file, it is not well, it stands still, or nobody comes through. */
type Trouble = 'absent' | 'refused' | 'overloaded' | 'stalled' | 'unreachable';

/** One source could not deliver; the next may. */
class SourceFailure extends Error {
  readonly trouble: Trouble;

  constructor(message: string, trouble: Trouble) {
    super(message);
    this.trouble = trouble;
  }
}

/** Those that a moment's wait may mend. Who has stood still once has taken long enough. */
const passing: ReadonlySet<Trouble> = new Set(['overloaded', 'unreachable']);

/** In bytes for each second that a source may send next to nothing: less is no transfer that ends. */
const leastRate = 1024;

/** What `attempt` gives for the first address at which it does not end in a SourceFailure. */
async function tryAddresses<T>(
  name: string,
  addresses: readonly string[],
  options: DownloadOptions,
  attempt: (address: string) => Promise<T>,
): Promise<T> {
  const { log, signal, ErrorClass, UnreachableClass = ErrorClass, unreachableHint, retryMs = 2000 } = options;
  const failures = new Map<string, SourceFailure>();
  const tryEach = async (these: readonly string[]): Promise<{ readonly value: T } | undefined> => {
    for (const address of these) {
      try {
        return { value: await attempt(address) };
      } catch (error) {
        if (signal?.aborted) throw interrupted(name, signal);
        if (!(error instanceof SourceFailure)) throw error;
        failures.set(address, error);
        log.progress(`${address}: ${error.message}`);
      }
    }
    return undefined;
  };
  const first = await tryEach(addresses);
  if (first !== undefined) return first.value;
  const again = addresses.filter((address) => passing.has(failures.get(address)?.trouble ?? 'absent'));
  if (again.length > 0) {
    log.progress(`${name}: trying again in ${retryMs / 1000} s`);
    await setTimeoutAsync(retryMs, undefined, { signal }).catch(() => {
      throw interrupted(name, signal);
    });
    const second = await tryEach(again);
    if (second !== undefined) return second.value;
  }
  const lines = addresses.map((address) => `  ${address}: ${failures.get(address)?.message}`);
  const troubles = new Set([...failures.values()].map(({ trouble }) => trouble));
  throw new UnreachableClass(`cannot fetch ${name} from any source:\n${lines.join('\n')}`, {
    hint: [hintFor(troubles), unreachableHint].filter((hint) => hint !== undefined).join('; or '),
  });
}

function interrupted(name: string, signal: AbortSignal | undefined): InterruptedError {
  return new InterruptedError(`fetching ${name} was interrupted`, { cause: signal?.reason });
}

/** The next step, by the source that comes nearest to having the file. */
function hintFor(troubles: ReadonlySet<Trouble>): string {
  if (troubles.has('overloaded')) return 'the server has troubles of its own: try again later';
  if (troubles.has('stalled')) return 'the network delivers next to nothing: try again, or through another one';
  if (troubles.has('unreachable')) return networkHint(process.env);
  if (troubles.has('refused')) return 'see whether a proxy, or the server, asks for something that is not given here';
  return 'it is not there any more: use a newer bpfgate, which may know another place';
}

async function downloadFrom(
  address: string,
  file: ExpectedFile,
  destination: string,
  options: DownloadOptions,
): Promise<void> {
  const { log, ErrorClass } = options;
  const output = await open(destination, 'w');
  try {
    const hash = createHash('sha256');
    const showProgress = progressLines(log, file, new URL(address).host);
    const limit = 'sizeBytes' in file ? file.sizeBytes : file.maxBytes;
    let received = 0;
    await receive(address, options, async (chunk) => {
      received += chunk.length;
      if (received > limit) {
        const bound = 'sizeBytes' in file ? `the ${limit} bytes pinned` : `${limit} bytes`;
        throw new ErrorClass(`wrong size of ${file.name}: ${address} sends more than ${bound}`, { hint: lookHint });
      }
      hash.update(chunk);
      await output.writeFile(chunk);
      showProgress(received);
    });
    if ('sizeBytes' in file && received < file.sizeBytes) {
      throw new SourceFailure(`broke off after ${received} of ${file.sizeBytes} bytes`, 'unreachable');
    }
    const sum = hash.digest('hex');
    if (sum !== file.sha256) {
      throw new ErrorClass(
        `wrong SHA-256 of ${file.name}:\n  pinned:   ${file.sha256}\n  received: ${sum}\n  from:     ${address}`,
        { hint: lookHint },
      );
    }
  } finally {
    await output.close();
  }
}

/**
 * Hands what an address sends to `take`, chunk by chunk.
 *
 * @throws SourceFailure when the network, the server or the time limit ends it; what `take` throws passes through
 */
async function receive(
  address: string,
  { signal, stallMs = 30_000 }: Pick<DownloadOptions, 'signal' | 'stallMs'>,
  take: (chunk: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const stall = new AbortController();
  // A server that sends a byte now and then would never end.
  let lately = 0;
  const timer = setInterval(() => {
    if (lately < (leastRate * stallMs) / 1000) stall.abort();
    else lately = 0;
  }, stallMs);
  const signals = signal === undefined ? [stall.signal] : [stall.signal, signal];
  const sourceFailure = (error: unknown) =>
    stall.signal.aborted
      ? new SourceFailure(`sent ${lately} bytes in ${stallMs / 1000} s`, 'stalled')
      : new SourceFailure(describe(error), 'unreachable');
  try {
    const response = await fetch(address, {
      signal: AbortSignal.any(signals),
      headers: { 'accept-encoding': 'identity' },
    }).catch((error: unknown) => {
      throw sourceFailure(error);
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new SourceFailure(`HTTP ${response.status}`, troubleOf(response.status));
    }
    // Read by hand: only the network's errors make a source fail, a full disk is another matter.
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw sourceFailure(error);
      });
      if (done) return;
      lately += value.length;
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

function troubleOf(status: number): Trouble {
  if (status === 404 || status === 410) return 'absent';
  return status === 429 || status >= 500 ? 'overloaded' : 'refused';
}

const lookHint = 'do not retry blindly: find out whether the source changed the file or something rewrites downloads';

/** A line at every tenth of the file and at least every 10 s. */
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
        ? `${Math.floor((100 * received) / file.sizeBytes)} % of ${megabytes(file.sizeBytes)}`
        : megabytes(received);
    log.progress(`fetching ${file.name}: ${share}`);
  };
}

/** `fetch failed` alone says nothing; the reason is in the causes. */
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
