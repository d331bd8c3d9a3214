// Verified downloads: a file of known size and SHA-256 from the first of several addresses that has it.

import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { Log } from '../adapters/log.ts';
import { GateError, type GateErrorOptions, InterruptedError, MachineError } from '../errors.ts';

export interface ExpectedFile {
  /** What a person calls it, for progress and messages. */
  readonly name: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

export interface DownloadOptions {
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** How long a source may send nothing before the next one is tried. Default 30 s. */
  readonly stallMs?: number;
  /** Class of the errors thrown: who has to mend a file that cannot be had. */
  readonly ErrorClass: new (
    message: string,
    options?: GateErrorOptions,
  ) => GateError;
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
  const failures: string[] = [];
  for (const address of addresses) {
    try {
      await downloadFrom(address, file, destination, options);
      return;
    } catch (error) {
      await rm(destination, { force: true });
      if (options.signal?.aborted) {
        throw new InterruptedError(`fetching ${file.name} was interrupted`, { cause: options.signal.reason });
      }
      if (error instanceof GateError) throw error;
      if (!(error instanceof SourceFailure)) {
        throw new MachineError(`cannot write \`${destination}\``, {
          cause: error,
          hint: 'see whether its disk is full',
        });
      }
      failures.push(`  ${address}: ${error.message}`);
      options.log.progress(`${address}: ${error.message}`);
    }
  }
  throw new options.ErrorClass(`cannot fetch ${file.name} from any source:\n${failures.join('\n')}`, {
    hint: unreachableHint(process.env),
  });
}

/** One source could not deliver; the next may. */
class SourceFailure extends Error {}

async function downloadFrom(
  address: string,
  file: ExpectedFile,
  destination: string,
  { log, signal, stallMs = 30_000, ErrorClass }: DownloadOptions,
): Promise<void> {
  const stall = new AbortController();
  const timer = setTimeout(() => stall.abort(), stallMs);
  const signals = signal === undefined ? [stall.signal] : [stall.signal, signal];
  const sourceFailure = (error: unknown) =>
    new SourceFailure(stall.signal.aborted ? `sent nothing for ${stallMs / 1000} s` : describe(error));

  const output = await open(destination, 'w');
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

    const hash = createHash('sha256');
    const showProgress = progressLines(log, file, new URL(address).host);
    let received = 0;
    // Read by hand: only the network's errors make a source fail, a full disk is another matter.
    const reader = response.body.getReader();
    for (;;) {
      timer.refresh();
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw sourceFailure(error);
      });
      if (done) break;
      received += value.length;
      if (received > file.sizeBytes) {
        await reader.cancel();
        throw new ErrorClass(
          `wrong size of ${file.name}: ${address} sends more than the ${file.sizeBytes} bytes pinned`,
          {
            hint: lookHint,
          },
        );
      }
      hash.update(value);
      await output.writeFile(value);
      showProgress(received);
    }
    if (received < file.sizeBytes) {
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
    clearTimeout(timer);
    await output.close();
  }
}

const lookHint = 'do not retry blindly: find out whether the source changed the file or something rewrites downloads';

/** A line at every tenth of the file and at least every 10 s. */
const progressMs = 3000;

function progressLines(log: Log, file: ExpectedFile, host: string): (received: number) => void {
  const size = `${(file.sizeBytes / 1e6).toFixed(1)} MB`;
  log.progress(`fetching ${file.name} (${size}) from ${host}`);
  let shownAt = performance.now();
  return (received) => {
    const now = performance.now();
    if (now - shownAt < progressMs) return;
    shownAt = now;
    log.progress(`fetching ${file.name}: ${Math.floor((100 * received) / file.sizeBytes)} % of ${size}`);
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

function unreachableHint(env: NodeJS.ProcessEnv): string {
  const proxy = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].find((name) => env[name]);
  if (proxy !== undefined && env.NODE_USE_ENV_PROXY !== '1') {
    return `${proxy} is set, but Node heeds it only with NODE_USE_ENV_PROXY=1 (Node 24): set that and try again`;
  }
  return 'check that this machine reaches one of these addresses, then try again';
}
