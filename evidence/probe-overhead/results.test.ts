import { describe, expect, test } from 'vitest';
import { overheadOf, parseProbeCosts, published } from './results.ts';

const metric = (value: number) => ({ latency: { value, lower_value: value, upper_value: value + 1 } });

describe('parseProbeCosts', () => {
  test('reads costs, and what the kernel is too old for or was built without', () => {
    const stdout = [
      'bpfgate: needs 5.18: getpid/kprobe_multi/empty',
      JSON.stringify({ 'getpid/none': metric(100), 'getpid/kprobe/empty': metric(250.5) }, undefined, 2),
    ].join('\n');
    const stderr =
      'warning: cannot measure getpid/fentry/empty: this kernel was built without CONFIG_DEBUG_INFO_BTF (there is no file)\n';
    const { costs, gaps } = parseProbeCosts({ stdout, stderr }, 'the bench');
    expect([...costs]).toEqual([
      ['getpid/none', 100],
      ['getpid/kprobe/empty', 250.5],
    ]);
    expect([...gaps]).toEqual([
      ['getpid/kprobe_multi/empty', 'Linux 5.18'],
      ['getpid/fentry/empty', 'CONFIG_DEBUG_INFO_BTF'],
    ]);
  });

  test('does not mistake a bench without costs for one without probes', () => {
    expect(() => parseProbeCosts({ stdout: 'bpfgate: needs 5.18: a\n', stderr: '' }, 'the bench')).toThrow('the bench');
  });
});

describe('overheadOf', () => {
  test('compares a call with the same call without a probe', () => {
    expect(overheadOf(published, 'getpid/btf_tracepoint/empty')?.added).toBeCloseTo(14.9);
    expect(overheadOf(new Map([['getpid/none', 100]]).set('getpid/kprobe/empty', 150), 'getpid/kprobe/empty')).toEqual({
      added: 50,
      growth: 0.5,
    });
  });

  test('is missing for a call that was not measured without a probe, and for the latter', () => {
    expect(overheadOf(published, 'function/uprobe/empty')).toBeUndefined();
    expect(overheadOf(published, 'getpid/none')).toBeUndefined();
    expect(overheadOf(published, 'getpid/fexit/empty')).toBeUndefined();
  });
});
