import { expect, test } from 'vitest';
import { encodeArguments, encodeLookup } from '../../src/inputs/contexts.ts';

test("a tracepoint's arguments are 12 words, zeros behind those that are given", () => {
  const bytes = Buffer.from(encodeArguments([1, -1, '0xffffffffffffffff', true]) ?? []);
  expect(bytes).toHaveLength(96);
  const words = [0, 1, 2, 3, 4, 11].map((word) => bytes.readBigUInt64LE(8 * word));
  expect(words).toEqual([1n, 2n ** 64n - 1n, 2n ** 64n - 1n, 1n, 0n, 0n]);
  for (const wrong of [['x'], [1.5], [2 ** 64], new Array(13).fill(0)]) expect(encodeArguments(wrong)).toBeUndefined();
});

test('a lookup has its addresses and the remote port in network byte order, and the local port in that of the machine', () => {
  const encode = (remote: string, local: string, isUdp = false) => {
    const bytes = encodeLookup({ remote, local, isUdp });
    return bytes && Buffer.from(bytes).toString('hex');
  };
  expect(encode('192.0.2.1:49152', '198.51.100.2:443')).toBe(
    `${'00'.repeat(8)}0200000006000000c0000201${'00'.repeat(16)}c0000000c6336402${'00'.repeat(16)}bb010000`,
  );
  expect(encode('[2001:db8::1]:1', '[::ffff:192.0.2.1]:2', true)).toBe(
    `${'00'.repeat(8)}0a0000001100000000000000${'20010db8000000000000000000000001'}00010000${'00'.repeat(4)}${'00000000000000000000ffffc0000201'}02000000`,
  );
  for (const wrong of ['192.0.2:1', '192.0.2.1', '192.0.2.1:65536', '[::1', '[::g]:1', '::1:1', 'localhost:1', '']) {
    expect(encode(wrong, '192.0.2.1:1'), wrong).toBeUndefined();
  }
});
