// Inputs: contexts that programs run on, as the kernel's structures have them on x86-64. Pure.

import type { Context } from '../model/inputs.ts';
import { encodeInteger, parseInteger } from './numbers.ts';

/** Names of the runs of attached programs, which the guest agent has. No input has one of them. */
export const attachedRuns: readonly string[] = ['workload', 'iteration'];

/** Maximum number of a tracepoint's arguments. */
const maxArguments = 12;

/** Encodes a tracepoint's arguments; undefined if there are too many, or one is no integer of 64 bits. */
export function encodeArguments(args: readonly unknown[]): number[] | undefined {
  const padded = [...args, ...new Array<number>(Math.max(0, maxArguments - args.length)).fill(0)];
  const bytes = padded.map((argument) => {
    const value = parseInteger(argument);
    return value === undefined ? undefined : encodeInteger(value);
  });
  return padded.length > maxArguments || bytes.includes(undefined) ? undefined : bytes.flatMap((own) => own ?? []);
}

/** A connection that looks for its socket. Addresses have a port. */
interface Lookup {
  readonly isUdp: boolean;
  readonly remote: string;
  readonly local: string;
}

const families = { ipv4: 2, ipv6: 10 };
const protocols = { tcp: 6, udp: 17 };

/** Encodes a `struct bpf_sk_lookup`; undefined unless both are addresses with a port, of one family. */
export function encodeLookup({ isUdp, remote, local }: Lookup): number[] | undefined {
  const [from, to] = [parseEndpoint(remote), parseEndpoint(local)];
  if (from === undefined || to === undefined || from.address.length !== to.address.length) return undefined;
  const context = new Uint8Array(64);
  const view = new DataView(context.buffer);
  const isIpv4 = from.address.length === 4;
  view.setUint32(8, isIpv4 ? families.ipv4 : families.ipv6, true);
  view.setUint32(12, isUdp ? protocols.udp : protocols.tcp, true);
  context.set(from.address, isIpv4 ? 16 : 20);
  // The remote port is in network byte order, the local one in the machine's.
  view.setUint16(36, from.port);
  context.set(to.address, isIpv4 ? 40 : 44);
  view.setUint32(60, to.port, true);
  return [...context];
}

/** Parses `192.0.2.1:443` or `[2001:db8::1]:443`. */
function parseEndpoint(text: string): { readonly address: number[]; readonly port: number } | undefined {
  const [, host = '', digits] = /^([0-9.]+|\[[0-9a-f:.]+\]):(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  // The parser of addresses in URLs writes each in one form.
  const name = URL.parse(`http://${host}`)?.hostname;
  if (name === undefined || !(port <= 0xffff)) return undefined;
  if (!name.startsWith('[')) return name === host ? { address: name.split('.').map(Number), port } : undefined;
  const [front = [], back = []] = name
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [...front, ...new Array<string>(8 - front.length - back.length).fill('0'), ...back];
  const address = groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
  return { address, port };
}

/** The contexts that programs run on in addition to those of the configuration. */
export const standardContexts: readonly Context[] = [
  { name: 'zeros', type: 'raw_tracepoint', bytes: encodeArguments([]) ?? [] },
  { name: 'zeros', type: 'syscall', bytes: new Array<number>(64).fill(0) },
  {
    name: 'tcp',
    type: 'sk_lookup',
    bytes: encodeLookup({ isUdp: false, remote: '192.0.2.1:49152', local: '198.51.100.2:443' }) ?? [],
  },
];
