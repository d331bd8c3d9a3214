import { describe, expect, test } from 'vitest';
import { type FeatureName, features, featuresOf } from '../../src/kernels/features.ts';

const everything = `${features
  .flatMap(({ options }) => [...options])
  .filter((option) => !option.startsWith('CONFIG_LSM='))
  .map((option) => `${option}=y`)
  .join('\n')}\nCONFIG_LSM="lockdown,yama,bpf"\n`;
const namesWith = (state: string, found: Record<FeatureName, string>) =>
  Object.entries(found).flatMap(([name, value]) => (value === state ? [name] : []));

describe('featuresOf', () => {
  test('a fully configured kernel has what its version has', () => {
    expect(namesWith('no', featuresOf('5.8', everything))).toEqual([
      'sk-lookup',
      'sleepable',
      'recursion-misses',
      'perf-link',
      'cookie',
      'verified-insns',
      'loop',
      'kprobe-multi',
      'tcx',
      'uprobe-multi',
      'netkit',
      'arena',
      'sched-ext',
    ]);
    expect(namesWith('no', featuresOf('6.6', everything))).toEqual(['netkit', 'arena', 'sched-ext']);
    expect(namesWith('no', featuresOf('6.12', everything))).toEqual([]);
  });

  test('versions are compared as numbers', () => {
    expect(featuresOf('5.9', everything).sleepable).toBe('no');
    expect(featuresOf('5.10', everything).sleepable).toBe('yes');
  });

  test('without a configuration, features that depend on one are unknown, and never if the version is too old', () => {
    const found = featuresOf('5.18', undefined);
    expect(found).toMatchObject({ ringbuf: 'yes', loop: 'yes', btf: 'unknown', 'kprobe-multi': 'unknown', tcx: 'no' });
  });

  test.each<[string, FeatureName, string]>([
    ['without BTF there is no fentry', 'fentry', everything.replaceAll('CONFIG_DEBUG_INFO_BTF=y', '')],
    ['an option that is not set', 'netkit', everything.replace('CONFIG_NETKIT=y', '# CONFIG_NETKIT is not set')],
    ['an option with a longer name is another one', 'netkit', everything.replace('CONFIG_NETKIT=', 'CONFIG_NETKIT2=')],
    ['BPF is compiled in but no active security module', 'lsm', everything.replace('yama,bpf', 'yama')],
  ])('%s', (_, name, config) => {
    expect(featuresOf('6.12', everything)[name]).toBe('yes');
    expect(featuresOf('6.12', config)[name]).toBe('no');
  });

  test('an option built as a module counts', () => {
    expect(featuresOf('6.12', everything.replace('CONFIG_NETKIT=y', 'CONFIG_NETKIT=m')).netkit).toBe('yes');
  });
});
