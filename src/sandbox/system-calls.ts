// Sandbox: system calls that a build is refused, as a filter for seccomp(2). They lead out of a sandbox without a path
// that its mounts could leave out, or leave something there that other users can start. Pure.

/** An instruction of classic BPF, as `struct sock_filter` has it. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const ifEqual = (value: number, otherwise: number): Instruction => [0x15, 0, otherwise, value];
const ifAtLeast = (value: number, otherwise: number): Instruction => [0x35, 0, otherwise, value];
const ifAnyBit = (bits: number, otherwise: number): Instruction => [0x45, 0, otherwise, bits];
const give = (value: number): Instruction => [0x06, 0, 0, value];

/** Offsets in `struct seccomp_data`; of an argument, its lower half. */
const [numberAt, architectureAt] = [0, 4];
const argumentAt = (index: number) => 16 + 8 * index;
const allow = give(0x7fff0000);
const refuse = give(0x50000 | 1);
/** Answers as kernels without the call do, so that programs do without it. */
const noSuchCall = give(0x50000 | 38);
/** Calls of the x32 interface begin here. */
const x32 = 0x40000000;
const x86_64 = 0xc000003e;

const setIdBits = 0o6000;
/** O_CREAT and O_TMPFILE: only with one of them does a call that opens have a mode. */
const createFlags = 0o20000100;
const newUserNamespace = 0x10000000;

/** add_key, request_key, keyctl; io_uring_setup, openat2 and clone3, whose arguments no filter sees. */
const missing = [248, 249, 250, 425, 437, 435];
/** unshare and clone, with flags as their first argument. */
const clones = [272, 56];
/** chmod, fchmod, creat and mknod, with a mode as their second argument; fchmodat, fchmodat2 and mknodat, as their third. */
const modes = [
  ...[90, 91, 85, 133].map((number) => ({ number, mode: 1 })),
  ...[268, 452, 259].map((number) => ({ number, mode: 2 })),
];
/** open and openat, with flags before the mode. */
const opens = [
  { number: 2, mode: 2 },
  { number: 257, mode: 3 },
];

/**
 * Makes a filter that hides the kernel's keyrings, which a build would share with the user's session, and refuses to make
 * set-id files and user namespaces, in which a build would have capabilities. 32-bit programs, whose calls have other
 * numbers, can call nothing.
 */
function systemCallFilter(): Instruction[] {
  const withBits = (index: number, bits: number) => [load(argumentAt(index)), ifAnyBit(bits, 1), refuse];
  return [
    ...[load(architectureAt), [0x15, 1, 0, x86_64] as const, noSuchCall],
    ...[load(numberAt), ifAtLeast(x32, 1), noSuchCall],
    ...missing.flatMap((number) => [ifEqual(number, 1), noSuchCall]),
    ...clones.flatMap((number) => [ifEqual(number, 4), ...withBits(0, newUserNamespace), allow]),
    ...modes.flatMap(({ number, mode }) => [ifEqual(number, 4), ...withBits(mode, setIdBits), allow]),
    ...opens.flatMap(({ number, mode }) => [
      ...[ifEqual(number, 6), load(argumentAt(mode - 1)), ifAnyBit(createFlags, 3)],
      ...[...withBits(mode, setIdBits), allow],
    ]),
    allow,
  ];
}

/** The filter's bytes, as bash's `printf` writes them. */
export function printableFilter(): string {
  const filter = systemCallFilter();
  const bytes = Buffer.alloc(filter.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of filter.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
