import { describe, expect, test } from 'vitest';
import { bodies, hooks } from './results.ts';
import { type ProbeRun, renderProbePage } from './tables.ts';

/** Every benchmark, each costing a little more than the one before it. */
const names = Object.entries(hooks).flatMap(([target, each]) => [
  `${target}/none`,
  ...each.flatMap((hook) => bodies.map((body) => `${target}/${hook}/${body}`)),
]);
const rising = new Map(names.map((name, index) => [name, name === 'function/none' ? 10 : 100 + 12.5 * index]));
const gaps = new Map(bodies.map((body) => [`getpid/kprobe_multi/${body}`, 'Linux 5.18']));
const withoutMulti = new Map([...rising].filter(([name]) => !gaps.has(name)));

const probeRun: ProbeRun = {
  command: 'npm run probe-overhead -- --kernels 5.8:tree,5.10,6.12',
  time: '2026-11-21 13:05 UTC',
  machine: { cpu: 'A CPU', cores: 2, memoryGiB: 8, virtual: true, system: 'Debian GNU/Linux 12', qemu: '7.2.22' },
  minutes: 5.4,
  load: { before: 0.1, after: 1.2 },
  rounds: { instructions: 16, nanoseconds: 200 },
  passes: 5,
  calls: 64,
  kernels: [
    {
      id: '5.8:tree',
      release: null,
      instructions: { error: 'no kernel matches 5.8:tree' },
      nanoseconds: { error: 'no kernel matches 5.8:tree' },
    },
    {
      id: '5.10',
      release: '5.10.262',
      instructions: { found: { costs: withoutMulti, gaps } },
      nanoseconds: { error: 'the clock stood still' },
    },
    {
      id: '6.12',
      release: '6.12.107',
      instructions: { found: { costs: rising, gaps: new Map() } },
      nanoseconds: { found: { costs: rising, gaps: new Map() } },
    },
  ],
};

describe('renderProbePage', () => {
  const page = renderProbePage(probeRun);

  test('looks as expected', async () => {
    await expect(page).toMatchFileSnapshot('golden/probe-overhead.md');
  });

  test('says why a kernel was not run, and what is missing on one', () => {
    expect(page).toContain('## 5.8:tree\n\nIt was not run.\n\n- no instructions: no kernel matches 5.8:tree');
    expect(page).toContain('- no nanoseconds: the clock stood still');
    expect(page.match(/needs 5\.18/g)).toHaveLength(3);
  });

  test('says that nothing was measured under KVM', () => {
    expect(page).toContain('**Nothing here was measured under KVM or on bare metal.**');
  });

  test('compares the order with the published one', () => {
    expect(page).toContain('It is the published order wherever both have a hook.');
    const swapped = new Map(rising).set('getpid/fentry/simple', 101);
    const other = probeRun.kernels.map((kernel) =>
      kernel.id === '6.12' ? { ...kernel, instructions: { found: { costs: swapped, gaps: new Map() } } } : kernel,
    );
    expect(renderProbePage({ ...probeRun, kernels: other })).toContain(
      '- fentry is cheaper than btf_tracepoint (instructions, simple)',
    );
  });
});
