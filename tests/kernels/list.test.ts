import { expect, test } from 'vitest';
import type { KernelPin } from '../../src/kernels/kernel.ts';
import { listKernels, renderKernels } from '../../src/kernels/list.ts';

const pin = (id: string, release: string, version: string, sizeBytes: number): KernelPin => ({
  id,
  release,
  origin: 'debian',
  debian: { archive: 'debian', package: '', version, poolPath: '', snapshot: '' },
  sha256: '',
  sizeBytes,
});

test('shows every kernel with its package and whether it is cached', () => {
  const pins = [
    pin('5.10', '5.10.262', '5.10.262-1', 56_995_900),
    pin('6.16', '6.16.12', '6.16.12-1~bpo13+1', 169_667_600),
  ];
  const rows = listKernels(pins, ({ id }) => id === '5.10');
  expect(renderKernels(rows)).toMatchInlineSnapshot(`
    "┌──────┬──────────┬────────┬───────────────────┬──────────┬────────┐
    │ id   │ release  │ origin │ package version   │     size │ cached │
    ├──────┼──────────┼────────┼───────────────────┼──────────┼────────┤
    │ 5.10 │ 5.10.262 │ debian │ 5.10.262-1        │  57.0 MB │ yes    │
    ├──────┼──────────┼────────┼───────────────────┼──────────┼────────┤
    │ 6.16 │ 6.16.12  │ debian │ 6.16.12-1~bpo13+1 │ 169.7 MB │ no     │
    └──────┴──────────┴────────┴───────────────────┴──────────┴────────┘"
  `);
});
