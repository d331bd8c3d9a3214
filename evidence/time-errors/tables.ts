// Time errors: renders docs/benchmarks/time-errors.md: how often the time lane was wrong about known differences. Pure.

import { markdownTable } from 'markdown-table';
import { escapeText } from '../../src/report/markdown-escape.ts';
import { countOf } from '../../src/report/plain-text.ts';
import { median, spreadOf } from '../statistics.ts';
import { noiseThreshold, significance } from './criterion-rule.ts';
import type { Data, Run } from './data.ts';
import { growths, type Head, heads } from './schedule.ts';
import { boundRate, type Judged, judgeRun, type Undecided } from './verdicts.ts';

/** Number of runs of a commit against itself in which one may be blocked. */
export const runsForOneFalseBlock = 59;

/** Ratios of means that count as a regression by themselves. */
const ratioLimits = [1.05, 1.1, 2];

interface JudgedRun {
  readonly head: Head;
  readonly judged: readonly Judged[];
}

export function renderTimeErrorsPage(data: Data): string {
  const { start, end } = data;
  const made = data.runs.filter(({ error }) => error === null);
  const runs = made.map((run): JudgedRun => ({ head: run.head, judged: judgeRun(run, start.limit) }));
  const { machine } = start;
  const took = end === undefined ? '' : `, which took ${countOf(Math.round(end.minutes), 'minute')}`;
  const blocks = [
    '# How often the time lane is wrong',
    `Made by \`${start.command}\`, ${start.time}${took}; not written by hand.`,
    `The [time lane](../measurement.md#the-time-lane) of bpfgate, asked about revisions whose difference is known: a commit against itself, and against the same with 10 % and with 25 % more work. Every guest is emulated (TCG, no KVM), where times are worst to measure and a change is advice; what is counted here is the verdict that the same rounds would have on a real processor.`,
    [
      `- machine: ${escapeText(machine.cpu)}, ${machine.cores} cores, ${machine.memoryGiB} GiB${machine.virtual ? ', a virtual machine itself' : ''}; ${escapeText(machine.system)}, QEMU ${machine.qemu}; ${start.kernels.length === 1 ? 'kernel' : 'kernels'} ${start.kernels.map(({ release }) => release).join(', ')}`,
      describeLoad(data, made),
      describeEffort(start.timeBudget, made),
      ...heads.map((head) => describeHead(head, runs, start.limit)),
      describeRivals(runs),
    ].join('\n'),
    renderMissing(data),
    '## What the time lane said',
    'A run is one gate: all benchmarks on all kernels, judged as one family. It is blocked where at least one comparison is a regression.',
    renderVerdicts(runs),
    renderBenchmarks(runs),
    '## Where it could not decide',
    `What keeps an \`inconclusive\` from a verdict. Where rounds are too few or differ too much, it says how many would decide with a chance of 80 % (1,000 in all stands for that many or more); a control that moved, or one that could not have shown it, withholds the verdict.`,
    renderUndecided(runs),
    '## Other rules on the same runs',
    `What somebody sees who measures base once and then head once: the first round after the warm-up, which both measure within a second or two of each other, closer than by hand.`,
    renderRules(runs),
    [
      `- **Criterion's rule**: its bootstrapped t-test at ${significance}, and the interval of the change of the mean beyond ${percent(noiseThreshold)} ([source](../../scripts/time-errors/criterion-rule.ts)), with 10,000 resamples instead of 100,000. \`tests/scripts/criterion-rule.test.ts\` holds it against what criterion 0.7.0 itself said of 16 pairs of runs on the host. A run has 10 samples of together 30 ms, not Criterion's default of 100 of together 5 s.`,
      `- **a ratio**: mean of head over mean of base, above the limit. Tools that compare one number with the last one work so; 2, or 200 %, is the default of github-action-benchmark.`,
      `- Of a BPF program there is one number for each run of it, so Criterion has nothing to say about it.`,
    ].join('\n'),
    '## How it was made',
    `The project ([source](../../scripts/time-errors/project)) has two benchmarks of Criterion's (\`mix\`: steps that wait for each other; \`hash\`: steps that read memory) and an XDP program (\`add\`), run 10,000 times by \`BPF_PROG_TEST_RUN\` and timed by the kernel. A file says how many steps each has: nothing else differs between the revisions. What the instruction lane counts of it:`,
    renderGrowths(data),
    `- The time lane alone, with its defaults (limit ${percent(start.limit)}, α = 1 %) but for the budget of a run; Criterion's benchmarks are started without cargo, whose start takes 4 s under emulation.
- The order of runs is drawn from seed ${start.seed}, all kinds mixed, so that what else the machine does meets all alike.
- Every run is a gate of its own in guests of its own. Runs follow each other, so a quiet or a busy hour is in many of them: they are not as independent as the bounds here take them to be.
- Not measured: KVM, a project with many benchmarks, benchmarks that allocate or wait.`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function describeLoad({ end }: Data, made: readonly Run[]): string {
  const spread = spreadOf(made.map(({ load }) => load));
  const ends =
    end === undefined
      ? ''
      : `${end.load.before.toFixed(1)} before the first run, ${end.load.after.toFixed(1)} after the last, `;
  return spread === undefined
    ? '- load: not known'
    : `- load over a minute: ${ends}${spread.median.toFixed(1)} at the median (${spread.min.toFixed(1)} to ${spread.max.toFixed(1)}) at the end of a run; one guest by itself makes 1`;
}

function describeEffort(timeBudget: string, made: readonly Run[]): string {
  const kernels = made.flatMap((run) => run.kernels);
  const say = (values: readonly number[], digits = 0) => {
    const spread = spreadOf(values);
    return spread === undefined
      ? '?'
      : `${spread.median.toFixed(digits)} (${spread.min.toFixed(digits)} to ${spread.max.toFixed(digits)})`;
  };
  const rounds = kernels.flatMap(({ benchmarks }) => benchmarks.map((benchmark) => benchmark.rounds.length));
  return `- a run has a time budget of ${timeBudget} and took ${say(made.map(({ seconds }) => seconds))} s; a kernel of it has ${say(kernels.map(({ boots }) => boots))} boots and ${say(rounds)} rounds`;
}

/** A head's name in words: `a commit against itself`. */
function nameOf(head: Head): string {
  return head === 'base' ? 'a commit against itself' : `${percent(growths[head])} more work`;
}

function describeHead(head: Head, runs: readonly JudgedRun[], limit: number): string {
  const own = runs.filter((run) => run.head === head);
  const all = own.flatMap(({ judged }) => judged);
  const blocked = own.filter(({ judged }) => judged.some(isRegression)).length;
  const said = `- **${nameOf(head)}**`;
  if (own.length === 0) return `${said}: not run`;
  const blocks = `${blocked} of ${countOf(own.length, 'run')}`;
  if (head === 'base') {
    const bound = percent(boundRate(blocked, own.length));
    const answer = blocked * runsForOneFalseBlock <= own.length ? 'holds' : '**does not hold**';
    const advised = own.filter(({ judged }) => judged.some(({ isAdvised }) => isAdvised)).length;
    const faster = own.filter(({ judged }) => judged.some(({ verdict }) => verdict === 'improvement')).length;
    return `${said}: **${blocks} would have been blocked falsely**, so at most ${bound} of such runs are (with a confidence of 95 %); asked is at most 1 in ${runsForOneFalseBlock}, which ${answer}. ${faster} had a false improvement; in ${advised} the report, as emulated, warned of a slower benchmark.`;
  }
  const count = (which: readonly Judged['verdict'][]) => {
    const found = all.filter(({ verdict }) => which.includes(verdict)).length;
    return `${found} (${percent(found / all.length)})`;
  };
  return `${said} of ${countOf(all.length, 'comparison')}: ${count(['regression'])} are found to be beyond the limit of ${percent(limit)}, ${count(['inconclusive'])} are \`inconclusive\`, ${count(['unchanged', 'improvement'])} are missed; ${blocks} (${percent(blocked / own.length)}) would have been blocked.`;
}

function describeRivals(runs: readonly JudgedRun[]): string {
  const same = runs.filter(({ head }) => head === 'base');
  const blockedBy = (rule: Rule) =>
    same.filter(({ judged }) => judged.some((each) => rule.applies(each) && rule.isSlower(each))).length;
  const said = rules.map((rule) => `${rule.name} ${share(blockedBy(rule), same.length)}`).join('; ');
  return `- **the same commit, by other rules** ([below](#other-rules-on-the-same-runs)), runs with at least one false regression: ${said}.`;
}

function renderMissing({ start, runs, end }: Data): string {
  const failed = runs.filter(({ error }) => error !== null);
  const wanted = start.runs + 2 * start.powerRuns;
  const early = `**It ended early**: ${runs.length} of ${countOf(wanted, 'run')} were made. ${escapeText(end?.stopped ?? 'The process was lost.')}`;
  const lines = failed.map(({ number, head, error }) => `- run ${number} (\`${head}\`): ${escapeText(error ?? '')}`);
  return [
    ...(runs.length < wanted ? [early] : []),
    ...(failed.length > 0 ? ['**Runs that failed**, and are in no table:', lines.join('\n')] : []),
  ].join('\n\n');
}

function renderVerdicts(runs: readonly JudgedRun[]): string {
  const rows = heads.map((head) => {
    const own = runs.filter((run) => run.head === head);
    return [
      nameOf(head),
      `${own.length}`,
      `${own.filter(({ judged }) => judged.some(isRegression)).length}`,
      ...countVerdicts(own.flatMap(({ judged }) => judged)),
    ];
  });
  const columns = ['head', 'runs', 'blocked', 'comparisons', ...verdicts.map((verdict) => `\`${verdict}\``)];
  return markdownTable([columns, ...rows], { align: ['l', ...columns.slice(1).map(() => 'r')] });
}

const verdicts = ['regression', 'inconclusive', 'unchanged', 'improvement'] as const;

function countVerdicts(judged: readonly Judged[]): string[] {
  return [judged.length, ...verdicts.map((verdict) => judged.filter((each) => each.verdict === verdict).length)].map(
    String,
  );
}

function renderBenchmarks(runs: readonly JudgedRun[]): string {
  const names = [...new Set(runs.flatMap(({ judged }) => judged.map(nameBenchmark)))];
  const rows = heads.flatMap((head) =>
    names.map((name) => {
      const own = runs.filter((run) => run.head === head).flatMap(({ judged }) => judged.filter(named(name)));
      const detected = spreadOf(own.flatMap(({ growth }) => growth ?? []));
      const range =
        detected === undefined ? '' : `${signed(detected.median)} (${signed(detected.min)} to ${signed(detected.max)})`;
      return [nameOf(head), `\`${name}\``, ...countVerdicts(own), range];
    }),
  );
  const columns = [
    'head',
    'benchmark',
    'comparisons',
    ...verdicts.map((verdict) => `\`${verdict}\``),
    'growth detected',
  ];
  return markdownTable([columns, ...rows], { align: ['l', 'l', ...columns.slice(2).map(() => 'r')] });
}

function nameBenchmark({ kernel, benchmark }: Judged): string {
  return `${benchmark} on ${kernel}`;
}

function named(name: string): (judged: Judged) => boolean {
  return (judged) => nameBenchmark(judged) === name;
}

const reasons: readonly Undecided[] = ['rounds', 'boots differ', 'control moved', 'control blind'];

function renderUndecided(runs: readonly JudgedRun[]): string {
  const rows = heads.map((head) => {
    const all = runs.filter((run) => run.head === head).flatMap(({ judged }) => judged);
    const own = all.filter(({ verdict }) => verdict === 'inconclusive');
    const more = own.flatMap(({ moreRounds }) => moreRounds ?? []);
    const spread = spreadOf(more);
    return [
      nameOf(head),
      share(own.length, all.length),
      ...reasons.map((reason) => `${own.filter(({ undecided }) => undecided === reason).length}`),
      `${median(own.map(({ rounds }) => rounds)) ?? ''}`,
      spread === undefined ? '' : `${spread.median} (${spread.min} to ${spread.max})`,
    ];
  });
  const columns = [
    ...['head', '`inconclusive`', 'too few rounds or too noisy', 'boots differ', 'control moved', 'control blind'],
    ...['rounds it has', 'more it asks for'],
  ];
  return markdownTable([columns, ...rows], { align: ['l', ...columns.slice(1).map(() => 'r')] });
}

interface Rule {
  readonly name: string;
  readonly applies: (judged: Judged) => boolean;
  readonly isSlower: (judged: Judged) => boolean;
}

const isBenchmark = ({ kind }: Judged) => kind === 'benchmark';
const isAny = () => true;
const isRegression = ({ verdict }: Judged) => verdict === 'regression';
const rules: readonly Rule[] = [
  { name: 'the time lane', applies: isAny, isSlower: isRegression },
  {
    name: "Criterion's rule",
    applies: isBenchmark,
    isSlower: ({ criterion }) => criterion === 'regressed',
  },
  ...ratioLimits.map((limit) => ({
    name: `a ratio above ${limit}`,
    applies: isAny,
    isSlower: ({ ratio }: Judged) => ratio !== null && ratio > limit,
  })),
];

function renderRules(runs: readonly JudgedRun[]): string {
  const scopes = [
    { name: 'all', has: isAny },
    { name: "Criterion's", has: isBenchmark },
  ];
  const rows = rules.flatMap((rule) =>
    scopes
      .filter(({ has }) => has === isBenchmark || rule.applies === isAny)
      .map(({ name, has }) => [
        rule.name,
        name,
        ...heads.flatMap((head) => {
          const own = runs
            .filter((run) => run.head === head)
            .map(({ judged }) => judged.filter((each) => has(each) && rule.applies(each)));
          const all = own.flat();
          const slower = all.filter(rule.isSlower).length;
          const blocked = own.filter((judged) => judged.some(rule.isSlower)).length;
          return [share(slower, all.length), share(blocked, own.length)];
        }),
      ]),
  );
  const columns = heads.flatMap((head) => {
    const name = head === 'base' ? 'itself' : `+${percent(growths[head])}`;
    return [`${name}: called slower`, 'runs'];
  });
  return markdownTable([['rule', 'benchmarks', ...columns], ...rows], {
    align: ['l', 'l', ...columns.map(() => 'r')],
  });
}

function renderGrowths({ growths: counted }: Data): string {
  if (counted.length === 0) return '- not counted';
  const names = [...new Set(counted.map(({ benchmark, kernel }) => `${benchmark} on ${kernel}`))];
  const rows = names.map((name) => [
    `\`${name}\``,
    ...heads.slice(1).map((head) => {
      const found = counted.find((each) => each.head === head && `${each.benchmark} on ${each.kernel}` === name);
      return found === undefined ? '' : `+${(found.growth * 100).toFixed(2)} %`;
    }),
  ]);
  return markdownTable([['instructions', ...heads.slice(1).map((head) => `\`${head}\``)], ...rows], {
    align: ['l', 'r', 'r'],
  });
}

/** A share, such as `3 of 20 (15 %)`. */
function share(count: number, of: number): string {
  return of === 0 ? `${count} of 0` : `${count} of ${of} (${percent(count / of)})`;
}

function percent(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(2))} %`;
}

function signed(ratio: number): string {
  return `${ratio < 0 ? '−' : '+'}${(Math.abs(ratio) * 100).toFixed(1)} %`;
}
