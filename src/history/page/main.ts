// Trend page: shows what the address after `#` names: recent changes, all benchmarks, a plot, or two commits compared.

import { groupBy } from '../../common/group-by.ts';
import { formatDelta, formatGrowth, formatNumber } from '../../report/numbers.ts';
import { countOf } from '../../report/plain-text.ts';
import {
  addressPlots,
  type Comparison,
  compareValues,
  type Line,
  listChanges,
  maxRecent,
  type Plot,
  readAt,
  type Segment,
  unpackLine,
} from '../trend.ts';
import { colorOf, drawPlot, isWorse, showLine } from './draw.ts';
import { make, makeFiltered, makeSelect, makeTable } from './elements.ts';
import { readIndex, readLine } from './read.ts';

const maxCommits = 50;
const maxRows = 300;
const ranges = [50, 200, 1000];

const main = document.querySelector('main') as HTMLElement;
const index = await readIndex();
const { commits, plots, recent, findings, repository } = index;
const newest = commits.length - 1;
const plotAt = addressPlots(plots);
const addressOf = new Map([...plotAt].map(([address, plot]) => [plot, address]));
/** Counts views, so that one that was left does not show what it read late. */
let shown = 0;

addEventListener('hashchange', show);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
await show();

async function show(): Promise<void> {
  shown += 1;
  const [view = '', ...names] = readAddress();
  for (const link of document.querySelectorAll('nav a')) {
    link.ariaCurrent = link.getAttribute('href') === `#${view}` ? 'page' : null;
  }
  const plot = plotAt.get(`#plot/${names.map(encodeURIComponent).join('/')}`);
  if (view === 'plot' && plot !== undefined) await showPlot(plot);
  else if (view === 'compare') await showComparison(names);
  else if (view === 'benchmarks') showBenchmarks();
  else showRecent();
}

function readAddress(): string[] {
  try {
    return location.hash.slice(1).split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}

/** Shows a view in the place of the last one. */
function present(title: string, ...content: (Node | string)[]): void {
  document.title = `${title} – ${index.project}`;
  main.replaceChildren(make('h2', { tabIndex: -1 }, title), ...content);
  // Not at the first view: a page opens at its top.
  if (shown > 1) main.querySelector('h2')?.focus();
}

function showRecent(): void {
  const groups = groupBy(recent, ({ at }) => String(at));
  const articles = groups.slice(0, maxCommits).map((steps) => {
    const [{ before, at }] = steps;
    const causes = groupBy(steps, ({ finding, plot }) => (finding === null ? `plot ${plot}` : `finding ${finding}`));
    const items = causes.slice(0, maxCommits).map((group) => {
      const finding = findings[group[0].finding ?? -1];
      const changes = groupBy(group, ({ plot }) => String(plot)).slice(0, maxCommits);
      const list = changes.map((own) => make('li', {}, ...describeChange(own)));
      if (finding === undefined) return list;
      const place = finding.place === null ? '' : ` ${finding.place}`;
      return [make('li', {}, make('code', {}, finding.subject), place, make('ul', {}, ...list))];
    });
    const more = causes.length - items.length;
    return make(
      'article',
      { className: 'finding' },
      make('h3', {}, ...describeCommit(at)),
      make('ul', {}, ...items.flat(), ...(more > 0 ? [make('li', {}, `${more} more`)] : [])),
      make('a', { href: addressOfComparison(before, at) }, 'compare all values'),
    );
  });
  const gone = commits.filter(({ isGone }) => isGone).length;
  present(
    'Recent changes',
    ...(gone === 0 ? [] : [make('p', { className: 'legend' }, `${countOf(gone, 'commit')} not in HEAD any more.`)]),
    ...(index.unread === 0
      ? []
      : [make('p', { className: 'inconclusive' }, `${countOf(index.unread, 'line')} of the history not read.`)]),
    ...(articles.length === 0 ? [make('p', {}, 'No value has changed.')] : articles),
    ...(groups.length > maxCommits || recent.length === maxRecent
      ? [make('p', {}, 'Earlier changes are in each benchmark’s plot.')]
      : []),
  );
}

/** Describes what one commit changed in one plot, kernels with the same change together. */
function describeChange(steps: readonly (typeof recent)[number][]): (Node | string)[] {
  const plot = plots[steps[0]?.plot ?? -1] as Plot;
  const deltas = groupBy(steps, ({ from, to }) => formatChange(from, to)).flatMap((group, place) => {
    const [{ from, to }] = group;
    const kernels = group.map(({ line }) => plot.lines[line]?.kernel).join(', ');
    return [place === 0 ? ' ' : '; ', changeOf(plot, from, to), ` on ${kernels}`];
  });
  return [linkTo(plot), ...deltas];
}

function showBenchmarks(): void {
  const list = (matches: (text: string) => boolean) => {
    const found = plots.filter(({ benchmark, measure }) => matches(`${benchmark} ${measure}`));
    const rows = found.slice(0, maxRows).map((plot) => {
      const values = plot.lines.map(({ kernel, last }) => `${kernel}: ${formatNumber(last)}`);
      return [linkTo(plot), values.join(', '), plot.unit];
    });
    return [makeTable('Benchmarks', ['benchmark', 'newest value by kernel', 'unit'], rows), ...sayMore(found)];
  };
  present('Benchmarks', ...makeFiltered('Filter ', list));
}

async function showPlot(plot: Plot): Promise<void> {
  const view = shown;
  const segments: Segment[][] = [];
  const causes = new Map<string, string>();
  for (const [line, each] of plot.lines.entries()) {
    const packed = await readLine(each);
    segments.push(unpackLine(packed));
    for (const [commit, finding] of packed.findings) {
      causes.set(`${line} ${commit}`, [findings[finding]?.subject, findings[finding]?.place ?? ''].join(' '));
    }
  }
  if (view !== shown) return;
  const readout = make('output', { className: 'readout' });
  const holder = make('div', {
    className: 'plot',
    tabIndex: 0,
    role: 'group',
    ariaLabel: `Plot of ${plot.measure} of ${plot.benchmark} on ${plot.lines.length} kernels; arrow keys read commits, and the steps are in the table below`,
  });
  const start = Math.min(...segments.map(([oldest]) => oldest?.from ?? 0));
  const last = Math.max(...plot.lines.map(({ at }) => at));
  let [first, current] = [start, last];
  const read = (commit: number) => {
    current = commit;
    const values = plot.lines.map(({ kernel }, line) => {
      const found = segments[line]?.find(({ from, to }) => from <= commit && commit <= to);
      return `${kernel}: ${found === undefined ? 'not measured' : formatValue(found)}`;
    });
    readout.replaceChildren(make('span', {}, ...describeCommit(commit)), make('span', {}, values.join(', ')));
  };
  let drawn: ReturnType<typeof drawPlot> | undefined;
  const hidden = new Set<number>();
  const draw = () => {
    drawn?.destroy();
    drawn = drawPlot(holder, index, { plot, segments, first, last }, read);
    for (const line of hidden) showLine(drawn, line, false);
  };
  const kernels = plot.lines.map(({ kernel }, line) => {
    const onchange = () => {
      if (box.checked) hidden.delete(line);
      else hidden.add(line);
      if (drawn !== undefined) showLine(drawn, line, box.checked);
    };
    const box: HTMLInputElement = make('input', { type: 'checkbox', checked: true, onchange });
    const key = make('span', { className: 'key' });
    key.style.background = colorOf(line);
    return make('label', {}, box, key, kernel);
  });
  holder.onkeydown = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -50, PageDown: 50 }[event.key];
    if (by === undefined || drawn === undefined) return;
    event.preventDefault();
    const commit = Math.min(last, Math.max(first, current + by));
    drawn.setCursor({ left: drawn.valToPos(commit, 'x'), top: 0 });
    read(commit);
  };
  const options = [0, ...ranges.filter((count) => count <= last - start)];
  const range = makeSelect(
    'Commits ',
    options.map((count) => [String(count), count === 0 ? 'all' : `last ${formatNumber(count)}`]),
    '0',
    (count) => {
      first = count === '0' ? start : last + 1 - Number(count);
      draw();
    },
  );
  const unit = `${plot.unit}; ${plot.better} is better. Drag to zoom, double-click to see all.`;
  present(
    `${plot.benchmark}: ${plot.measure}`,
    make('p', { className: 'legend' }, unit),
    make('div', { className: 'controls' }, range, ...kernels),
    holder,
    readout,
    make('h3', {}, 'Steps'),
    ...makeChanges(plot, segments, causes),
  );
  draw();
  read(last);
  const observer = new ResizeObserver(() => {
    if (!holder.isConnected) observer.disconnect();
    else drawn?.setSize({ width: holder.clientWidth, height: drawn.height });
  });
  observer.observe(holder);
}

/**
 * Lists the changes of all lines, newest first.
 *
 * @param causes by line and commit
 */
function makeChanges(plot: Plot, segments: readonly Segment[][], causes: ReadonlyMap<string, string>): Node[] {
  const changes = segments.flatMap((own, line) => listChanges(own).map((change) => ({ ...change, line })));
  const sorted = changes.sort((a, b) => b.after.from - a.after.from || a.line - b.line);
  const rows = sorted
    .slice(0, maxRows)
    .map(({ line, before, after, comparison }) => [
      make('span', {}, ...describeCommit(after.from)),
      plot.lines[line]?.kernel ?? '',
      `${formatValue(before)} → ${formatValue(after)}`,
      comparison === 'other fingerprint'
        ? 'new fingerprint: not compared'
        : changeOf(plot, before.value, after.value, comparison),
      [causes.get(`${line} ${after.from}`) ?? '', sayGap(before, after)].filter((text) => text !== '').join('; '),
      make('a', { href: addressOfComparison(before.to, after.from) }, 'compare'),
    ]);
  if (rows.length === 0) return [make('p', {}, 'No value has changed.')];
  const headings = ['commit', 'kernel', 'value', 'delta', 'cause', 'all values'];
  return [makeTable(`Steps of ${plot.benchmark}`, headings, rows), ...sayMore(sorted)];
}

function sayGap(before: Segment, after: Segment): string {
  const missed = after.from - before.to - 1;
  return missed === 0 ? '' : `${missed} before it not measured`;
}

function addressOfComparison(...pair: readonly number[]): string {
  return `#${['compare', ...pair.map((commit) => encodeURIComponent(commits[commit]?.id ?? ''))].join('/')}`;
}

/** @param names the beginnings of two commit ids; default: the newest commit and the one before it */
async function showComparison(names: readonly string[]): Promise<void> {
  const view = shown;
  const [a = Math.max(0, newest - 1), b = newest] = names.map((name) =>
    commits.findIndex(({ id }) => id.startsWith(name)),
  );
  const unknown = [a, b].indexOf(-1);
  if (unknown !== -1) {
    return present('Compare two commits', make('p', {}, `The history has no commit ${names[unknown]}.`));
  }
  const options = commits.map(({ id, date, subject }, commit): [string, string] => [
    String(commit),
    `${id.slice(0, 10)} ${date.slice(0, 10)} ${(subject ?? '').slice(0, 50)}`,
  ]);
  const go = (from: number, to: number) => {
    location.hash = addressOfComparison(from, to);
  };
  const choose = (label: string, chosen: number, onChoice: (commit: number) => void) =>
    makeSelect(label, options.toReversed(), String(chosen), (value) => onChoice(Number(value)));
  const progress = make('p', { role: 'status' }, 'Reading…');
  present(
    'Compare two commits',
    make(
      'div',
      { className: 'controls' },
      choose('From ', a, (commit) => go(commit, b)),
      choose('To ', b, (commit) => go(a, commit)),
    ),
    progress,
  );
  const differing: Difference[] = [];
  const counts = { worse: 0, better: 0, same: 0, missing: 0, 'other fingerprint': 0, 'no interval': 0 };
  for (const plot of plots) {
    for (const line of plot.lines) {
      const packed = await readLine(line);
      const [from, to] = [readAt(packed, a), readAt(packed, b)];
      if (from === undefined || to === undefined) {
        counts.missing += 1;
        continue;
      }
      const comparison = compareValues(from, to);
      const result = comparison !== 'apart' ? comparison : isWorse(plot, to.value - from.value) ? 'worse' : 'better';
      counts[result] += 1;
      if (result === 'worse' || result === 'better' || result === 'no interval') {
        differing.push({ plot, line, from, to, result });
      }
    }
    if (view !== shown) return;
  }
  const left = [
    ...(counts.missing === 0 ? [] : [`${formatNumber(counts.missing)} not measured at both`]),
    ...(['other fingerprint', 'no interval'] as const).flatMap((reason) =>
      counts[reason] === 0 ? [] : [`${formatNumber(counts[reason])} not compared: ${reason}`],
    ),
  ];
  progress.replaceChildren(
    make('strong', { className: 'regression' }, `${formatNumber(counts.worse)} worse`),
    ', ',
    make('strong', { className: 'improvement' }, `${formatNumber(counts.better)} better`),
    [`, ${formatNumber(counts.same)} unchanged`, ...left].join('; '),
  );
  if (differing.length > 0) main.append(...makeDifferences(differing));
}

interface Difference {
  readonly plot: Plot;
  readonly line: Line;
  readonly from: Segment;
  readonly to: Segment;
  readonly result: 'worse' | 'better' | 'no interval';
}

/** A row for each plot, a column for each kernel, the largest growth or shrinking first. */
function makeDifferences(differing: readonly Difference[]): Node[] {
  const kernels = [...new Set(differing.map(({ line }) => line.kernel))];
  const sizeOf = ({ from, to }: Difference) => Math.abs((to.value - from.value) / from.value);
  const sorted = differing.toSorted((x, y) => sizeOf(y) - sizeOf(x));
  const list = (matches: (text: string) => boolean) => {
    const chosen = sorted.filter(({ plot, line, result }) =>
      matches([plot.benchmark, plot.measure, line.kernel, result].join(' ')),
    );
    const groups = groupBy(chosen, ({ plot }) => String(plots.indexOf(plot)));
    const columns = kernels.filter((name) => chosen.some(({ line }) => line.kernel === name));
    const rows = groups.slice(0, maxRows).map((group) => [
      linkTo(group[0].plot),
      ...columns.map((name) => {
        const found = group.find(({ line }) => line.kernel === name);
        if (found === undefined) return '~';
        const pair = make('small', {}, `${formatNumber(found.from.value)} → ${formatNumber(found.to.value)}`);
        const comparison = found.result === 'no interval' ? found.result : 'apart';
        return make('span', {}, changeOf(found.plot, found.from.value, found.to.value, comparison), pair);
      }),
    ]);
    return [makeTable('Values that differ', ['benchmark', ...columns], rows), ...sayMore(groups)];
  };
  return makeFiltered('Filter, such as 6.1 worse ', list);
}

function linkTo(plot: Plot): HTMLElement {
  return make('a', { href: addressOf.get(plot) ?? '' }, make('code', {}, plot.benchmark), ` ${plot.measure}`);
}

function describeCommit(commit: number): (Node | string)[] {
  const { id = '', date = '', subject = null, isGone = false } = commits[commit] ?? {};
  const name = make('code', {}, id.slice(0, 10));
  const href = `${repository}/commit/${encodeURIComponent(id)}`;
  return [
    repository === null ? name : make('a', { href, rel: 'noreferrer' }, name),
    ` ${date.slice(0, 10)}`,
    ...(subject === null ? [] : [` ${subject}`]),
    ...(isGone ? [' (not in HEAD)'] : []),
  ];
}

function changeOf(plot: Plot, from: number, to: number, comparison: Comparison = 'apart'): HTMLElement {
  if (comparison === 'no interval') return make('span', {}, `${formatChange(from, to)}; no interval: not compared`);
  return make('span', { className: isWorse(plot, to - from) ? 'regression' : 'improvement' }, formatChange(from, to));
}

function formatChange(from: number, to: number): string {
  const delta = formatDelta(Number((to - from).toPrecision(12)));
  return from === 0 ? delta : `${delta} (${formatGrowth((to - from) / Math.abs(from))})`;
}

function formatValue({ value, low, high }: Segment): string {
  const isExact = low === high || low === null || high === null;
  return isExact ? formatNumber(value) : `${formatNumber(value)} (${formatNumber(low)} to ${formatNumber(high)})`;
}

function sayMore(all: readonly unknown[]): Node[] {
  if (all.length === 0) return [make('p', {}, 'None.')];
  const rest = all.length - maxRows;
  return rest > 0 ? [make('p', { className: 'legend' }, `${formatNumber(rest)} more are not shown.`)] : [];
}
