// Inputs: packets that programs run on, from capture files. Pure.

import { InputError } from '../common/errors.ts';
import { isLfsPointer, lfsHint, lfsProblem } from '../common/lfs-pointer.ts';
import type { Config } from '../model/inputs.ts';

/** Maximum number of packets that programs run on. */
export const maxPackets = 256;
/** Maximum length of a packet's name, in characters. */
export const maxPacketName = 60;
/** Maximum length of a capture file, in bytes. */
export const maxCapture = 4 * 1024 * 1024;

/** Maximum length of a frame, in bytes: what `BPF_PROG_TEST_RUN` takes of one at most. */
const maxFrame = 65_535;
/** Length of an Ethernet header, in bytes. */
const minFrame = 14;
const ethernet = 1;

/** Whether programs run on bpfgate's own packets. */
export function usesStandardInputs({ standardInputs, benches }: Pick<Config, 'standardInputs' | 'benches'>): boolean {
  return standardInputs ?? benches.length === 0;
}

/** Names become part of names of benchmarks, in which `/` is the separator. */
export function isPacketName(name: string): boolean {
  return name.length <= maxPacketName && /^[A-Za-z0-9_][\w.-]*$/.test(name);
}

/**
 * Reads the frames of a capture file as tcpdump writes it (pcap), of either byte order.
 *
 * @param where the file, for messages
 * @returns each frame, from its Ethernet header on
 * @throws InputError when it is another file, is damaged, or holds other frames than whole ones of Ethernet
 * @see https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html
 */
export function parseCapture(file: Buffer, where: string): Buffer[] {
  const refuse = (why: string, hint: string) => new InputError(`${where}: ${why}`, { hint });
  const magic = file.length < 24 ? '' : file.toString('hex', 0, 4);
  const isLittle = magic === 'd4c3b2a1' || magic === '4d3cb2a1';
  if (isLfsPointer(file)) throw refuse(lfsProblem, lfsHint);
  if (!isLittle && magic !== 'a1b2c3d4' && magic !== 'a1b23c4d') {
    const isNext = magic === '0a0d0d0a';
    throw refuse(
      isNext ? 'it is a capture file of format pcapng' : 'it is no capture file',
      'give one of format pcap, as `tcpdump -w` writes it, or `editcap -F pcap` makes of others',
    );
  }
  const read = (at: number) => (isLittle ? file.readUInt32LE(at) : file.readUInt32BE(at));
  const link = read(20) & 0xffff;
  if (link !== ethernet) {
    throw refuse(
      `its packets are of link type ${link}, not of Ethernet (${ethernet})`,
      'capture on an Ethernet device, such as `tcpdump -i eth0`',
    );
  }
  const frames: Buffer[] = [];
  for (let at = 24; at < file.length; ) {
    const number = frames.length + 1;
    if (number > maxPackets) throw refuse(`it holds more than ${maxPackets} packets`, 'give fewer');
    const [length, whole] = at + 16 > file.length ? [Number.POSITIVE_INFINITY, 0] : [read(at + 8), read(at + 12)];
    const end = at + 16 + length;
    if (end > file.length) throw refuse(`packet ${number} is cut off by the end of the file`, 'capture it again');
    if (length < whole) {
      throw refuse(`packet ${number} has ${length} of its ${whole} bytes`, 'capture whole packets, by `tcpdump -s 0`');
    }
    if (length < minFrame || length > maxFrame) {
      throw refuse(`packet ${number} has ${length} bytes; allowed: ${minFrame} to ${maxFrame}`, 'leave it out');
    }
    frames.push(file.subarray(at + 16, end));
    at = end;
  }
  if (frames.length === 0) throw refuse('it holds no packet', 'give one with at least one');
  return frames;
}
