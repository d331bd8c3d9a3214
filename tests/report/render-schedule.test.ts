import { expect, test } from 'vitest';
import { renderSchedule } from '../../src/report/render-schedule.ts';

test('parts are drawn to scale, in order of their start, with idle time', () => {
  const parts = [
    { name: 'build base', startMs: 0, endMs: 5000 },
    { name: 'build head', startMs: 5000, endMs: 8000 },
    { name: 'guest 6.1, base', startMs: 5000, endMs: 10_000 },
    { name: 'compare', startMs: 9990, endMs: 10_000 },
  ];
  expect(renderSchedule({ parts, totalMs: 10_000, idle: [0.25, 0.5] }, 47)).toBe(
    `  build base      ##########              5.0 s
  build head                ######        3.0 s
  guest 6.1, base           ##########    5.0 s
  total                                  10.0 s
  idle: processor 0 25 %, processor 1 50 %`,
  );
});
