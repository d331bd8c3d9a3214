// Hostile names: what the step `report` shows of the names in a forged result, in log, annotations, job summary,
// comment and page, as the runner and GitHub get them.
// @module-tag hostile

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageScript, pageScriptHash } from '../../src/report/page-script.ts';
import { toPlainLine } from '../../src/report/plain-text.ts';
import { serializeResults } from '../../src/report/results-schema.ts';
import { naughtyStrings } from '../hostile/naughty-strings.ts';
import { type GitHubServer, startGitHub, token } from '../publish/github-server.ts';
import { kernelResult, pair, resultsOf } from '../report/results-fixtures.ts';
import { finishStep, outputOf, startStep } from './step.ts';

/** The first ten: GitHub keeps no more annotations. */
const names = naughtyStrings.slice(0, 10);
const kernels = ['6.1', '6.12'];
/** The comment's marker, and what it remembers of findings. */
const hidden = /^<!-- bpfgate [0-9a-f]{16} run 20\.1 -->\n<!-- bpfgate findings [^\n<>@#-]+ -->\n/;

let folder: string;
let github: GitHubServer;
let log: string[];
let annotations: { level: string; title: string; message: string }[];
let summary: string;
let comment: string;
let page: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bpfgate-hostile-'));
  github = await startGitHub();
  const workspace = join(folder, 'workspace');
  await mkdir(workspace);
  const measurements = names.flatMap(([, benchmark], index) =>
    kernels.flatMap((kernel) =>
      pair(100, 200 + index, { kernel, benchmark, unit: 'ns', measure: 'time', kind: 'benchmark' }),
    ),
  );
  const results = resultsOf(
    measurements,
    kernels.map((id) =>
      kernelResult(id, { warnings: names.map(([, name]) => ({ about: [name], reason: name, detail: name })) }),
    ),
  );
  await writeFile(join(workspace, 'results.json'), serializeResults(results));
  const inputs = {
    results: '.',
    kernels: '',
    project: '.',
    'fail-on': 'never',
    annotations: 'true',
    comment: 'always',
    'check-run': 'false',
    'github-token': token,
  };
  const head = { sha: 'abcdef0123456789', repo: { full_name: 'example/xdp' } };
  const entry = join(import.meta.dirname, '..', '..', 'src', 'report-action.ts');
  const event = { pull_request: { number: 7, head } };
  const { exitCode, stdout, outputs } = await finishStep(
    await startStep(entry, { folder, workspace, inputs, event, apiUrl: github.url }),
  );
  expect(exitCode).toBe(0);
  // The runner takes a line for a command if its first word begins with `::`.
  const lines = stdout.split(/\r\n|\r|\n/);
  annotations = lines.flatMap(readCommand);
  log = lines.filter((line) => readCommand(line).length === 0);
  summary = await readFile(join(folder, 'summary.md'), 'utf8');
  comment = github.comments[0]?.body ?? '';
  page = await readFile(join(dirname(outputOf(outputs, 'report')), 'report.html'), 'utf8');
});

afterAll(async () => {
  await github.close();
  await rm(folder, { recursive: true });
  expect(github.violations).toEqual([]);
});

/** Reads a command as the runner does, percent-encoding decoded. */
function readCommand(line: string) {
  const [, level, properties = '', message = ''] = /^\s*::([\w-]+)(?: ([^:]*(?:%3A[^:]*)*))?::(.*)$/.exec(line) ?? [];
  if (level === undefined) return [];
  const undo = (text: string) =>
    text.replace(/%(25|0D|0A|3A|2C)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const title = undo(/(?:^|,)title=([^,]*)/.exec(properties)?.[1] ?? '');
  return [{ level, title, message: undo(message) }];
}

/** Matches a name as a table or a title shows it: whole, or both its ends. */
function shown(name: string): RegExp {
  const plain = toPlainLine(name);
  const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (plain.length < 150) return new RegExp(literally(plain));
  return new RegExp(`${literally(plain.slice(0, 20))}x*…x*${literally(plain.slice(-4))}`);
}

/** Decodes the report's entities in Markdown or HTML, and removes the breaks that it puts into mentions. */
function decode(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code))).replaceAll('\u200b', '');
}

/** Removes code from Markdown: GitHub interprets nothing in it. */
function proseOf(text: string): string {
  return text
    .replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '')
    .replace(/(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)/g, '')
    .replace(/<code>.*?<\/code>/g, '');
}

describe.each(names)('a name with %s', (_, name) => {
  test('is shown in the log, in one line', () => {
    expect(log.map((line) => line.replaceAll('\u200b', ''))).toContainEqual(expect.stringMatching(shown(name)));
  });

  test('gets one annotation', () => {
    // Its title has the name without what stands before a slash.
    expect(annotations.filter(({ message }) => shown(name).test(message))).toHaveLength(1);
  });

  test('is shown in the job summary, the comment and the page', () => {
    for (const text of [summary, comment, page]) expect(decode(text)).toMatch(shown(name));
  });
});

test('names add no workflow command other than annotations', () => {
  expect(annotations.map(({ level }) => level)).toEqual(names.map(() => 'error'));
  expect(annotations.every(({ title }) => /^bpfgate: .* regressed$/.test(title) && title.length <= 200)).toBe(true);
  expect(log.filter((line) => /##\[|^\s*::/.test(line))).toEqual([]);
});

test('no name hides or reverses the text next to it', () => {
  const texts = [...log, ...annotations.flatMap(({ title, message }) => [title, ...message.split('\n')])];
  const lines = [...texts, ...`${summary}\n${comment}\n${page}`.split('\n')];
  // bpfgate itself puts this break into mentions to disarm them; it hides nothing.
  expect(lines.filter((line) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(line.replaceAll('\u200b', '')))).toEqual([]);
});

describe.each([
  ['job summary', () => summary, 1024 * 1024],
  ['comment', () => comment.replace(hidden, ''), 65_536],
])('the %s', (_, read, limit) => {
  test('has no HTML, mention, reference or link from a name', () => {
    const prose = proseOf(read()).replace(/^<sub>.*\[run 20\]\(\S+\) · whole report in its summary<\/sub>$/m, '');
    const own = ['<br>', '<details>', '</details>', '<summary>', '</summary>', '<sub>', '</sub>', '<details open>'];
    expect((prose.match(/<[^>]*>/g) ?? []).filter((tag) => !own.includes(tag))).toEqual([]);
    expect(prose).not.toMatch(/@\w|(?<!&)#\d|:\/\/|\]\(/);
    expect(proseOf(read())).not.toContain('<!--');
  });

  test('has the same number of columns in every row', () => {
    const tables = read()
      .split('\n\n')
      .map((block) => block.split('\n').filter((line) => line.startsWith('|')))
      .filter((rows) => rows.length > 0);
    expect(tables.length).toBeGreaterThan(0);
    for (const rows of tables) expect(new Set(rows.map((row) => row.split('|').length)).size).toBe(1);
  });

  test("fits GitHub's length limit", () => {
    expect(Buffer.byteLength(read())).toBeLessThanOrEqual(limit);
  });
});

test("the comment is found by bpfgate's marker, also when a name contains one", () => {
  expect(comment).toMatch(hidden);
  expect(comment.replace(hidden, '')).not.toMatch(/^<!--/m);
});

test('the page has no element, address or script from a name', () => {
  const own = `<script>${pageScript}</script>\n</body>`;
  expect(page).toContain(own);
  const body = page.slice(page.indexOf('<body>')).replace(own, '');
  // Tags without attribute values, which may contain names.
  const tags = (body.match(/<[a-z!](?:[^>"]|"[^"]*")*>/gi) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""'));
  expect(tags.length).toBeGreaterThan(100);
  expect(
    tags.filter((tag) => /^<(!|script|img|iframe|link|object|form|style)|\s(on\w+|src|style)=/i.test(tag)),
  ).toEqual([]);
  const targets = [...body.matchAll(/href="([^"]*)"/g)].map(([, target]) => target);
  expect(targets.filter((target) => !target?.startsWith('#'))).toEqual([]);
  expect(page).toContain(
    `content="default-src 'none'; script-src '${pageScriptHash}'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"`,
  );
});
