// Trend page: draws a plot.

import uPlot from 'uplot';
import { formatNumber } from '../../report/numbers.ts';
import { listChanges, type Plot, type Segment, type TrendIndex } from '../trend.ts';

export interface Drawn {
  readonly plot: Plot;
  /** Segments of each line of the plot. */
  readonly segments: readonly (readonly Segment[])[];
  /** Indices of the first and last commit that are drawn. */
  readonly first: number;
  readonly last: number;
}

const lineColors = ['blue', 'orange', 'green', 'purple', 'red', 'teal'];
const dashes = [[], [8, 4], [2, 3]];
const height = 340;

/** The colour of a line; CSS has its variants for light and dark. */
export function colorOf(line: number): string {
  return cssOf(`--${lineColors[line % lineColors.length]}`);
}

function cssOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name);
}

/**
 * Draws the lines over the order of the commits. A line is broken where its fingerprint changes, by a position without a
 * value between two commits; a triangle marks each change for sure.
 *
 * @param onCommit called with the commit under the cursor
 */
export function drawPlot(
  holder: HTMLElement,
  { commits }: TrendIndex,
  { plot, segments, first, last }: Drawn,
  onCommit: (commit: number) => void,
): uPlot {
  const changes = segments.map(listChanges);
  const breaks = changes.map((each) =>
    each.flatMap(({ after, comparison }) => (comparison === 'other fingerprint' ? after.from - 0.5 : [])),
  );
  const all = new Set(breaks.flat().filter((position) => position > first));
  for (let commit = first; commit <= last; commit++) all.add(commit);
  const positions = [...all].sort((a, b) => a - b);
  const placeOf = new Map(positions.map((position, place) => [position, place]));
  const columnOf = (line: number, read: (segment: Segment) => number | null) => {
    // Undefined joins the values on both sides, null parts them.
    const column: (number | null | undefined)[] = Array(positions.length);
    for (const segment of segments[line] ?? []) {
      for (let commit = Math.max(first, segment.from); commit <= segment.to; commit++) {
        column[placeOf.get(commit) ?? -1] = read(segment);
      }
    }
    for (const position of breaks[line] ?? []) if (position > first) column[placeOf.get(position) ?? -1] = null;
    return column;
  };
  const [ink, grid, page] = [cssOf('--quiet'), cssOf('--line'), cssOf('--page')];
  const series: uPlot.Series[] = [{}];
  const columns = [];
  const bands: uPlot.Band[] = [];
  for (const [line] of plot.lines.entries()) {
    const stroke = colorOf(line);
    series.push({
      label: String(line),
      stroke,
      width: 2,
      dash: dashes[Math.floor(line / lineColors.length) % dashes.length] ?? [],
    });
    columns.push(columnOf(line, ({ value }) => value));
  }
  for (const [line] of plot.lines.entries()) {
    if (!segments[line]?.some(({ low, high }) => low !== high)) continue;
    bands.push({ series: [series.length + 1, series.length], fill: `${colorOf(line)}33` });
    for (const bound of ['low', 'high'] as const) {
      series.push({ label: String(line), points: { show: false } });
      columns.push(columnOf(line, (segment) => segment[bound]));
    }
  }
  const markChanges = (u: uPlot) => {
    const { ctx, bbox } = u;
    const size = 5 * devicePixelRatio;
    ctx.save();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const [line, own] of changes.entries()) {
      if (u.series[line + 1]?.show === false) continue;
      let drawnAt = Number.NEGATIVE_INFINITY;
      for (const { before, after, comparison } of own) {
        if (after.from < first || comparison === 'no interval') continue;
        const x = u.valToPos(after.from, 'x', true);
        ctx.beginPath();
        if (comparison === 'other fingerprint') {
          const between = u.valToPos(after.from - 0.5, 'x', true);
          ctx.setLineDash([4, 4]);
          ctx.strokeStyle = ink;
          ctx.lineWidth = devicePixelRatio;
          ctx.moveTo(between, bbox.top);
          ctx.lineTo(between, bbox.top + bbox.height);
          ctx.stroke();
          continue;
        }
        // Nobody could see more.
        if (x - drawnAt < 2 * size) continue;
        drawnAt = x;
        const y = u.valToPos(after.value, 'y', true);
        const tip = after.value > before.value ? -size : size;
        ctx.setLineDash([]);
        ctx.moveTo(x, y + 1.4 * tip);
        ctx.lineTo(x - size, y - tip);
        ctx.lineTo(x + size, y - tip);
        ctx.closePath();
        ctx.fillStyle = cssOf(isWorse(plot, after.value - before.value) ? '--bad' : '--good');
        ctx.strokeStyle = page;
        ctx.lineWidth = 2 * devicePixelRatio;
        ctx.stroke();
        ctx.fill();
      }
    }
    ctx.restore();
  };
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  return new uPlot(
    {
      width: holder.clientWidth,
      height,
      series,
      bands,
      legend: { show: false },
      scales: { x: { time: false, range: (_, low, high) => [low - 0.5, high + 0.5] } },
      axes: [
        {
          ...axis,
          space: 90,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000],
          values: (_, splits) => splits.map((commit) => commits[commit]?.date.slice(0, 10) ?? ''),
        },
        {
          ...axis,
          values: (_, splits) => splits.map((value) => formatNumber(value)),
          size: (_, values) => 16 + 7 * Math.max(0, ...(values ?? []).map(({ length }) => length)),
        },
      ],
      cursor: { y: false, drag: { x: true, y: false } },
      hooks: {
        draw: [markChanges],
        setCursor: [({ cursor: { idx } }) => onCommit(Math.round(positions[idx ?? positions.length - 1] ?? last))],
      },
    },
    [positions, ...columns] as uPlot.AlignedData,
    holder,
  );
}

/** Shows or hides a line with its band, whose bounds would still scale the axis. */
export function showLine(drawn: uPlot, line: number, show: boolean): void {
  for (const [place, { label }] of drawn.series.entries()) if (label === String(line)) drawn.setSeries(place, { show });
}

export function isWorse({ better }: Pick<Plot, 'better'>, delta: number): boolean {
  return better === 'lower' ? delta > 0 : delta < 0;
}
