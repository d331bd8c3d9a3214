// Report: the frame and style of the page and of the trend page, apart from html.ts, which loads a chart library. Pure.

/**
 * Renders a whole document that makes no request.
 *
 * @param allowed what its policy allows
 * @param title as HTML
 */
export function renderDocument(allowed: string, title: string, css: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ${allowed}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${css}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** Colours for light and dark, text and tables; also of the trend page. */
export const style = `
:root {
  --page: #fff; --panel: #f6f8fa; --ink: #1f2328; --quiet: #59636e; --line: #d1d9e0; --link: #0969da;
  --bad: #c21c2b; --bad-fill: #ffebe9; --good: #1a7f37; --good-fill: #e6f7ea; --unsure: #875a00; --unsure-fill: #fff6d6;
  --base-bar: #afb8c1; --head-bar: #6e93c4; --on-badge: #fff;
  --regression: var(--bad); --improvement: var(--good); --inconclusive: var(--unsure);
  --unchanged: var(--quiet); --added: var(--unsure); --removed: var(--unsure);
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #0d1117; --panel: #161b22; --ink: #e6edf3; --quiet: #9ba5b0; --line: #30363d; --link: #6cb0ff;
    --bad: #ff7b72; --bad-fill: #3a1618; --good: #56d364; --good-fill: #12301b; --unsure: #e3b341; --unsure-fill: #332701;
    --base-bar: #57606a; --head-bar: #4f7ab3; --on-badge: #0d1117;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 48px; }
main.wide { max-width: 1680px; }
.wide .overview th, .wide .overview td, .results th, .results td { padding: 6px 9px; font-size: 14px; }
h1 { margin: 12px 0 24px; font-size: 21px; line-height: 1.45; font-weight: 600; }
h2 { margin: 36px 0 12px; font-size: 17px; }
p { margin: 8px 0; }
h1, h3, p, li, th, summary, code { overflow-wrap: anywhere; }
code, pre { font: 0.92em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { unicode-bidi: isolate; }
a { color: var(--link); text-underline-offset: 4px; }
nav a:not(:hover, :focus-visible) { text-decoration: none; }
small { display: block; font-size: 12px; font-weight: 400; color: var(--quiet); }
ul { margin: 8px 0; padding-left: 20px; }
.subject { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; margin: 0; }
.revisions, .legend, .source, figcaption, footer { color: var(--quiet); }
.badge { padding: 2px 12px; border-radius: 999px; color: var(--on-badge); font-weight: 600; }
.badge.good { background: var(--good); }
.badge.bad { background: var(--bad); }
.badge.unsure { background: var(--unsure); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 14px; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; background: var(--panel); vertical-align: bottom; font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 400; min-width: 180px; }
.overview tr > :first-child { position: sticky; left: 0; }
.overview tbody th { background: var(--page); }
@media (max-width: 700px) {
  main { padding: 20px 14px 32px; }
  th, td { padding: 4px; font-size: 13px; }
  .finding { padding-left: 10px; }
  .overview tr > :first-child { position: static; min-width: 88px; white-space: normal; }
  .overview th, .overview td { padding: 4px; font-size: 12px; }
  .overview thead th { overflow-wrap: break-word; }
  .overview thead th, .overview .number { white-space: normal; }
  section > details > .scroll { margin-left: 4px; margin-right: 4px; }
}
.number { text-align: right; white-space: nowrap; }
.results .number small { white-space: normal; }
.regression, .failed { color: var(--bad); font-weight: 600; }
.improvement { color: var(--good); font-weight: 600; }
.inconclusive, .added, .removed { color: var(--unsure); }
.unchanged, .missing { color: var(--quiet); }
td.regression, td.failed { background: var(--bad-fill); }
td.improvement { background: var(--good-fill); }
td.inconclusive { background: var(--unsure-fill); }
.legend, figcaption, footer { font-size: 13px; }
section > details { margin: 12px 0; border: 1px solid var(--line); border-radius: 8px; }
section > details > summary { padding: 10px 14px; background: var(--panel); border-radius: 8px; cursor: pointer; }
section > details > :not(summary) { margin-left: 14px; margin-right: 14px; }
h3 { margin: 0 0 8px; font-size: 16px; line-height: 1.4; }
.finding { margin: 16px 0; padding: 4px 0 4px 16px; border-left: 4px solid var(--line); scroll-margin-top: 16px; }
.finding { content-visibility: auto; contain-intrinsic-size: auto 420px; }
.finding:target { background: var(--panel); }
.finding summary, #profiles summary { padding: 6px 0; cursor: pointer; }
.regression-edge { border-color: var(--bad); }
.improvement-edge { border-color: var(--good); }
.inconclusive-edge { border-color: var(--unsure); }
figure { margin: 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); gap: 16px 24px; margin: 16px 0; }
svg.plot { display: block; max-width: 100%; height: auto; margin-top: 6px; font: 12px system-ui, "Segoe UI", sans-serif; font-variant-numeric: tabular-nums; }
svg.plot .name { font: 11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
img.flames { display: block; min-width: 900px; width: 100%; }
@media screen and (prefers-color-scheme: dark) { img.flames { filter: brightness(0.8); } }
.keys { white-space: nowrap; }
.key::before { content: ""; display: inline-block; width: 10px; height: 10px; margin: 0 5px 0 10px; }
.key.base::before { background: var(--base-bar); }
.key.head::before { background: var(--head-bar); }
.key.ring::before { border: 1.5px solid var(--ink); border-radius: 50%; }
.key.dot::before { background: var(--bad); border-radius: 50%; }
.improvement-edge .key.dot::before { background: var(--good); }
.inconclusive-edge .key.dot::before { background: var(--unsure); }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; }
.anchor { color: var(--quiet); }
.filters { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 18px; }
[hidden] { display: none; }
input, select { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--quiet); border-radius: 6px; padding: 3px 8px; max-width: 100%; }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; }
[aria-sort=ascending] button::after { content: " ▲"; }
[aria-sort=descending] button::after { content: " ▼"; }
.diff { white-space: pre-wrap; overflow-wrap: anywhere; }
.plus { color: var(--good); }
.minus { color: var(--bad); }
.failure { border-left: 4px solid var(--bad); padding: 2px 14px; margin: 12px 0; }
.failure summary { cursor: pointer; }
pre { margin: 8px 0; padding: 10px 14px; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
footer { margin-top: 32px; border-top: 1px solid var(--line); padding-top: 8px; }
@media print {
  @page { margin: 12mm; }
  h1 { font-size: 16px; }
  body { font-size: 11px; }
  main { max-width: none; padding: 0; }
  nav, .filters, .anchor { display: none; }
  .finding, .finding details::details-content { content-visibility: visible; }
  .scroll { overflow: visible; }
  th, td { padding: 4px 6px; }
  .number { white-space: normal; }
  pre { white-space: pre-wrap; }
  img.flames { min-width: 0; }
  h2, h3 { break-after: avoid; }
  tr, figure, img, .badge { break-inside: avoid; print-color-adjust: exact; }
}
`.trimStart();
