// Names and output of a hostile project, from a guest's records and result files to everything that bpfgate shows.
// @module-tag hostile

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type DefaultTreeAdapterTypes, parse, parseFragment } from 'parse5';
import { expect, test, vi } from 'vitest';
import { openLog } from '../../src/adapters/log.ts';
import { runnerLog, show } from '../../src/adapters/runner.ts';
import { measure } from '../../src/bench/measure.ts';
import { BuildError, VmError } from '../../src/common/errors.ts';
import { exportFormats, exportResults } from '../../src/export/export.ts';
import { renderVeristat } from '../../src/export/veristat.ts';
import { formatLine } from '../../src/history/history-line.ts';
import { makeLines } from '../../src/history/make-lines.ts';
import type { GuestRun } from '../../src/model/guest-run.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { showError } from '../../src/publish/show-results.ts';
import { annotationsOf } from '../../src/report/annotations.ts';
import { renderHtml } from '../../src/report/html.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { buildReport } from '../../src/report/report-model.ts';
import type { Results } from '../../src/report/results.ts';
import { parseResults, serializeResults } from '../../src/report/results-schema.ts';
import { renderText } from '../../src/report/text.ts';
import { fixtures, kernelResult, resultsOf } from '../report/results-fixtures.ts';
import { naughtyStrings } from './naughty-strings.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** Results of a boot with every string as the name of a benchmark, a loaded program and a program in an object. */
function fromGuest(): Results {
  const names = naughtyStrings.map(([, text]) => text);
  const sides = ['base', 'head'] as const;
  const document = Object.fromEntries(names.map((name) => [name, { latency: { value: 1 } }]));
  // Not by assignment, which would lose `__proto__`.
  const printed = `${JSON.stringify(document)}\n`;
  const source = (name: string) => ({ file: `src/${name}`, line: 7 });
  const run = {
    kernel: '6.1',
    calibrations: [],
    benches: sides.flatMap((revision) =>
      [1, 2].map((reading) => ({
        record: 'bench',
        bench: 'x',
        revision,
        reading,
        exit_code: 0,
        signal: null,
        stdoutText: printed,
        stderrTail: '',
        tookMs: 1,
        duration_ns: 1,
      })),
    ),
    programs: sides.flatMap((revision) =>
      [1, 2].flatMap((reading) =>
        names.map((name, id) => ({
          record: 'program',
          bench: 'x',
          revision,
          reading,
          ordinal: 0,
          id,
          name,
          prog_type: 'xdp',
          tag: 'a',
          run_cnt: 10,
          run_time_ns: revision === 'base' ? 100 : 200 + 10 * id,
          recursion_misses: 0,
          xlated_bytes: 1,
          source: source(name),
          warnings: [name],
        })),
      ),
    ),
    objects: sides.map((revision) => ({
      record: 'object',
      object: 'o',
      revision,
      programs: names.length,
      error: null,
    })),
    loads: sides.flatMap((revision) =>
      names.map((name) => ({
        record: 'load',
        object: name,
        revision,
        program: name,
        section: name,
        prog_type: 'xdp',
        code: null,
        ...(revision === 'base'
          ? { outcome: 'loaded', errno: null, message: null, log: '' }
          : { outcome: 'refused', errno: name, message: name, log: `${name}\n${name}` }),
        verification: null,
        verified_insns: null,
        stack_bytes: null,
        xlated_bytes: null,
        jited_bytes: null,
        map_bytes: null,
        load_time_ns: null,
        source: source(name),
      })),
    ),
    warnings: names.map((name) => ({ about: [name], reason: name, detail: name })),
  } as unknown as GuestRun;
  const bench = { name: 'x', command: 'x', guestCommand: 'x', format: 'auto', observe: true };
  const { measurements, gaps, warnings } = measure(run, { benches: [bench] } as unknown as Plan);
  const results = resultsOf(
    measurements,
    [kernelResult('6.1', { warnings: [...run.warnings, ...warnings] })],
    undefined,
    gaps,
  );
  return parseResults(serializeResults(results), 'results.json');
}

/** Fields of a result file that hold any text of a project or its job. */
const free =
  /^(name|configFile|ref|id|kernel|release|uname|acceleratorReason|qemuVersion|cpuModel|commandLine|message|hint|consoleTail|warnings|benchmark|bench|file|errno|log|reason|tools|unit|measure|removed|added)$/;
/** Values by which the report recognises a field. */
const known = /^(loads|(instructions|bytes).*|.*-(instructions|bytes)|load-time|)$/;

/** Puts hostile strings, in turn, into every free text of the results; equal texts stay equal. */
function poison(results: Results, first: number): Results {
  const poisoned = new Map<string, string>();
  const change = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') {
      if (!free.test(key) || known.test(value) || /^profiles\//.test(value)) return value;
      const [, text = ''] = naughtyStrings[(first + poisoned.size) % naughtyStrings.length] ?? [];
      poisoned.set(value, poisoned.get(value) ?? `${text} ${poisoned.size}`);
      return poisoned.get(value);
    }
    if (Array.isArray(value)) return value.map((item) => change(item, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        key === 'needs' ? item : change(item, key === 'tools' ? 'tools' : name),
      ]),
    );
  };
  return parseResults(serializeResults(change(results, '') as Results), 'results.json');
}

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
/** Lines with invisible characters, except the break that disarms mentions. */
const unseenIn = (text: string) => text.split('\n').filter((line) => unseen.test(line.replaceAll('\u200b', '')));

function walk(
  node: Node,
  visit: (node: Node, inside: readonly string[]) => void,
  inside: readonly string[] = [],
): void {
  visit(node, inside);
  const own = 'tagName' in node ? [...inside, node.tagName] : inside;
  for (const child of 'childNodes' in node ? node.childNodes : []) walk(child, visit, own);
}

const isElement = (node: Node): node is Element => 'tagName' in node;

/** Reads Markdown as GitHub does: elements with their attributes, and texts that it would turn into links itself. */
function readMarkdown(markdown: string) {
  const html = micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
  });
  const elements = new Set<string>();
  const references: string[] = [];
  const rows = new Set<string>();
  walk(parseFragment(html), (node, inside) => {
    if (node.nodeName === '#comment') elements.add('#comment');
    if (isElement(node)) elements.add([node.tagName, ...node.attrs.map(({ name }) => name)].join(' '));
    if (isElement(node) && node.tagName === 'table') {
      const of = { cells: new Set<number>() };
      walk(node, (row) => {
        if (isElement(row) && row.tagName === 'tr') of.cells.add(row.childNodes.filter(isElement).length);
      });
      rows.add(String(of.cells.size));
    }
    const isCode = inside.includes('code') || inside.includes('pre');
    if (node.nodeName !== '#text' || isCode || !('value' in node)) return;
    references.push(...(node.value.match(/(?<![\w&])@\w+|(?<!&)#\d+|\bGH-\d+|\w+:\/\/|\bwww\.|\w@\w/gi) ?? []));
  });
  return { elements, references, rows };
}

const ownOfMarkdown = [
  ...['h3', 'h4', 'p', 'strong', 'em', 'code', 'code class', 'pre', 'br', 'sub', 'ul', 'li', 'details', 'summary'],
  ...['table', 'thead', 'tbody', 'tr', 'th', 'th align', 'td', 'td align'],
];
const ownOfPage = [
  ...['html lang', 'head', 'meta charset', 'meta http-equiv content', 'meta name content', 'title', 'style', 'body'],
  ...[
    'main',
    'main class',
    'header',
    'p',
    'p class',
    'h1',
    'h2',
    'h3',
    'span',
    'span class',
    'strong',
    'code',
    'small',
    'br',
  ],
  ...[
    'section',
    'article',
    'article class',
    'article id',
    'article id class',
    'section id',
    'nav aria-label',
    'script',
    'figure class',
    'img class alt src',
    'details',
    'details id',
    'details open',
    'details id open',
    'summary',
    'pre',
    'pre class',
  ],
  ...[
    'ul',
    'li',
    'footer',
    'a href',
    'a class href aria-label',
    'div',
    'div class',
    'div id class',
    'div class tabindex role aria-label',
    'figure',
    'figcaption',
    'table',
    'table class',
    'thead',
  ],
  ...['tbody', 'tr', 'tr class', 'th', 'th class', 'th scope', 'th class scope', 'th scope class', 'td', 'td class'],
  ...['details class', 'p class hidden', 'label', 'input type', 'select', 'option', 'option value', 'output'],
  ...['tr data-verdict', 'td class data-value', 'svg', 'rect', 'path', 'text', 'line', 'g', 'circle'],
];

/** Expects everything made from a result file to be as it is with harmless names. */
function expectHarmless(results: Results): void {
  const report = buildReport(results);
  for (const width of [40, 120]) expect(unseenIn(renderText(report, { width }))).toEqual([]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the report's own colours
  expect(unseenIn(renderText(report, { colour: true }).replace(/\u001b\[(0|1|2|31|32|33)m/g, ''))).toEqual([]);

  const markdown = renderMarkdown(report);
  expect(unseenIn(markdown)).toEqual([]);
  const { elements, references, rows } = readMarkdown(markdown);
  const isOwnLink = (element: string) => element === 'a href' && report.profiles.length > 0;
  expect([...elements].filter((each) => !ownOfMarkdown.includes(each) && !isOwnLink(each))).toEqual([]);
  expect(references).toEqual([]);
  expect([...rows].filter((each) => each !== '1')).toEqual([]);

  const folded = Buffer.from(naughtyStrings.map(([, text]) => `main;${text} 1`).join('\n'));
  const page = renderHtml(report, () => folded);
  expect(unseenIn(page)).toEqual([]);
  const errors: string[] = [];
  const found = new Set<string>();
  const strange: string[] = [];
  walk(parse(page, { onParseError: ({ code }) => errors.push(code) }), (node) => {
    if (node.nodeName === '#comment') strange.push('comment');
    if (!isElement(node)) return;
    const drawn = /^(svg|rect|path|text|circle|line|g)$/.test(node.tagName);
    const names = node.attrs.map(({ name }) => name);
    found.add(drawn ? node.tagName : [node.tagName, ...names].join(' '));
    for (const { name, value } of node.attrs) {
      const isPicture = name === 'src' && /^data:image\/svg\+xml;base64,[\w+/]+=*$/.test(value);
      if (/^on|^style$|^src$|^xlink/.test(name) && !isPicture) strange.push(`${node.tagName} ${name}`);
      if (name === 'href' && !/^(#finding-[0-9a-f]{16}|#[a-z]+(-\d+)?|profiles\/[\w./%+=@-]+)$/.test(value))
        strange.push(value);
    }
  });
  expect([errors, strange]).toEqual([[], []]);
  expect([...found].filter((each) => !ownOfPage.includes(each))).toEqual([]);

  for (const { file, title, message } of annotationsOf(results)) {
    expect(unseenIn(`${title}\n${message}\n${file}`)).toEqual([]);
    expect(`${title}${file}`).not.toContain('\n');
  }

  expect(unseenIn(serializeResults(results))).toEqual([]);
  const recorded = { commit: 'a'.repeat(40), date: new Date(0), run: 1, digest: () => 'a'.repeat(12) };
  for (const line of makeLines(results, recorded)) expect(unseen.test(formatLine(line))).toBe(false);
}

/** Checks exports. Names that have a meaning in some tool, or are ambiguous there, are refused and not altered. */
function expectExports(results: Results): void {
  const csv = renderVeristat(results);
  expect(unseenIn(csv)).toEqual([]);
  const columnsOf = (line: string) => line.replace(/"(?:[^"]|"")*"/g, '').split(',').length;
  expect(new Set(csv.trimEnd().split('\n').map(columnsOf)).size).toBe(1);
  // It refuses results without the verifier lane.
  for (const format of exportFormats.filter((each) => each !== 'veristat')) {
    const text = exportResults(results, format);
    expect(unseenIn(text)).toEqual([]);
    if (format !== 'go') expect(() => JSON.parse(text)).not.toThrow();
    else
      for (const line of text.split('\n').filter((own) => own.startsWith('Benchmark')))
        expect(line).toMatch(/^\S+( \S+)+$/);
  }
}

test("names from benches, programs and objects, and the verifier's messages, are escaped in every output", () => {
  const results = fromGuest();
  const printed = new Set(results.measurements.map(({ benchmark }) => benchmark));
  const missing = naughtyStrings.filter(([, text]) => !printed.has(`x/${text}`));
  expect(missing).toEqual([]);
  expectHarmless(results);
});

const rich = ['grown-lines', 'one-kernel-failed', 'other-measures', 'needs-newer-kernel', 'profiles', 'verifier'];

test.each(rich)('all text of a result file is escaped in every output: %s', (name) => {
  const fixture = fixtures[name] ?? resultsOf([], []);
  for (let first = 0; first < naughtyStrings.length; first += 5) {
    const results = poison(fixture, first);
    expectHarmless(results);
    expectExports(results);
  }
});

test('log lines and errors contain no workflow command', async () => {
  const printed: string[] = [];
  const own = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => printed.push(String(chunk)) > 0);
  const variables = { GITHUB_OUTPUT: '', GITHUB_STEP_SUMMARY: '', GITHUB_ACTIONS: 'true' };
  for (const [variable, value] of Object.entries(variables)) vi.stubEnv(variable, value);
  try {
    for (const [, text] of naughtyStrings) {
      const said = `before\n${text}\n  ${text}`;
      for (const log of [runnerLog, openLog(process.stdout)]) {
        log.progress(said);
        log.warn(said);
      }
      const lost = new VmError(said, { consoleTail: [text] });
      for (const error of [new BuildError(said, { hint: text }), lost, new Error(said)]) {
        await showError(error, { scope: [], signal: new AbortController().signal }, shown);
      }
      show(said);
    }
  } finally {
    own.mockRestore();
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  }
  expectNoCommand(printed.join(''), /^::(warning|error) title=bpfgate::|^::set-output name=verdict::error$/);
});

test.each(['run', 'doctor', 'report'])('the output of `bpfgate %s` contains no workflow command', (command) => {
  const folder = mkdtempSync(join(tmpdir(), 'bpfgate-names-'));
  try {
    const everything = naughtyStrings.map(([, text]) => text.slice(0, 200)).join('\n');
    // JSON's escapes are valid TOML too, except lone surrogates, which TOML does not have.
    const quoted = JSON.stringify(everything.replace(/\p{Cs}/gu, ''));
    writeFileSync(join(folder, 'bpfgate.toml'), `kernels = [${quoted}]\n[[bench]]\nname = "a"\ncommand = "a"\n`);
    const results = poison(fixtures.verifier ?? resultsOf([], []), 0);
    writeFileSync(join(folder, 'results.json'), serializeResults(results));
    const args = command === 'report' ? ['results.json'] : [];
    const cli = join(import.meta.dirname, '..', '..', 'src', 'cli.ts');
    const env = { ...process.env, GITHUB_ACTIONS: 'true' };
    const { stdout, stderr } = spawnSync(process.execPath, [cli, command, ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`.length).toBeGreaterThan(50);
    expectNoCommand(`${stdout}\n${stderr}`, /^$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function expectNoCommand(output: string, own: RegExp): void {
  expect(unseenIn(output)).toEqual([]);
  const commands = output.split('\n').filter((line) => /^\s*::|##\[/.test(line));
  expect(commands.filter((line) => !own.test(line))).toEqual([]);
}

const shown = { failOn: 'regression', annotate: false, comment: 'never', checkRun: false } as const;
