import { describe, expect, test } from 'vitest';
import { findFault, isOneMessage } from '../../../scripts/kernels-update/signature.ts';

const message = `-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA512

text
- -----BEGIN PGP SIGNATURE----- in the text
-----BEGIN PGP SIGNATURE-----

abc
-----END PGP SIGNATURE-----
`;

describe('isOneMessage', () => {
  test.each([
    ['as gpg writes it', message],
    ['with the line ends of Windows', message.replaceAll('\n', '\r\n')],
  ])('accepts a message %s', (_, text) => expect(isOneMessage(text)).toBe(true));

  test.each([
    ['nothing', ''],
    ['an answer of a captive portal', '<html></html>'],
    ['two messages', message + message],
    ['text before', `text\n${message}`],
    ['text behind', `${message}text\n`],
    ['a message cut off', message.slice(0, -30)],
    ['a second text between', message.replace('-----BEGIN PGP SIGNATURE', '-----BEGIN PGP SIGNED MESSAGE-----\n$&')],
  ])('refuses %s', (_, text) => expect(isOneMessage(text)).toBe(false));
});

describe('findFault', () => {
  const primary = 'A'.repeat(40);
  const other = 'B'.repeat(40);
  const valid = (fingerprint: string) => `[GNUPG:] VALIDSIG ${'C'.repeat(40)} 2026-11-20 1 0 4 0 1 8 01 ${fingerprint}`;
  const good = (fingerprint: string) => `[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 1234 a name\n${valid(fingerprint)}\n`;
  const unknown = '[GNUPG:] NEWSIG\n[GNUPG:] ERRSIG 5678 1 8 01 1 9 -\n[GNUPG:] NO_PUBKEY 5678\n';

  test('accepts a good signature, also next to one of an unknown key', () => {
    expect(findFault(good(primary))).toBeUndefined();
    expect(findFault(good(primary) + unknown)).toBeUndefined();
    expect(findFault(unknown + good(primary))).toBeUndefined();
  });

  test('requires the given primary key, also among others', () => {
    expect(findFault(good(other) + good(primary), primary)).toBeUndefined();
    expect(findFault(good(other), primary)).toBe(`signed by ${other}, not by ${primary}`);
    // A subkey's fingerprint is not the trusted one.
    expect(findFault(good(other), 'C'.repeat(40))).toContain('not by');
  });

  test.each([
    ['no output', '', 'no signature'],
    ['an unknown key', unknown, 'ERRSIG 5678'],
    ['a bad signature next to a good one', `${good(primary)}[GNUPG:] NEWSIG\n[GNUPG:] BADSIG 9 x\n`, 'BADSIG 9'],
    ['an expired key', `[GNUPG:] NEWSIG\n[GNUPG:] EXPKEYSIG 9 x\n${valid(primary)}\n`, 'EXPKEYSIG 9'],
    ['a revoked key', `[GNUPG:] NEWSIG\n[GNUPG:] REVKEYSIG 9 x\n${valid(primary)}\n`, 'REVKEYSIG 9'],
    ['a name that looks like a status line', 'gpgv: [GNUPG:] GOODSIG 1 x\n', 'no signature'],
  ])('refuses %s', (_, status, expected) => expect(findFault(status)).toContain(expected));
});
