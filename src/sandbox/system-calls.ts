// Sandbox: system calls that a build is refused, as a filter for seccomp(2). They lead out of a sandbox without a path
// that its mounts or rules could leave out. Pure.

/** An instruction of classic BPF, as `struct sock_filter` has it. */
export type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const ifEqual = (value: number, otherwise: number): Instruction => [0x15, 0, otherwise, value];
const ifAtLeast = (value: number, otherwise: number): Instruction => [0x35, 0, otherwise, value];
const give = (value: number): Instruction => [0x06, 0, 0, value];

/** Offsets in `struct seccomp_data`. */
const [numberAt, architectureAt, firstArgumentAt] = [0, 4, 16];
const allow = give(0x7fff0000);
/** Answers as kernels without the feature do, so that programs do without it. */
const noSuchCall = give(0x50000 | 38);
const noSuchFamily = give(0x50000 | 97);
const localFamily = 1;
/** Calls of the x32 interface begin here. */
const x32 = 0x40000000;

/** Numbers of calls, for 64-bit and 32-bit programs: add_key, request_key, keyctl; socket; others that make sockets. */
const interfaces = [
  { architecture: 0xc000003e, keys: [248, 249, 250], socket: 41, others: [425] },
  { architecture: 0x40000003, keys: [286, 287, 288], socket: 359, others: [425, 102] },
];

/**
 * Makes a filter that hides the kernel's keyrings, which a build would share with the user's session.
 *
 * @param local whether the build may make local sockets (AF_UNIX). Programs of the user, such as Docker and the
 * session's systemd, take orders by them. Pairs of such sockets are always allowed
 */
export function systemCallFilter({ local }: { readonly local: boolean }): Instruction[] {
  const parts = interfaces.flatMap(({ architecture, keys, socket, others }) => {
    const refused = [...keys, ...(local ? [] : others)];
    const part = [
      load(numberAt),
      ...[ifAtLeast(x32, 1), noSuchCall],
      ...refused.flatMap((number) => [ifEqual(number, 1), noSuchCall]),
      ...(local ? [] : [ifEqual(socket, 3), load(firstArgumentAt), ifEqual(localFamily, 1), noSuchFamily]),
      allow,
    ];
    return [ifEqual(architecture, part.length), ...part];
  });
  return [load(architectureAt), ...parts, allow];
}

/** The filter's bytes, as bash's `printf` writes them. */
export function printable(filter: readonly Instruction[]): string {
  const bytes = Buffer.alloc(filter.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of filter.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
