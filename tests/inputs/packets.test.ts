import { expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { isPacketName, maxPackets, parseCapture } from '../../src/inputs/packets.ts';

interface Frame {
  readonly bytes: Buffer;
  /** Length before it was cut off. */
  readonly whole?: number;
}

function capture(frames: readonly Frame[], { magic = 0xa1b2c3d4, link = 1, isLittle = true } = {}): Buffer {
  const words = (...values: number[]) => {
    const bytes = Buffer.alloc(4 * values.length);
    for (const [index, value] of values.entries()) {
      if (isLittle) bytes.writeUInt32LE(value, 4 * index);
      else bytes.writeUInt32BE(value, 4 * index);
    }
    return bytes;
  };
  const records = frames.flatMap(({ bytes, whole = bytes.length }) => [words(0, 0, bytes.length, whole), bytes]);
  return Buffer.concat([words(magic, 0x00040002, 0, 0, 65_535, link), ...records]);
}

const frame = { bytes: Buffer.alloc(60, 7) };

test.each([
  { isLittle: true, magic: 0xa1b2c3d4 },
  { isLittle: false, magic: 0xa1b2c3d4 },
  { isLittle: true, magic: 0xa1b23c4d },
])('a capture file is read in either byte order, with any unit of time: %o', (format) => {
  const frames = parseCapture(capture([frame, { bytes: Buffer.alloc(14) }], format), 'x.pcap');
  expect(frames.map((each) => [...each])).toEqual([[...frame.bytes], [...Buffer.alloc(14)]]);
});

const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4665a5ea\nsize 4096\n';
const newer = Buffer.concat([Buffer.from('0a0d0d0a', 'hex'), Buffer.alloc(40)]);
test.each([
  ['text', Buffer.from('not a capture file at all'), 'it is no capture file'],
  ['nothing', Buffer.alloc(0), 'it is no capture file'],
  ['a pointer', Buffer.from(pointer), 'it is a pointer of Git LFS, whose content is not here'],
  ['pcapng', newer, 'it is a capture file of format pcapng'],
  ['another link type', capture([frame], { link: 113 }), 'its packets are of link type 113, not of Ethernet (1)'],
  ['no packet', capture([]), 'it holds no packet'],
  ['a short packet', capture([frame, { bytes: Buffer.alloc(13) }]), 'packet 2 has 13 bytes; allowed: 14 to 65535'],
  ['a part of a packet', capture([{ ...frame, whole: 1514 }]), 'packet 1 has 60 of its 1514 bytes'],
  ['an end in a packet', capture([frame]).subarray(0, -1), 'packet 1 is cut off by the end of the file'],
  ['an end in a header', capture([frame, frame]).subarray(0, 24 + 76 + 15), 'packet 2 is cut off by the end'],
  ['too many', capture(Array.from({ length: maxPackets + 1 }, () => frame)), 'it holds more than 256 packets'],
])('%s is refused, with what to do', (_, file, message) => {
  const refused = () => parseCapture(file, 'bpfgate.toml:3: input `own`, x.pcap');
  expect(refused).toThrow(InputError);
  expect(refused).toThrow(`bpfgate.toml:3: input \`own\`, x.pcap: ${message}`);
});

test('a name is no path', () => {
  expect(['tcp-syn', 'v1.2_a'].every(isPacketName)).toBe(true);
  expect(['', 'a/b', '-x', 'a b', 'ä', 'x'.repeat(61)].some(isPacketName)).toBe(false);
});
