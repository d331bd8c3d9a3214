import { describe, expect, test } from 'vitest';
import { KernelError } from '../../../src/common/errors.ts';
import {
  notTakenError,
  optionsFor,
  optionsNotTaken,
  parseFragment,
  readFragments,
  renderOptions,
  sourceConfigSha256,
} from '../../../src/kernels/build/config.ts';

const fragment = parseFragment(
  `# A remark.
CONFIG_BPF=y
CONFIG_EXPERT=n

CONFIG_LSM="bpf"
CONFIG_NETKIT=y     # since 6.7
CONFIG_OLD=y        # until 6.6
CONFIG_SOME=7       # since 5.10 until 6.1
CONFIG_NEW=y        # where known
CONFIG_BOTH=y       # since 6.1 where known
`,
  'test.config',
);

const namesFor = (minor: string) => optionsFor(minor, fragment).map(({ name }) => name.replace('CONFIG_', ''));

describe('fragments', () => {
  test('each version has its lines', () => {
    expect(namesFor('5.8')).toEqual(['BPF', 'EXPERT', 'LSM', 'OLD', 'NEW']);
    expect(namesFor('6.1')).toEqual(['BPF', 'EXPERT', 'LSM', 'OLD', 'SOME', 'NEW', 'BOTH']);
    expect(namesFor('6.12')).toEqual(['BPF', 'EXPERT', 'LSM', 'NETKIT', 'NEW', 'BOTH']);
  });

  test('are written in the kernel’s notation', () => {
    expect(renderOptions(optionsFor('6.12', fragment))).toBe(`CONFIG_BPF=y
# CONFIG_EXPERT is not set
CONFIG_LSM="bpf"
CONFIG_NETKIT=y
CONFIG_NEW=y
CONFIG_BOTH=y
`);
  });

  test.each([
    'CONFIG_BPF',
    'BPF=y',
    'CONFIG_BPF=y # sometimes',
    'CONFIG_BPF=y #',
    'CONFIG_BPF=y # since 6',
    '#CONFIG_X=y',
  ])('%s is refused with its place', (line) => {
    expect(() => parseFragment(`CONFIG_A=y\n${line}\n`, 'a.config')).toThrow(`a.config:2: not a line`);
  });

  test('two values for one version are refused', () => {
    const two = parseFragment('CONFIG_A=y # until 6.1\nCONFIG_A=n # since 6.1\n', 'a.config');
    expect(optionsFor('6.2', two)).toHaveLength(1);
    expect(() => optionsFor('6.1', two)).toThrow('CONFIG_A two values for 6.1: y and n');
  });
});

describe('optionsNotTaken', () => {
  const taken = `CONFIG_BPF=y\n# CONFIG_EXPERT is not set\nCONFIG_LSM="bpf"\nCONFIG_OLD=y\n`;

  test('is empty if every option is set; an option that is off may be unknown', () => {
    expect(optionsNotTaken(optionsFor('5.8', fragment), taken)).toEqual([]);
    expect(optionsNotTaken(optionsFor('5.8', fragment), taken.replace(/# CONFIG_EXPERT.*\n/, ''))).toEqual([]);
  });

  test('lists option, wanted and actual value', () => {
    const config = `CONFIG_BPF=m\nCONFIG_EXPERT=y\nCONFIG_LSM="selinux"\n# CONFIG_NEW is not set\n`;
    const missed = optionsNotTaken(optionsFor('5.8', fragment), config);
    expect(missed).toEqual([
      { name: 'CONFIG_BPF', wanted: 'y', found: 'm' },
      { name: 'CONFIG_EXPERT', wanted: 'n', found: 'y' },
      { name: 'CONFIG_LSM', wanted: '"bpf"', found: '"selinux"' },
      { name: 'CONFIG_OLD', wanted: 'y', found: 'n' },
      { name: 'CONFIG_NEW', wanted: 'y', found: 'n' },
    ]);
    const error = notTakenError('5.8.18', missed);
    expect(error).toBeInstanceOf(KernelError);
    expect(error.message).toContain('kernel 5.8.18 did not take options:\n  CONFIG_BPF: wanted y, found m\n');
    expect(error.hint).toContain('kernels/config');
  });
});

describe('the fragments of bpfgate', () => {
  test.each(['5.8', '5.10', '5.15', '6.1', '6.6', '6.12', '6.19', '7.0', '7.3'])(
    'set for %s the options that BPF needs',
    (minor) => {
      const options = new Map(optionsFor(minor, readFragments()).map(({ name, value }) => [name, value]));
      const names = [
        'BPF_SYSCALL',
        'BPF_JIT',
        'DEBUG_INFO_BTF',
        'BPF_LSM',
        '9P_FS',
        'OVERLAY_FS',
        'VETH',
        'DUMMY',
        'IPV6',
      ];
      for (const name of [...names, 'KPROBES', 'UPROBES', 'CGROUP_BPF', 'NET_CLS_BPF', 'XDP_SOCKETS']) {
        expect(options.get(`CONFIG_${name}`), name).toBe('y');
      }
      expect(options.get('CONFIG_PREEMPT_LAZY') === 'y').toBe(minor.startsWith('7.'));
    },
  );

  test('have a checksum', () => {
    expect(sourceConfigSha256()).toMatch(/^[0-9a-f]{64}$/);
    expect(sourceConfigSha256()).toBe(sourceConfigSha256());
  });
});
