// Report: flame graphs in the page, and the functions in them. Pure.

import { compare } from '../common/order.ts';
import { compareAmounts, type FindingDetail, type Grown } from './finding-detail.ts';
import { escapeHtml, toCode } from './html-escape.ts';
import { drawBars } from './html-plots.ts';
import { renderDeltas } from './html-table.ts';
import { toPlainLine } from './plain-text.ts';
import { type FlameGraph, maxProfile, type ReportModel } from './report-model.ts';

/** Returns a profile's content by its path in the results; undefined if it is not at hand. */
export type ReadProfile = (file: string) => Buffer | undefined;

/** Bytes of pictures in a page: three kernels' of the demo, in a page of less than 1 MB. */
const maxPictures = 600_000;
/** Functions listed of a profile. */
const maxFunctions = 8;
const offCpu = 'off-cpu';
/** The end of a kernel function's name in folded stacks. */
const kernelMark = '_[k]';

/**
 * Renders each profile's files, and its flame graphs while there is room. Of those that a finding names, the one that
 * changed most with it is open, and gets its room first.
 */
export function renderProfiles(
  profiles: ReportModel['profiles'],
  readAny: ReadProfile,
  findings: readonly Pick<FindingDetail, 'verdict' | 'flames'>[],
): string[] {
  const read: ReadProfile = (file) => {
    const content = readAny(file);
    return content !== undefined && content.length <= maxProfile ? content : undefined;
  };
  let left = maxPictures;
  const pictures = new Map<string, string>();
  const all = profiles.flatMap(({ flames }) => flames);
  // The worst finding decides.
  const named = new Map(findings.toReversed().flatMap(({ verdict, flames }) => flames.map(({ id }) => [id, verdict])));
  const opened = profiles.flatMap(({ id, flames }) => {
    const verdict = named.get(id);
    return verdict === undefined ? [] : (findGrownGraph(flames, verdict === 'improvement', read) ?? []);
  });
  const byName = all.toSorted((a, b) => compare(a.name, b.name));
  for (const { picture } of new Set([...opened, ...byName])) {
    const svg = withoutSearch(withoutScripts(read(picture)?.toString() ?? ''));
    // Base64 takes four bytes for three.
    const length = Math.ceil(Buffer.byteLength(svg) / 3) * 4;
    if (svg === '' || length > left) continue;
    left -= length;
    pictures.set(picture, Buffer.from(svg).toString('base64'));
  }
  return profiles.map(({ id, bench, kernel, folder, files, flames }) => {
    const links = files.map(({ name, url }) => {
      const label = escapeHtml(name);
      return url === null ? label : `<a href="${escapeHtml(url)}">${label}</a>`;
    });
    const drawn = flames.map((flame) =>
      renderFlame(flame, `${bench} on ${kernel}`, pictures.get(flame.picture), opened.includes(flame), read),
    );
    return `<article id="${id}">
<p>${toCode(bench)} on ${escapeHtml(kernel)}, in ${toCode(folder)}: ${links.join(', ')}</p>
${drawn.join('')}</article>`;
  });
}

/** Leaves out a picture's scripts, which `img` does not run. In a hostile one, a pattern would take quadratic time. */
function withoutScripts(svg: string): string {
  const end = '</script>';
  const parts = svg.split(end);
  const last = parts.pop() ?? '';
  const kept = parts.map((part) => {
    const start = part.indexOf('<script');
    return start === -1 ? `${part}${end}` : part.slice(0, start);
  });
  return `${kept.join('')}${last}`;
}

/** Leaves out a picture's button that only a script would make work. */
function withoutSearch(svg: string): string {
  const start = svg.indexOf('<text id="search"');
  const end = start === -1 ? -1 : svg.indexOf('</text>', start);
  return end === -1 ? svg : `${svg.slice(0, start)}${svg.slice(end + '</text>'.length)}`;
}

/** Finds the graph whose total grew by the largest factor, or shrank by it; the first, if a side is not known. */
function findGrownGraph(flames: readonly FlameGraph[], isShrunk: boolean, read: ReadProfile): FlameGraph | undefined {
  const grown = flames.map((flame) => {
    const [base = 0, head = 0] = countSides(flame, read).map((counts) =>
      [...counts.values()].reduce((sum, count) => sum + count, 0),
    );
    return { flame, factor: base === 0 || head === 0 ? 1 : isShrunk ? base / head : head / base };
  });
  return grown.toSorted((a, b) => b.factor - a.factor)[0]?.flame;
}

function countSides({ name, base, head }: FlameGraph, read: ReadProfile): Map<string, number>[] {
  return [base, head].map((file) => countFunctions(file === null ? undefined : read(file), name === offCpu));
}

function renderFlame(
  flame: FlameGraph,
  where: string,
  data: string | undefined,
  isOpen: boolean,
  read: ReadProfile,
): string {
  const { name, unit, isDifference } = flame;
  const title = `Flame graph of ${where}, ${name}${isDifference ? ': head, red where it has more than base' : ''}`;
  const sides = countSides(flame, read);
  const what = name === offCpu ? 'user-space functions whose waits changed most,' : 'functions that changed most, own';
  const changed = findMostChanged(sides[0] ?? new Map(), sides[1] ?? new Map());
  if (data === undefined && changed.length === 0) return '';
  const picture =
    data === undefined
      ? '<p class="legend">The page has no room for its picture, which is in the output folder.</p>\n'
      : `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(title)}"><img class="flames" alt="${escapeHtml(`${title}. The table of functions has its numbers.`)}" src="data:image/svg+xml;base64,${data}"></div>\n`;
  const functions =
    changed.length === 0
      ? ''
      : `${drawBars(`${name}: ${what} ${unit}`, `Own ${unit} of functions, ${name}, ${where}`, changed)}
<details><summary>${escapeHtml(`${name}: functions as a table`)}</summary>
${renderDeltas(`Functions, ${name}, ${where}`, 'function', changed)}</details>\n`;
  return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary>\n${picture}${functions}</details>\n`;
}

/**
 * Sums folded stacks, `caller;function COUNT`, by the function that ran, or by the innermost of user space: off the CPU
 * all stacks end in the scheduler.
 */
function countFunctions(folded: Buffer | undefined, isOfUser: boolean): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of (folded?.toString() ?? '').split('\n')) {
    const end = line.lastIndexOf(' ');
    const [stack, count] = [line.slice(0, Math.max(0, end)), line.slice(end + 1)];
    const frames = isOfUser ? withoutKernel(stack) : stack;
    const name = frames.slice(frames.lastIndexOf(';') + 1);
    if (name === '' || !/^\d{1,15}$/.test(count)) continue;
    const plain = toPlainLine(name.replace(/_\[k\]$/, ' (kernel)'));
    counts.set(plain, (counts.get(plain) ?? 0) + Number(count));
  }
  return counts;
}

/** Leaves out a stack's innermost functions of the kernel, unless it has no others. */
function withoutKernel(stack: string): string {
  let end = stack.length;
  while (stack.endsWith(kernelMark, end)) end = stack.lastIndexOf(';', end - 1);
  return end <= 0 ? stack : stack.slice(0, end);
}

function findMostChanged(base: ReadonlyMap<string, number>, head: ReadonlyMap<string, number>): Grown[] {
  const all = [...new Set([...base.keys(), ...head.keys()])].map((place): Grown => {
    return { place, ...compareAmounts(base.get(place) ?? 0, head.get(place) ?? 0) };
  });
  const changeOf = (each: Grown) => Math.abs(each.head - each.base);
  return all
    .toSorted((a, b) => changeOf(b) - changeOf(a) || b.head - a.head || (a.place < b.place ? -1 : 1))
    .slice(0, maxFunctions);
}
