import { describe, expect, test } from 'vitest';
import type { Measurement } from '../../src/bench/measurement.ts';
import type { Machine } from '../../src/model/guest-run.ts';
import { kernelResult, pair } from '../../tests/report/results-fixtures.ts';
import { differences, renderSameCountsPage, type Way } from './tables.ts';

const fun = (base: number, head: number) => pair(base, head, { benchmark: 'macro/fun_xdp', gross: base, empty: 50 });
const { machine } = kernelResult('6.1');
const way = (measurements: Measurement[], on: Partial<Machine> = {}, spinning = 0): Way => ({
  spinning,
  results: [{ kernels: [kernelResult('6.1', { machine: machine && { ...machine, ...on } })], measurements }],
});
const page = (...ways: [Way, ...Way[]]) =>
  renderSameCountsPage({
    command: 'npm run same-counts',
    time: '2026-11-22 13:05 UTC',
    machine: { cpu: 'A CPU', cores: 2, memoryGiB: 8, virtual: true, system: 'Debian GNU/Linux 12', qemu: '7.2.22' },
    minutes: 11.6,
    ways,
  });

const booted = way(fun(77, 145), { startedFrom: 'boot' });

test('looks as expected', async () => {
  const others = [
    way(fun(77, 145), { startedFrom: 'boot' }, 4),
    way(fun(77, 145), { startedFrom: 'snapshot' }),
    way(fun(77, 145), { startedFrom: 'boot', runner: 'virtme-ng' }),
    way(fun(77, 145), { startedFrom: 'boot', qemuVersion: '10.0.2' }),
  ];
  await expect(page(booted, ...others)).toMatchFileSnapshot('golden/same-counts.md');
  expect(differences([booted, ...others])).toEqual([]);
});

describe('a difference is reported', () => {
  test.each([
    ['a value', way(fun(77, 146)), 1],
    ['one that the other way did not count', way([]), 2],
    ['one that the first way did not count', way([...fun(77, 145), ...pair(1, 1, { benchmark: 'macro/new' })]), 2],
  ])('%s', (_, other, count) => {
    expect(differences([booted, other])).toHaveLength(count);
    expect(page(booted, other)).toContain(`**${count} differ**`);
  });

  test('with name, both values and where they are', () => {
    const [line] = differences([booted, way(fun(77, 146), { qemuVersion: '10.0.2' })]);
    expect(line).toMatch(/^macro\/fun_xdp \(bpf-instructions\), head, on 6\.1: 145 .* and, .*10\.0\.2.*, 146 /);
  });
});
