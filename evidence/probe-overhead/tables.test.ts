import { expect, test } from 'vitest';
import { bodies, hooks } from './results.ts';
import { type KernelCosts, probeTables } from './tables.ts';

/** Every benchmark, each costing a little more than the one before it. */
const names = Object.entries(hooks).flatMap(([target, each]) => [
  `${target}/none`,
  ...each.flatMap((hook) => bodies.map((body) => `${target}/${hook}/${body}`)),
]);
const rising = new Map(names.map((name, index) => [name, name === 'function/none' ? 10 : 100 + 12.5 * index]));
const gaps = new Map(bodies.map((body) => [`getpid/kprobe_multi/${body}`, 'Linux 5.18']));
const withoutMulti = new Map([...rising].filter(([name]) => !gaps.has(name)));

const kernels: KernelCosts[] = [
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
    nanoseconds: { error: 'error: the clock stood still' },
  },
  {
    id: '6.12',
    release: '6.12.107',
    instructions: { found: { costs: rising, gaps: new Map() } },
    nanoseconds: { found: { costs: rising, gaps: new Map() } },
  },
];

test('a kernel that was not run has no row but its error, and what a kernel needs is said', () => {
  const { costs = [], failures } = probeTables(kernels);
  expect(new Set(costs.map(({ kernel }) => kernel))).toEqual(new Set(['5.10', '6.12']));
  expect(failures).toEqual([
    { kernel: '5.8:tree', unit: 'instructions', error: 'no kernel matches 5.8:tree' },
    { kernel: '5.8:tree', unit: 'nanoseconds', error: 'no kernel matches 5.8:tree' },
    { kernel: '5.10', unit: 'nanoseconds', error: 'the clock stood still' },
  ]);
  expect(costs.filter(({ instructions }) => instructions === 'needs 5.18')).toHaveLength(3);
  expect(costs.find(({ kernel, hook, body }) => kernel === '6.12' && hook === 'kprobe' && body === 'empty')).toEqual({
    kernel: '6.12',
    release: '6.12.107',
    hook: 'kprobe',
    body: 'empty',
    instructions: '300.0',
    'added instructions': '+200.0',
    'added instructions, %': '+200',
    ns: '300.0',
    'added ns': '+200.0',
    'added ns, %': '+200',
  });
});
