// Generated files: writes the packets that programs run on where the configuration gives none, packets/NAME.pcap. With `--check`
// it fails if they are not what it would write.
//
// Addresses are those reserved for documentation (RFC 5737, RFC 3849), and locally administered ones of Ethernet. Every
// checksum is right, and every length but that of `runt`.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [client, server] = [
  { mac: '020000000001', ipv4: [192, 0, 2, 1], ipv6: '20010db8000000000000000000000001' },
  { mac: '020000000002', ipv4: [198, 51, 100, 2], ipv6: '20010db8000100000000000000000002' },
] as const;
const clientPort = 49_152;
const etherTypes = { ipv4: 0x0800, arp: 0x0806, vlan: 0x8100, ipv6: 0x86dd, serviceVlan: 0x88a8 };
const protocols = { icmp: 1, tcp: 6, udp: 17, fragment: 44, gre: 47, destinationOptions: 60 };

/** A packet of a transport protocol; its checksum covers the addresses of either version of IP. */
interface Segment {
  readonly protocol: number;
  readonly bytes: Buffer;
  /** Place of the checksum. */
  readonly checksum: number;
}

const syn = tcp({ flags: 0x02, options: '020405b4' });
// Recursion desired, one question: example.com, type A, class IN.
const query = Buffer.from('123401000001000000000000076578616d706c6503636f6d0000010001', 'hex');
const large = udp(9, filler(1480));

const packets: Readonly<Record<string, Buffer>> = {
  arp: ethernet(
    etherTypes.arp,
    // A request: who has the server's address?
    Buffer.from(`0001080006040001${client.mac}${hex(client.ipv4)}000000000000${hex(server.ipv4)}`, 'hex'),
    'ffffffffffff',
  ),
  dns: ethernet(etherTypes.ipv4, ipv4(udp(53, query))),
  'fragment-first': ethernet(etherTypes.ipv4, fragment(0)),
  'fragment-last': ethernet(etherTypes.ipv4, fragment(1)),
  gre: ethernet(
    etherTypes.ipv4,
    ipv4(encapsulated(protocols.gre, Buffer.concat([words(0, etherTypes.ipv4), ipv4(syn)]))),
  ),
  icmp: ethernet(etherTypes.ipv4, ipv4(echo())),
  'ipv6-extension': ethernet(
    etherTypes.ipv6,
    // Options for the destination: padding only.
    ipv6(syn, { next: protocols.destinationOptions, header: Buffer.from([protocols.tcp, 0, 1, 4, 0, 0, 0, 0]) }),
  ),
  'ipv6-tcp': ethernet(etherTypes.ipv6, ipv6(syn)),
  'ipv6-udp': ethernet(etherTypes.ipv6, ipv6(udp(9, filler(18)))),
  qinq: ethernet(etherTypes.serviceVlan, Buffer.concat([words(100, etherTypes.vlan, 42, etherTypes.ipv4), ipv4(syn)])),
  // The header of Ethernet, and less than one of IP.
  runt: ethernet(etherTypes.ipv4, ipv4(syn).subarray(0, 6)),
  'tcp-data-1500': ethernet(etherTypes.ipv4, ipv4(tcp({ flags: 0x18, payload: filler(1460) }))),
  'tcp-syn': ethernet(etherTypes.ipv4, ipv4(syn)),
  'udp-64': ethernet(etherTypes.ipv4, ipv4(udp(9, filler(22)))),
  vlan: ethernet(etherTypes.vlan, Buffer.concat([words(42, etherTypes.ipv4), ipv4(syn)])),
  vxlan: ethernet(
    etherTypes.ipv4,
    // Network 42.
    ipv4(udp(4789, Buffer.concat([Buffer.from('0800000000002a00', 'hex'), ethernet(etherTypes.ipv4, ipv4(syn))]))),
  ),
};

const folder = join(import.meta.dirname, '..', 'packets');
const files = new Map(Object.entries(packets).map(([name, frame]) => [`${name}.pcap`, capture(frame)]));
if (process.argv.includes('--check')) {
  const wrong = [...new Set([...files.keys(), ...readdirSync(folder).filter((name) => name.endsWith('.pcap'))])].filter(
    (name) => !files.has(name) || !readOr(join(folder, name)).equals(files.get(name) ?? Buffer.alloc(0)),
  );
  if (wrong.length > 0) {
    console.error(`packets/ is not what scripts/write-packets.ts writes: ${wrong.join(', ')}; run it and commit them`);
    process.exitCode = 1;
  }
} else {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
}

function readOr(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Makes a capture file of one frame (pcap, link type Ethernet), captured at 0 s. */
function capture(frame: Buffer): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65_535, 16);
  header.writeUInt32LE(1, 20);
  const record = Buffer.alloc(16);
  record.writeUInt32LE(frame.length, 8);
  record.writeUInt32LE(frame.length, 12);
  return Buffer.concat([header, record, frame]);
}

function ethernet(type: number, payload: Buffer, to: string = server.mac): Buffer {
  return Buffer.concat([Buffer.from(to + client.mac, 'hex'), words(type), payload]);
}

function ipv4({ protocol, ...segment }: Segment, fragmentation = 0x4000): Buffer {
  const payload = finish({ protocol, ...segment }, Buffer.from([...client.ipv4, ...server.ipv4]));
  return Buffer.concat([ipv4Header(protocol, payload.length, fragmentation), payload]);
}

function ipv4Header(protocol: number, length: number, fragmentation: number): Buffer {
  const header = Buffer.concat([
    words(0x4500, 20 + length, 1, fragmentation),
    Buffer.from([64, protocol, 0, 0, ...client.ipv4, ...server.ipv4]),
  ]);
  header.writeUInt16BE(checksumOf(header), 10);
  return header;
}

/** Makes the first or last part of a UDP datagram of 1488 bytes, cut at 1480. */
function fragment(part: 0 | 1): Buffer {
  const whole = finish(large, Buffer.from([...client.ipv4, ...server.ipv4]));
  const payload = part === 0 ? whole.subarray(0, 1480) : whole.subarray(1480);
  // More fragments follow the first; offsets are in units of 8 bytes.
  return Buffer.concat([ipv4Header(protocols.udp, payload.length, part === 0 ? 0x2000 : 1480 / 8), payload]);
}

function ipv6(segment: Segment, extension?: { readonly next: number; readonly header: Buffer }): Buffer {
  const addresses = Buffer.from(client.ipv6 + server.ipv6, 'hex');
  const payload = Buffer.concat([extension?.header ?? Buffer.alloc(0), finish(segment, addresses)]);
  const next = extension?.next ?? segment.protocol;
  return Buffer.concat([words(0x6000, 0, payload.length), Buffer.from([next, 64]), addresses, payload]);
}

function tcp({
  flags,
  options = '',
  payload = Buffer.alloc(0),
}: {
  flags: number;
  options?: string;
  payload?: Buffer;
}): Segment {
  const header = 20 + options.length / 2;
  const bytes = Buffer.concat([
    words(clientPort, 443, 0, 1, 0, flags === 0x02 ? 0 : 1),
    Buffer.from([(header / 4) << 4, flags]),
    words(64_240, 0, 0),
    Buffer.from(options, 'hex'),
    payload,
  ]);
  return { protocol: protocols.tcp, bytes, checksum: 16 };
}

function udp(port: number, payload: Buffer): Segment {
  const bytes = Buffer.concat([words(clientPort, port, 8 + payload.length, 0), payload]);
  return { protocol: protocols.udp, bytes, checksum: 6 };
}

/** Makes a request for an echo. Its checksum does not cover addresses. */
function echo(): Segment {
  const bytes = Buffer.concat([words(0x0800, 0, 1, 1), filler(56)]);
  bytes.writeUInt16BE(checksumOf(bytes), 2);
  return encapsulated(protocols.icmp, bytes);
}

/** Makes a payload whose checksum, if it has one, is there already. */
function encapsulated(protocol: number, bytes: Buffer): Segment {
  return { protocol, bytes, checksum: -1 };
}

/** Adds the checksum over the segment and its addresses (RFC 9293, RFC 768, RFC 8200). */
function finish({ protocol, bytes, checksum }: Segment, addresses: Buffer): Buffer {
  if (checksum < 0) return bytes;
  const done = Buffer.from(bytes);
  done.writeUInt16BE(checksumOf(Buffer.concat([addresses, words(protocol, bytes.length), bytes])), checksum);
  return done;
}

/** The Internet checksum (RFC 1071). */
function checksumOf(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += ((bytes[at] ?? 0) << 8) + (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/** Numbers of 16 bits. */
function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index);
  return bytes;
}

function filler(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => index & 0xff));
}

function hex(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString('hex');
}
