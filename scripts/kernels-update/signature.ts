// Kernel updates: checks a clear-signed index with gpgv and returns only the text that was signed.

import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTemporaryFolder } from '../../src/adapters/temporary-folder.ts';
import { KernelError } from '../../src/common/errors.ts';
import { runTool } from './tool.ts';

export interface SignatureOptions {
  /** Name of the index in messages. */
  readonly name: string;
  /** Absolute path of a keyring as `gpg --export` writes it, not ASCII-armoured. */
  readonly keyring: string;
  /** Fingerprint of the primary key that must have signed, upper-case hexadecimal. Default: any key of the keyring. */
  readonly fingerprint?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the text of a clear-signed message.
 *
 * @throws KernelError when it is not exactly one such message, or has no good signature of the expected key
 * @throws MachineError when gpgv is missing
 */
export async function readClearSigned(message: Buffer, options: SignatureOptions): Promise<string> {
  const { name, keyring, signal } = options;
  if (!isOneMessage(message.toString('latin1'))) {
    throw new KernelError(`${name} is not one clear-signed message: cut off, or something else was sent`, {
      hint: lookHint,
    });
  }
  return await withTemporaryFolder(join(tmpdir(), 'bpfgate-signature-'), async (folder) => {
    const signed = join(folder, 'signed');
    const text = join(folder, 'text');
    await writeFile(signed, message);
    // Signatures with SHA-1 and RIPEMD-160 do not count; those with MD5 never do.
    const weak = ['SHA1', 'RIPEMD160'].flatMap((digest) => ['--weak-digest', digest]);
    const args = ['--status-fd', '1', ...weak, '--keyring', keyring, '--output', text, signed];
    const result = await runTool('gpgv', args, { signal, timeoutMs: 60_000 });
    const fault = findFault(result.stdout, options.fingerprint);
    if (fault !== undefined) {
      throw new KernelError(`the signature of ${name} is not accepted: ${fault}\n${result.stderr.trim()}`, {
        hint: lookHint,
      });
    }
    return await readFile(text, 'utf8');
  });
}

const lookHint = 'nothing was taken from it: find out what the source sends; an old keyring does not have newer keys';

/**
 * Whether a text is one clear-signed message with nothing before, between and after. gpgv would print all of several
 * messages, even those signed by strangers. Lines of the signed text cannot look like this: they are escaped with `- `.
 */
export function isOneMessage(text: string): boolean {
  const marks = [...text.matchAll(/^-----.*$/gm)].map(([line]) => line.trimEnd());
  const expected = [
    '-----BEGIN PGP SIGNED MESSAGE-----',
    '-----BEGIN PGP SIGNATURE-----',
    '-----END PGP SIGNATURE-----',
  ];
  return (
    marks.length === expected.length &&
    expected.every((mark, index) => marks[index] === mark) &&
    text.startsWith('-----') &&
    text.trimEnd().endsWith('-----END PGP SIGNATURE-----')
  );
}

/**
 * The fault according to gpgv's status lines; undefined when an expected key has a good signature and none is bad.
 *
 * As in apt, signatures of unknown keys are ignored next to a good one: a suite is signed with the keys of several
 * Debian releases, and an older keyring does not have the newest. `VALIDSIG` alone is not enough, because expired and
 * revoked keys have it too. The lines: https://git.gnupg.org/cgi-bin/gitweb.cgi?p=gnupg.git;a=blob;f=doc/DETAILS
 *
 * @param fingerprint of the expected primary key; default: any key given to gpgv
 */
export function findFault(status: string, fingerprint?: string): string | undefined {
  const seen: string[] = [];
  const signers: string[] = [];
  let good = false;
  for (const line of status.split('\n')) {
    const [prefix, keyword, ...args] = line.split(' ');
    if (prefix !== '[GNUPG:]' || keyword === undefined) continue;
    if (keyword === 'NEWSIG') good = false;
    if (/^(GOOD|BAD|ERR|EXP|EXPKEY|REVKEY)SIG$/.test(keyword)) {
      good = keyword === 'GOODSIG';
      seen.push(`${keyword} ${args[0]}`);
    }
    // The primary key's fingerprint is the last of the ten arguments.
    if (keyword === 'VALIDSIG' && good && args[9] !== undefined) signers.push(args[9]);
  }
  const bad = seen.find((line) => line.startsWith('BADSIG'));
  if (bad !== undefined) return `what was signed is not what was sent (${bad})`;
  if (signers.length === 0) return `no good signature of a known key (${seen.join(', ') || 'no signature'})`;
  if (fingerprint !== undefined && !signers.includes(fingerprint)) {
    return `signed by ${signers.join(', ')}, not by ${fingerprint}`;
  }
  return undefined;
}
