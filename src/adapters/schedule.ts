// Adapter: records how long the parts of a run took, next to each other.

import { cpus } from 'node:os';
import { type PerformanceMeasure, performance } from 'node:perf_hooks';
import type { Schedule } from '../report/render-schedule.ts';

/** Distinguishes parts of a run from other measures in this process. */
const detail = 'bpfgate';
const atStart = cpus();

/** Does some work as the part of the run with this name. */
export async function part<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    performance.measure(name, { start, detail });
  }
}

/** Lists the parts of the run that have ended so far, in the order in which they began. */
export function readSchedule(): Schedule {
  const measured = (performance.getEntriesByType('measure') as PerformanceMeasure[]).filter(
    (entry) => entry.detail === detail,
  );
  return {
    parts: measured.map(({ name, startTime, duration }) => ({
      name,
      startMs: Math.round(startTime),
      endMs: Math.round(startTime + duration),
    })),
    totalMs: Math.round(performance.now()),
    idle: cpus().map(({ times }, index) => {
      const before = atStart[index]?.times;
      const since = (kind: keyof typeof times) => times[kind] - (before?.[kind] ?? 0);
      const all = since('user') + since('nice') + since('sys') + since('idle') + since('irq');
      return all > 0 ? Math.round((since('idle') / all) * 1000) / 1000 : 0;
    }),
  };
}
