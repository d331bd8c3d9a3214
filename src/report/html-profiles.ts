// Report: flame graphs in the page, and the functions in them. Pure.

import { clipMiddle } from '../common/clip-middle.ts';
import { escapeHtml, toCode } from './html-escape.ts';
import { type Bar, drawBars } from './html-plots.ts';
import { formatDelta, formatNumber } from './numbers.ts';
import { toPlainLine } from './plain-text.ts';
import { type FlameGraph, maxProfile, type ReportModel } from './report-model.ts';

/** Returns a profile's content by its path in the results; undefined if it is not at hand. */
export type ReadProfile = (file: string) => Buffer | undefined;

/** Bytes of pictures in a page: three kernels' of the demo, in a page of less than 1 MB. */
const maxPictures = 600_000;
/** Functions listed of a profile. */
const maxFunctions = 8;
const maxName = 120;

/** Renders each profile's files, and its flame graphs while there is room, the CPU's first. */
export function renderProfiles(profiles: ReportModel['profiles'], readAny: ReadProfile): string[] {
  const read: ReadProfile = (file) => {
    const content = readAny(file);
    return content !== undefined && content.length <= maxProfile ? content : undefined;
  };
  let left = maxPictures;
  const pictures = new Map<string, string>();
  const all = profiles.flatMap(({ flames }) => flames);
  for (const { picture } of all.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))) {
    const svg = withoutScripts(read(picture)?.toString() ?? '');
    // Base64 takes four bytes for three.
    const length = Math.ceil(Buffer.byteLength(svg) / 3) * 4;
    if (svg === '' || length > left) continue;
    left -= length;
    pictures.set(picture, Buffer.from(svg).toString('base64'));
  }
  return profiles.map(({ bench, kernel, folder, files, flames }) => {
    const links = files.map(({ name, url }) => {
      const label = escapeHtml(name);
      return url === null ? label : `<a href="${escapeHtml(url)}">${label}</a>`;
    });
    const drawn = flames.map((flame) => renderFlame(flame, `${bench} on ${kernel}`, pictures.get(flame.picture), read));
    return `<article>
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

function renderFlame(flame: FlameGraph, where: string, data: string | undefined, read: ReadProfile): string {
  const { name, unit, base, head, isDifference } = flame;
  const title = `Flame graph of ${where}, ${name}${isDifference ? ': head, red where it has more than base' : ''}`;
  const sides = [base, head].map((file) => countFunctions(file === null ? undefined : read(file)));
  const bars = mostChanged(sides[0] ?? new Map(), sides[1] ?? new Map());
  if (data === undefined && bars.length === 0) return '';
  const rows = bars.map(
    (bar) =>
      `<tr><th scope="row">${toCode(clipMiddle(bar.name, maxName))}</th><td class="number">${formatDelta(bar.head - bar.base, 0)}</td><td class="number">${formatNumber(bar.base, 0)} → ${formatNumber(bar.head, 0)}</td></tr>`,
  );
  const picture =
    data === undefined
      ? '<p class="legend">The page has no room for its picture, which is in the output folder.</p>\n'
      : `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(title)}"><img class="flames" alt="${escapeHtml(`${title}. The table of functions has its numbers.`)}" src="data:image/svg+xml;base64,${data}"></div>\n`;
  const functions =
    bars.length === 0
      ? ''
      : `<figure class="plot"><figcaption>${escapeHtml(name)}: functions that changed most, own ${unit} <span class="key base">base</span> <span class="key head">head</span></figcaption>
${drawBars(`Own ${unit} of functions, ${name}, ${where}`, bars)}</figure>
<details><summary>${escapeHtml(`${name}: functions as a table`)}</summary>
<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(`Functions, ${name}, ${where}`)}">
<table>
<thead><tr><th scope="col">function</th><th scope="col" class="number">delta</th><th scope="col" class="number">base → head</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</div>
</details>\n`;
  // Time off the CPU says less of what changed.
  return `<details${name === 'cpu' ? ' open' : ''}><summary>${escapeHtml(title)}</summary>\n${picture}${functions}</details>\n`;
}

/** Sums folded stacks, `caller;function COUNT`, by the function that ran. */
function countFunctions(folded: Buffer | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of (folded?.toString() ?? '').split('\n')) {
    const end = line.lastIndexOf(' ');
    const [name, count] = [line.slice(line.lastIndexOf(';', end) + 1, Math.max(0, end)), line.slice(end + 1)];
    if (name === '' || !/^\d{1,15}$/.test(count)) continue;
    const plain = toPlainLine(name.replace(/_\[k\]$/, ' (kernel)'));
    counts.set(plain, (counts.get(plain) ?? 0) + Number(count));
  }
  return counts;
}

function mostChanged(base: ReadonlyMap<string, number>, head: ReadonlyMap<string, number>): Bar[] {
  const bars = [...new Set([...base.keys(), ...head.keys()])].map((name): Bar => {
    return { name, base: base.get(name) ?? 0, head: head.get(name) ?? 0 };
  });
  const changeOf = (bar: Bar) => Math.abs(bar.head - bar.base);
  return bars
    .toSorted((a, b) => changeOf(b) - changeOf(a) || b.head - a.head || (a.name < b.name ? -1 : 1))
    .slice(0, maxFunctions);
}
