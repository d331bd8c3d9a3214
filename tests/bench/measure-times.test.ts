import { describe, expect, test } from 'vitest';
import { measureTimes } from '../../src/bench/measure-times.ts';
import { BenchError } from '../../src/common/errors.ts';
import type { BenchRecord, ProgramRecord, RunName, TimedBoot } from '../../src/model/guest-run.ts';
import type { Plan } from '../../src/plan/plan.ts';

const runs = ['base', 'head', 'control'] as const;

function planOf(format: 'auto' | 'bmf' | 'none' = 'auto'): Plan {
  return { timed: [{ name: 'x', format, observe: true, command: 'run', guestCommand: 'run' }] } as unknown as Plan;
}

/** A boot of `rounds` rounds: what each run printed and how long its program took, by revision and round. */
function bootOf(
  boot: number,
  rounds: number,
  {
    printed = () => '',
    programNs = () => null,
    ...fields
  }: {
    readonly printed?: (run: RunName, round: number) => string;
    readonly programNs?: (run: RunName, round: number) => number | null;
  } & Partial<TimedBoot> = {},
): TimedBoot {
  const all = Array.from({ length: rounds }, (_, index) => runs.map((run) => ({ run, round: index + 1 }))).flat();
  return {
    kernel: '6.1',
    boot,
    seed: 1,
    machine: {} as TimedBoot['machine'],
    benches: all.map(
      ({ run, round }) =>
        ({
          record: 'bench',
          bench: 'x',
          revision: run,
          reading: round,
          exit_code: 0,
          signal: null,
          stdoutText: printed(run, round),
          stderrTail: '',
          tookMs: 1,
          duration_ns: 1,
        }) as BenchRecord<RunName>,
    ),
    programs: all.flatMap(({ run, round }) => {
      const ns = programNs(run, round);
      if (ns === null) return [];
      const program = {
        record: 'program',
        bench: 'x',
        revision: run,
        reading: round,
        ordinal: 0,
        id: 1,
        name: 'probe',
        prog_type: 'xdp',
        tag: '',
        run_cnt: 10,
        run_time_ns: 10 * ns,
        recursion_misses: 0,
        xlated_bytes: 1,
        source: { file: 'a.c', line: 3 },
      };
      return [program as ProgramRecord<RunName>];
    }),
    controls: all.map(({ run, round }) => ({
      record: 'control',
      bench: 'x',
      revision: run,
      reading: round,
      run_cnt: 1000,
      run_time_ns: 1000 * round,
    })),
    warnings: [],
    ...fields,
  };
}

const latency = (value: number) => JSON.stringify({ 'x/y': { latency: { value }, 'peak-bytes': { value: 8 } } });

describe('rounds', () => {
  test('exclude the first of each boot, which is warm-up', () => {
    const programNs = (run: RunName, round: number) => round * 100 + runs.indexOf(run);
    const { benchmarks, controls } = measureTimes([bootOf(0, 3, { programNs }), bootOf(1, 2, { programNs })], planOf());
    expect(benchmarks).toEqual([
      {
        kernel: '6.1',
        benchmark: 'x/probe',
        ownNames: {},
        measure: 'bpf-time',
        unit: 'ns/run',
        better: 'lower',
        kind: 'bpf-program',
        source: { file: 'a.c', line: 3 },
        warnings: [],
        rounds: [
          { boot: 0, base: 200, head: 201, control: 202 },
          { boot: 0, base: 300, head: 301, control: 302 },
          { boot: 1, base: 200, head: 201, control: 202 },
        ],
      },
    ]);
    expect(controls).toEqual([
      {
        kernel: '6.1',
        bench: 'x',
        rounds: [
          { boot: 0, base: 2, head: 2, control: 2 },
          { boot: 0, base: 3, head: 3, control: 3 },
          { boot: 1, base: 2, head: 2, control: 2 },
        ],
      },
    ]);
  });

  test('have the latencies and throughputs that a bench prints, but no sizes', () => {
    const printed = (_: RunName, round: number) => latency(round);
    const { benchmarks } = measureTimes([bootOf(0, 2, { printed })], planOf());
    expect(benchmarks).toMatchObject([
      { benchmark: 'x/x/y', measure: 'latency', unit: 'ns', better: 'lower', rounds: [{ base: 2, head: 2 }] },
    ]);
  });

  test('without a benchmark of one revision are reported', () => {
    const printed = (run: RunName, round: number) =>
      run === 'head' && round === 3 ? '{"z":{"latency":{"value":1}}}' : latency(5);
    const { benchmarks } = measureTimes([bootOf(0, 4, { printed })], planOf('bmf'));
    expect(benchmarks.map(({ benchmark, warnings }) => [benchmark, warnings])).toEqual([
      ['x/x/y', ['1 of its 3 rounds have it on one side only, and are left out']],
      ['x/z', []],
    ]);
  });
});

test('a bench that fails is an error in either revision', () => {
  for (const failing of runs) {
    const boot = bootOf(0, 2);
    const benches = boot.benches.map((record) => (record.revision === failing ? { ...record, exit_code: 3 } : record));
    expect(() => measureTimes([{ ...boot, benches }], planOf())).toThrow(BenchError);
  }
});

test('a bench that prints nothing in head is an error, and one that prints what it needs is a gap', () => {
  const silent = bootOf(0, 2, { printed: (run) => (run === 'head' ? '' : latency(5)) });
  expect(() => measureTimes([silent], planOf('none'))).toThrow('printed no results');
  const needy = bootOf(0, 2, { printed: (run) => (run === 'head' ? 'bpfgate: needs 6.6: x/y\n' : latency(5)) });
  expect(measureTimes([needy], planOf('bmf')).gaps).toEqual([
    { kernel: '6.1', lane: 'time', revision: 'head', benchmark: 'x/x/y', needs: '6.6' },
  ]);
});
