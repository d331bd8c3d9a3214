// Downloads from the first of several addresses that has the file: verified ones, of known size and SHA-256, and small
// ones that carry a signature instead.

import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
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
  /** How long a source may send nothing before the next one is tried. Default 30 s. */
  readonly stallMs?: number | undefined;
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
 * An address that fails, stalls or breaks off is passed over. One that delivers something else ends the search:
 * someone has to look. The destination exists afterwards only when its content is right.
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

/** One source could not deliver; the next may. */
class SourceFailure extends Error {}

/** What `attempt` gives for the first address at which it does not end in a SourceFailure. */
async function tryAddresses<T>(
  name: string,
  addresses: readonly string[],
  { log, signal, ErrorClass, UnreachableClass = ErrorClass, unreachableHint }: DownloadOptions,
  attempt: (address: string) => Promise<T>,
): Promise<T> {
  const failures: string[] = [];
  for (const address of addresses) {
    try {
      return await attempt(address);
    } catch (error) {
      if (signal?.aborted) {
        throw new InterruptedError(`fetching ${name} was interrupted`, { cause: signal.reason });
      }
      if (!(error instanceof SourceFailure)) throw error;
      failures.push(`  ${address}: ${error.message}`);
      log.progress(`${address}: ${error.message}`);
    }
  }
  throw new UnreachableClass(`cannot fetch ${name} from any source:\n${failures.join('\n')}`, {
    hint: [networkHint(process.env), unreachableHint].filter((hint) => hint !== undefined).join('; or '),
  });
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
      throw new SourceFailure(`broke off after ${received} of ${file.sizeBytes} bytes`);
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
  const timer = setTimeout(() => stall.abort(), stallMs);
  const signals = signal === undefined ? [stall.signal] : [stall.signal, signal];
  const sourceFailure = (error: unknown) =>
    new SourceFailure(stall.signal.aborted ? `sent nothing for ${stallMs / 1000} s` : describe(error));
  try {
    const response = await fetch(address, {
      signal: AbortSignal.any(signals),
      headers: { 'accept-encoding': 'identity' },
    }).catch((error: unknown) => {
      throw sourceFailure(error);
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new SourceFailure(`HTTP ${response.status}`);
    }
    // Read by hand: only the network's errors make a source fail, a full disk is another matter.
    const reader = response.body.getReader();
    for (;;) {
      timer.refresh();
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw sourceFailure(error);
      });
      if (done) return;
      try {
        await take(value);
      } catch (error) {
        await reader.cancel();
        throw error;
      }
    }
  } finally {
    clearTimeout(timer);
  }
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
