// docs/benchmarks/run-times.md. Pure.

import type { MachineDescription } from '../boot-times/host.ts';
import { median } from '../boot-times/statistics.ts';

export const versions = ['own', 'other'] as const;
export type VersionName = (typeof versions)[number];

export const scenarios = ['first', 'again', 'line', 'kernels', 'objects'] as const;
export type Scenario = (typeof scenarios)[number];

export interface Measured {
  readonly version: VersionName;
  readonly scenario: Scenario;
  readonly round: number;
  /** Wall time. */
  readonly ms: number;
}

/** What is done, and which share of the other version's time it is to take at most. */
const meanings: Readonly<Record<Scenario, readonly [text: string, aim: number | null]>> = {
  first: ['a first run of the demo on 6.1: tools and kernel there, nothing built', 0.5],
  again: ['the same commit again', 0.04],
  line: ['one line changed in head, base known', 0.25],
  kernels: ['the same on 5.10, 6.1 and 6.12', null],
  objects: ['50 objects, base known, one changed in head', 0.4],
};
/** How many times the time of one kernel three are to take at most. */
const aimOfKernels = 1.6;

export interface RunTimes {
  readonly command: string;
  readonly time: string;
  readonly machine: MachineDescription;
  readonly commits: Readonly<Record<VersionName, string>>;
  readonly measured: readonly Measured[];
}

export function renderRunTimes({ command, time, machine, commits, measured }: RunTimes): string {
  const of = (version: VersionName, scenario: Scenario) =>
    measured.filter((each) => each.version === version && each.scenario === scenario).map(({ ms }) => ms / 1000);
  const cell = (values: readonly number[]) => values.map((value) => value.toFixed(1)).join(', ');
  const rows = scenarios.map((scenario) => {
    const [text, aim] = meanings[scenario];
    const [own, other] = [of('own', scenario), of('other', scenario)];
    const ratio = ratioOf(own, other).toFixed(3);
    return `| ${text} | ${cell(other)} | ${cell(own)} | ${ratio} | ${aim ?? ''} |`;
  });
  const kernels = versions.map((version) => ratioOf(of(version, 'kernels'), of(version, 'line')));
  const [own = 0, other = 0] = kernels.map((each) => Number(each.toFixed(2)));
  const { cpu, cores, memoryGiB, virtual, system, qemu } = machine;
  return `# How long runs take

Made by \`${command}\`, ${time}; not written by hand. The numbers are in [run-times.json](run-times.json).

Wall time in seconds of each round, of this version (${commits.own}) and of ${commits.other}, by turns, each with a cache of its
own. The ratio is that of the medians; the last column is what it is to be at most.

- machine: ${cpu}, ${cores} cores, ${memoryGiB} GiB${virtual ? ', a virtual machine itself' : ''}; ${system}, QEMU ${qemu}, under emulation

| what | ${commits.other} | ${commits.own} | ratio | aim |
| :- | -: | -: | -: | -: |
${rows.join('\n')}

Three kernels took ${own} times the time of one, and ${other} times with ${commits.other}; the aim is ${aimOfKernels}.
`;
}

/** The ratio of two medians; NaN where there are no values. */
function ratioOf(values: readonly number[], others: readonly number[]): number {
  return (median(values) ?? Number.NaN) / (median(others) ?? Number.NaN);
}
