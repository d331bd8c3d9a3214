// Draws the pictures in the README: how GitHub shows the comment of a result, in light and dark.
// Usage: node docs/images/render-comment.mjs RESULTS.json

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { buildReport } from '../../src/report/report-model.ts';
import { parseResults } from '../../src/report/results-schema.ts';

const [file] = process.argv.slice(2);
const results = parseResults(readFileSync(file, 'utf8'), file);
const report = buildReport({ ...results, profiles: [] });
const body = micromark(renderMarkdown(report), {
  allowDangerousHtml: true,
  extensions: [gfm()],
  htmlExtensions: [gfmHtml()],
});

/** Colours of GitHub's own pages. */
const themes = {
  comment: { text: '#1f2328', dim: '#59636e', page: '#ffffff', header: '#f6f8fa', line: '#d1d9e0', link: '#0969da' },
  'comment-dark': {
    text: '#f0f6fc',
    dim: '#9198a1',
    page: '#0d1117',
    header: '#151b23',
    line: '#3d444d',
    link: '#4493f8',
  },
};
const folder = mkdtempSync(join(tmpdir(), 'bpfgate-picture-'));
for (const [name, { text, dim, page, header, line, link }] of Object.entries(themes)) {
  const html = `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 8px; background: ${page}; color: ${text}; font: 14px/1.5 "Noto Sans", "DejaVu Sans", sans-serif }
article { border: 1px solid ${line}; border-radius: 6px } header { background: ${header}; color: ${dim}; padding: 8px 16px; border-bottom: 1px solid ${line}; border-radius: 6px 6px 0 0 }
header b { color: ${text} } main { padding: 16px } h3 { margin: 0 0 12px; font-size: 17px } h4 { margin: 18px 0 8px; font-size: 14px } p { margin: 0 0 12px }
table { border-collapse: collapse; margin-bottom: 12px } td, th { border: 1px solid ${line}; padding: 5px 12px } tr:nth-child(2n) td { background: ${header} }
code { background: ${header}; border-radius: 6px; padding: 2px 5px; font: 12px "DejaVu Sans Mono", monospace } a { color: ${link} } summary { margin-bottom: 8px }
</style><article><header><b>github-actions</b> bot commented</header><main>${body}</main></article>
<script>document.title = document.body.offsetHeight</script>`;
  writeFileSync(join(folder, 'page.html'), html);
  const { height } = /<title>(?<height>\d+)/.exec(chromium('--window-size=860,600', '--dump-dom')).groups;
  const picture = join(import.meta.dirname, `${name}.png`);
  chromium(`--window-size=860,${height}`, '--force-device-scale-factor=1.5', `--screenshot=${picture}`);
}
rmSync(folder, { recursive: true });

function chromium(...args) {
  const options = [
    '--headless',
    '--no-sandbox',
    '--hide-scrollbars',
    '--disable-background-networking',
    '--disable-sync',
  ];
  const page = [`--user-data-dir=${folder}/profile`, `file://${folder}/page.html`];
  return execFileSync('chromium', [...options, ...args, ...page], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
