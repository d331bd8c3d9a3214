// Export: SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html, for editors and for GitHub's
// code scanning, https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning.

import type { SourceLocation } from '../bench/measurement.ts';
import { clipMiddle } from '../common/clip-middle.ts';
import type { FindingDetail } from '../report/finding-detail.ts';
import { countOf, toPlainJson, toPlainLine, toPlainName, toPlainText, toText } from '../report/plain-text.ts';
import { buildReport, toUrl } from '../report/report-model.ts';
import type { Results } from '../report/results.ts';
import { isLoads } from '../report/row.ts';

/** GitHub refuses a run of more results. */
const maxResults = 25_000;
/** Longest message, in characters: GitHub's limit for a rule's texts, as it names none for a result's. */
const maxMessage = 1000;

const help =
  "bpfgate's report has every kernel and measure of the finding, and the command that measures it again. See docs/usage.md for what counts as a regression, and how to set a limit or accept a cost.";

/** What a result is about. GitHub closes and opens an alert again if its rule's id changes. */
const rules = {
  support: 'A BPF program or benchmark no longer loads or runs on a kernel where base does',
  count: 'A BPF program or benchmark executes more machine instructions than base, or counts more of another unit',
  verifier: 'A BPF program takes more of the verifier, of code, stack or maps than base',
  time: 'A benchmark takes longer than base',
  inconclusive: 'It cannot be decided whether a BPF program or benchmark costs more than base',
} as const;

/**
 * Exports a result for each finding that is a regression (`error`, or `note` if it is accepted) or cannot be decided
 * (`warning`), worst first. Improvements are left out, because GitHub makes an alert of every result. The location is
 * the line that grew most, else the subject's, else the configuration's; lines outside the repository are left out.
 * What could not be measured or did not fit is a notification.
 */
export function exportSarif(results: Results): string {
  const { bpfgate, project } = results;
  const { findings, failures } = buildReport(results);
  const worse = findings.filter(({ verdict }) => verdict !== 'improvement');
  const left = worse.length - maxResults;
  const notifications = [
    ...failures.map(({ title, message, output }) =>
      notify('error', [`${title}: ${toPlainName(message)}`, ...output].join('\n')),
    ),
    ...(left > 0 ? [notify('warning', `${countOf(left, 'more finding')} left out`)] : []),
  ];
  const driver = {
    name: 'bpfgate',
    version: bpfgate,
    rules: Object.entries(rules).map(([id, text]) => ({
      id,
      shortDescription: { text },
      fullDescription: { text },
      help: { text: help },
    })),
  };
  const run = {
    tool: { driver },
    // Results of one category replace each other, so that each gate of a repository has its own.
    automationDetails: { id: `bpfgate/${toPlainLine(project.configFile)}/` },
    originalUriBaseIds: { '%SRCROOT%': { description: { text: "The repository's root." } } },
    invocations: [{ executionSuccessful: failures.length === 0, toolExecutionNotifications: notifications }],
    results: worse.slice(0, maxResults).map((finding) => toResult(finding, toPlainLine(project.configFile))),
  };
  const schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return `${toPlainJson({ $schema: schema, version: '2.1.0', runs: [run] }, 2)}\n`;
}

function toResult(finding: FindingDetail, configFile: string) {
  const { id, verdict, isAccepted, accepted, subject, change, where, source, growth, repeat } = finding;
  const subjects = source === null ? [] : [{ source, text: 'the subject' }];
  const grown = (growth?.lines ?? []).map(({ source, delta }) => ({ source, text: `${delta} machine instructions` }));
  // Where space is short, readers show the first sentence.
  const sentences = [
    `${toPlainName(subject)} ${change}`,
    ...(where.length === 0 ? [] : [`At ${toPlainName(where)}`]),
    toText(repeat),
  ];
  const [first, ...related] = [...grown, ...subjects].filter(({ source: { file } }) => !file.startsWith('/'));
  return {
    ruleId: findRule(finding),
    level: isAccepted ? 'note' : verdict === 'regression' ? 'error' : 'warning',
    message: toMessage(sentences.join('. ')),
    locations: [locate(first?.source ?? { file: configFile, line: 1 })],
    relatedLocations: related.map(({ source: place, text }, index) => ({
      id: index + 1,
      ...locate(place),
      message: toMessage(text),
    })),
    ...(isAccepted
      ? { suppressions: [{ kind: 'external', justification: accepted.map(toPlainName).join('; ') }] }
      : {}),
    // The only key that GitHub reads.
    partialFingerprints: { primaryLocationLineHash: id },
  };
}

function findRule({ verdict, lead: [row] }: FindingDetail): keyof typeof rules {
  if (verdict === 'inconclusive') return 'inconclusive';
  if (row === undefined || isLoads(row) || row.cells.some((cell) => cell?.needs?.side === 'head')) return 'support';
  return row.lane === 'instructions' ? 'count' : row.lane;
}

function locate({ file, line }: SourceLocation) {
  const artifactLocation = { uri: toUrl(file), uriBaseId: '%SRCROOT%' };
  return { physicalLocation: { artifactLocation, region: { startLine: line } } };
}

function notify(level: 'error' | 'warning', text: string) {
  return { level, message: toMessage(text) };
}

/** Writes braces as the standard says, and breaks what a reader would take for a link or a mention. Lines stay. */
function toMessage(text: string) {
  const broken = toPlainText(text)
    .replace(/[{}]/g, '$&$&')
    .replace(/\](?=\()|@|:(?=\/\/)|\bwww(?=\.)/gi, '$&\u200b');
  return { text: clipMiddle(broken, maxMessage) };
}
