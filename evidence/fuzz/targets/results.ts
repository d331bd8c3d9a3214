// results.json, and everything made from it. The code that ran in the job that wrote it may have forged it.

import { InputError } from '../../../src/common/errors.ts';
import { exportFormats, exportResults } from '../../../src/export/export.ts';
import { annotationsOf } from '../../../src/report/annotations.ts';
import { renderHtml } from '../../../src/report/html.ts';
import { joinResults } from '../../../src/report/join.ts';
import { renderMarkdown } from '../../../src/report/markdown.ts';
import { pageScript } from '../../../src/report/page-script.ts';
import { unprintable } from '../../../src/report/plain-text.ts';
import { followFindings, readRemembered, writeRemembered } from '../../../src/report/remembered.ts';
import { buildReport } from '../../../src/report/report-model.ts';
import { parseResults, serializeResults } from '../../../src/report/results-schema.ts';
import { renderText } from '../../../src/report/text.ts';
import { check, type Target } from '../target.ts';

export const target: Target = {
  shape: 'json',
  refusals: [InputError],
  msPerKiB: 8,
  run(input) {
    const results = parseResults(input.toString('utf8'), 'results.json');
    const text = serializeResults(results);
    check(serializeResults(parseResults(text, 'again')) === text, 'what is written is not what is read');
    const joined = joinResults([{ file: 'results.json', results }]);
    const report = buildReport(joined);
    const markdown = renderMarkdown(report);
    check(markdown.length <= 65_000, `Markdown of ${markdown.length} characters`);
    const found = { findings: report.findings, results: joined };
    const { remembered } = followFindings([], found, 'aaaaaaaaaa');
    const memory = writeRemembered(remembered);
    check(/^(<!-- bpfgate findings [^\n<>@#-]+ -->\n)?$/.test(memory), 'what is remembered ends its HTML comment');
    const read = readRemembered(memory);
    check(JSON.stringify(read) === JSON.stringify(remembered.slice(0, read.length)), 'what is remembered is not read');
    const next = renderMarkdown(report, followFindings(read, { ...found, findings: [] as const }, 'bbbbbbbbbb'));
    check(!next.includes('too long to be shown'), 'what is gone leaves no room');
    const page = renderHtml(report);
    checkPage(page.slice(page.indexOf('</style>')).replace(`<script>${pageScript}</script>\n</body>`, ''));
    for (const width of [40, 100]) {
      const hidden = renderText(report, { width }).replaceAll('\n', '').match(unprintable);
      check(hidden === null, `a hidden character: ${JSON.stringify(hidden?.[0])}`);
    }
    for (const { message, title } of annotationsOf(joined))
      check(message !== '' && title !== '', 'an empty annotation');
    for (const format of exportFormats) {
      try {
        check(exportResults(joined, format).endsWith('\n'), format);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
      }
    }
  },
};

const elements = new Set(
  'style head body html header footer main section nav div p span strong small code pre ul li a h1 h2 h3 table thead tbody tr th td details summary figure figcaption svg g rect circle text tspan article line path title label input select option output'.split(
    ' ',
  ),
);

/** Checks that the page loads and runs nothing: only known elements, and links within the page and its folder. */
function checkPage(body: string): void {
  const rest = body.replace(
    /<(\/?)([a-z]\w*)((?:\s+[\w:-]+(?:="[^"<>]*")?)*)\s*\/?>/gi,
    (_, _end, name: string, given: string) => {
      check(elements.has(name), `the element <${name}>`);
      for (const [, attribute = '', value = ''] of given.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)) {
        check(!/^on|^(src|srcset|action|formaction|xlink:href|srcdoc)$/i.test(attribute), `the attribute ${attribute}`);
        if (attribute === 'href')
          check(/^(#[\w-]+|[\w%./+@=-]+)$/.test(value) && !value.startsWith('//'), `the address ${value}`);
      }
      return '';
    },
  );
  check(
    !rest.includes('<'),
    `a < that is no element: ${rest.slice(Math.max(0, rest.indexOf('<') - 20), rest.indexOf('<') + 60)}`,
  );
}
