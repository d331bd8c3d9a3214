import { expect, test } from 'vitest';
import { compareVersions } from '../../src/common/versions.ts';

test('compareVersions compares numbers, not text', () => {
  expect(['6.1.176', '5.10', '6.12', '6.1', '5.4'].sort(compareVersions)).toEqual([
    '5.4',
    '5.10',
    '6.1',
    '6.1.176',
    '6.12',
  ]);
});
