// History: the trend page, one document with its script and its data.

import { escapeHtml } from '../report/html-escape.ts';
import { renderDocument, style } from '../report/page-style.ts';
import { countOf } from '../report/plain-text.ts';
import type { TrendIndex } from './trend.ts';

export interface PageTools {
  /** Text of the page's script, a module. */
  readonly script: string;
  /** SHA-256 of a text, in base64. */
  readonly digest: (text: string) => string;
  /** A text compressed by gzip, in base64. */
  readonly compress: (text: string) => string;
}

/**
 * Renders the page. Its policy allows its own script and style by their hashes, and no request. The data can hold no
 * markup, as it is base64; names only become text of nodes.
 */
export function renderTrendPage(index: TrendIndex, parts: readonly string[], tools: PageTools): string {
  // `</script` in a string literal would end the element.
  const script = tools.script.replaceAll('</script', '<\\/script');
  const css = `${style}${plotStyle}`;
  const allowed = [`script-src 'sha256-${tools.digest(script)}'`, `style-src 'sha256-${tools.digest(css)}'`];
  const { commits, plots } = index;
  const project = escapeHtml(index.project);
  const blocks = [['index', JSON.stringify(index)], ...parts.map((part, number) => [`part-${number}`, part])];
  const data = blocks.map(
    ([id, text = '']) => `<script type="application/gzip" id="${id}">${tools.compress(text)}</script>\n`,
  );
  const body = `<header>
<h1>${project}</h1>
<p class="legend">${countOf(plots.length, 'plot')} of ${countOf(commits.length, 'commit')}, ${commits[0]?.date.slice(0, 10)} to ${commits.at(-1)?.date.slice(0, 10)}</p>
<nav><a href="#">Recent changes</a> <a href="#benchmarks">Benchmarks</a> <a href="#compare">Compare</a></nav>
</header>
<main><noscript>The page needs JavaScript to draw plots.</noscript></main>
${data.join('')}<script type="module">${script}</script>`;
  return renderDocument(allowed.join('; '), `Trend – ${project}`, css, body);
}

/** Rules for the page's own elements, then those of uPlot.min.css that are used. */
const plotStyle = `
:root { --blue: #0969da; --orange: #b35900; --green: #1a7f37; --purple: #8250df; --red: #c21c2b; --teal: #0e7490; }
@media (prefers-color-scheme: dark) {
  :root { --blue: #6cb0ff; --orange: #f0883e; --green: #56d364; --purple: #bc8cff; --red: #ff7b72; --teal: #39c5cf; }
}
header { max-width: 1120px; margin: 0 auto; padding: 24px 24px 0; }
header h1 { margin: 0; }
nav { display: flex; flex-wrap: wrap; gap: 4px 20px; }
nav a { padding: 6px 0; }
nav [aria-current] { color: var(--ink); font-weight: 600; border-bottom: 2px solid var(--link); }
main { padding-top: 0; }
h2 { overflow-wrap: anywhere; }
h2:focus { outline: none; }
.controls { display: flex; flex-wrap: wrap; gap: 8px 20px; margin: 12px 0; align-items: center; }
.controls label { display: inline-flex; gap: 6px; align-items: center; flex-wrap: wrap; max-width: 100%; overflow-wrap: anywhere; }
main > label { display: inline-block; margin-bottom: 12px; }
select, input { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: 5px 8px; min-width: 0; max-width: 100%; }
.controls .key { margin: 0; flex: none; }
.readout { display: flex; flex-wrap: wrap; gap: 4px 20px; min-height: 3em; font-size: 13px; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
td { min-width: 90px; }
@media (max-width: 700px) { header { padding: 16px 14px 0; } }
.plot { overflow: hidden; }
.plot:focus-visible { outline: 2px solid var(--link); }
.u-wrap { position: relative; user-select: none; }
.u-over, .u-under, .u-axis, .u-select, .u-cursor-x, .u-cursor-y, .u-cursor-pt { position: absolute; }
.u-under { overflow: hidden; }
.uplot canvas { display: block; position: relative; width: 100%; height: 100%; }
.u-select { background: color-mix(in srgb, var(--ink) 10%, transparent); pointer-events: none; }
.u-cursor-x, .u-cursor-pt { left: 0; top: 0; pointer-events: none; }
.u-hz .u-cursor-x { height: 100%; border-right: 1px dashed var(--quiet); }
.u-cursor-pt { border: 0 solid; border-radius: 50%; background-clip: padding-box !important; }
.u-off { display: none; }
`;
