// Report: the page's plots, drawn as it is written, so they need no script. Colours are the page's CSS variables. Pure.

import { axisX, barX, dot, gridX, lineY, link, type Markish, type PlotOptions, plot, text } from '@observablehq/plot';
import { DOMImplementation, XMLSerializer } from '@xmldom/xmldom';
import { clipMiddle } from '../common/clip-middle.ts';
import { toCellText } from './cell-text.ts';
import type { Grown } from './finding-detail.ts';
import { escapeHtml } from './html-escape.ts';
import { formatNumber } from './numbers.ts';
import { countOf, toPlainName } from './plain-text.ts';
import type { Cell, KernelColumn, Row } from './row.ts';

/** Plot needs a document to make elements of. */
const document = new DOMImplementation().createDocument('http://www.w3.org/1999/xhtml', 'html', null);
/** Widths in CSS pixels: at most a phone's. A letter is a generous one, as fonts differ. */
const size = { width: 340, letter: 7.2, gap: 10, minFrame: 120 } as const;
const maxLabel = 24;
const ofBase = { r: 4.5, fill: 'var(--page)', stroke: 'var(--ink)', className: 'base' };
const ofHead = { r: 4.5, fill: 'colour', className: 'head' };
const besideFrame = { text: 'label', frameAnchor: 'right', textAnchor: 'start', dx: size.gap, fill: 'colour' } as const;

/** Draws a ring for base and a dot for head on each kernel; empty if there is nothing to draw. */
export function drawDots(row: Row, kernels: readonly KernelColumn[]): string {
  const marks = labelCells(row, kernels).map(({ cell, index, ...texts }) => {
    const { base, head } = cell.values;
    const [low, high] = rangeOf(cell) ?? [null, null];
    return { y: index, ...texts, base, head, low, high };
  });
  const values = marks.flatMap(({ base, head, low, high }) => [base, head, low, high].filter((each) => each !== null));
  const domain = domainOf(values);
  if (domain === null) return '';
  const margins = marginsOf(marks);
  const frame = margins.width - margins.marginLeft - margins.marginRight;
  const widest = Math.max(...domain.map((value) => formatNumber(Math.round(value)).length + 2));
  const ticks = Math.max(1, Math.floor(frame / (widest * size.letter)));
  return draw(`${toPlainName(row.name)}: base and head on ${countOf(marks.length, 'kernel')}`, {
    ...margins,
    marginTop: 4,
    marginBottom: 24,
    height: 28 + 26 * marks.length,
    x: { domain },
    y: {
      type: 'point',
      // Clipped names can be equal.
      domain: marks.map(({ y }) => y),
      tickFormat: (_: number, at: number) => marks[at]?.name ?? '',
      label: null,
      tickSize: 0,
      padding: 0.5,
    },
    marks: [
      gridX({ ticks, stroke: 'var(--line)', strokeOpacity: 1 }),
      axisX({ ticks, label: null, tickSize: 0, tickFormat: (value: number) => formatNumber(value) }),
      link(marks, { x1: 'base', x2: 'head', y: 'y', stroke: 'colour', strokeWidth: 2 }),
      link(marks, { x1: 'low', x2: 'high', y: 'y', stroke: 'currentColor', className: 'range' }),
      dot(marks, { x: 'base', y: 'y', ...ofBase }),
      dot(marks, { x: 'head', y: 'y', ...ofHead }),
      text(marks, { y: 'y', ...besideFrame }),
    ],
  });
}

/**
 * Draws a row's values on earlier commits, then base and head, on each kernel that has some: a strip each, as kernels
 * have different values. Empty if no kernel has.
 *
 * @param earlier returns the values on a kernel, oldest first
 */
export function drawEarlier(
  row: Row,
  kernels: readonly KernelColumn[],
  earlier: (kernel: string) => readonly number[],
): string {
  const strips = labelCells(row, kernels).flatMap(({ cell, index, kernel, ...texts }) => {
    const values = earlier(kernel);
    if (values.length === 0) return [];
    const { base, head } = cell.values;
    const own = [base, head].flatMap((value, side) => (value === null ? [] : { x: values.length + side, value, side }));
    const all = [...values.map((value, x) => ({ x, value, side: null })), ...own];
    const [low, high] = domainOf(all.map(({ value }) => value)) ?? [0, 0];
    if (low === high) return [];
    // Each strip has a scale of its own, from 0 to 1.
    const scaled = (value: number) => (value - low) / (high - low);
    const points = all.map(({ value, ...point }) => ({ ...point, y: scaled(value), fy: index, colour: texts.colour }));
    return { fy: index, ...texts, points, count: values.length };
  });
  if (strips.length === 0) return '';
  const margins = marginsOf(strips);
  const points = strips.flatMap((strip) => strip.points);
  const most = Math.max(...strips.map(({ count }) => count));
  return draw(
    `${toPlainName(row.name)}: ${countOf(most, 'earlier commit')}, base and head on ${countOf(strips.length, 'kernel')}`,
    {
      ...margins,
      marginTop: 0,
      marginBottom: 4,
      height: 8 + 44 * strips.length,
      inset: 6,
      x: { axis: null },
      y: { axis: null, domain: [0, 1] },
      fy: { axis: null, padding: 0.2 },
      marks: [
        lineY(points, { x: 'x', y: 'y', fy: 'fy', curve: 'step-after', stroke: 'var(--quiet)' }),
        dot(points, { x: 'x', y: 'y', fy: 'fy', filter: ({ side }) => side === 0, ...ofBase }),
        dot(points, { x: 'x', y: 'y', fy: 'fy', filter: ({ side }) => side === 1, ...ofHead }),
        text(strips, { text: 'name', fy: 'fy', frameAnchor: 'left', textAnchor: 'end', dx: -size.gap }),
        text(strips, { fy: 'fy', ...besideFrame }),
      ],
    },
  );
}

/** Renders a plot below its caption, which is HTML, and the keys of its marks by their classes. */
export function renderFigure(caption: string, [base, head]: readonly [string, string], svg: string): string {
  return `<figure class="plot"><figcaption>${caption} <span class="keys"><span class="key ${base}">base</span> <span class="key ${head}">head</span></span></figcaption>\n${svg}</figure>`;
}

/** Draws a figure of head's bar below base's, from zero, with the name above. */
export function drawBars(caption: string, title: string, bars: readonly Grown[]): string {
  const sides = bars.flatMap(({ base, head }, fy) => [
    { fy, y: 'base', value: base },
    { fy, y: 'head', value: head },
  ]);
  const names = bars.map(({ place }, fy) => ({ fy, y: 'name', name: clipMiddle(place, 2 * maxLabel) }));
  const label = ({ value }: (typeof sides)[number]) => formatNumber(value);
  const svg = draw(`${title}: base and head`, {
    marginTop: 0,
    marginBottom: 0,
    marginLeft: 1,
    marginRight: marginsOf(sides.map((side) => ({ name: '', label: label(side) }))).marginRight,
    height: 54 * bars.length,
    x: { axis: null, domain: [0, Math.max(1, ...sides.map(({ value }) => value))] },
    y: { axis: null, domain: ['name', 'base', 'head'], padding: 0.15 },
    fy: { axis: null, padding: 0.1 },
    marks: [
      barX(sides, { x: 'value', y: 'y', fy: 'fy', fill: ({ y }) => `var(--${y}-bar)` }),
      text(sides, { text: label, x: 'value', y: 'y', fy: 'fy', dx: 5, textAnchor: 'start' }),
      text(names, { text: 'name', y: 'y', fy: 'fy', frameAnchor: 'left', className: 'name' }),
    ],
  });
  return renderFigure(escapeHtml(caption), ['base', 'head'], svg);
}

/** Lists the cells that a row has, with the texts next to their marks. */
function labelCells(row: Row, kernels: readonly KernelColumn[]) {
  return row.cells.flatMap((cell, index) => {
    const kernel = kernels[index];
    if (cell === null || kernel === undefined) return [];
    const label = clipMiddle(toCellText(row, index, kernel).result, maxLabel);
    const name = clipMiddle(kernel.id, maxLabel);
    return { cell, index, kernel: kernel.id, name, label, colour: `var(--${cell.verdict})` };
  });
}

/** The range of head's true value, by the interval of its delta; null if it is exact or not known. */
function rangeOf({ values: { base, interval } }: Cell): readonly [low: number, high: number] | null {
  if (base === null || interval === null || interval === 'exact') return null;
  const [low, high] = [base + interval[0], base + interval[1]];
  return Number.isFinite(low) && Number.isFinite(high) ? [low, high] : null;
}

/** Frames all values, and zero if it is near. Null if no scale can hold them. */
function domainOf(values: readonly number[]): readonly [low: number, high: number] | null {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most - least || Math.abs(most) || 1;
  const edge = span / 16;
  const low = least >= 0 && least < span ? -edge : least - edge;
  const high = most <= 0 && -most < span ? edge : most + edge;
  return Number.isFinite(high - low) && high - low > Number.MIN_VALUE * 2 ** 53 ? [low, high] : null;
}

function marginsOf(marks: readonly { readonly name: string; readonly label: string }[]) {
  const widthOf = (texts: readonly string[]) =>
    Math.ceil(Math.max(0, ...texts.map((each) => [...each].length)) * size.letter) + size.gap;
  const marginLeft = widthOf(marks.map(({ name }) => name));
  const marginRight = widthOf(marks.map(({ label }) => label)) + size.gap;
  return { marginLeft, marginRight, width: Math.max(size.width, marginLeft + marginRight + size.minFrame) };
}

/** @param title what a screen reader says; a table has the numbers */
function draw(title: string, options: PlotOptions & { readonly marks: readonly Markish[] }): string {
  const svg = plot({
    width: size.width,
    ...options,
    marks: [...options.marks],
    ariaLabel: title,
    // The default is a random number.
    className: 'plot',
    document: document as unknown as NonNullable<PlotOptions['document']>,
  });
  svg.setAttribute('role', 'img');
  // An image's parts have no names of their own, and the page has one style for all.
  for (const part of [...svg.getElementsByTagName('g')]) part.removeAttribute('aria-label');
  for (const style of [...svg.getElementsByTagName('style')]) style.parentNode?.removeChild(style);
  return new XMLSerializer().serializeToString(svg as unknown as Parameters<XMLSerializer['serializeToString']>[0]);
}
