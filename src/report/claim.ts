// Report: what is shown of results that a stranger could have forged: numbers and names. Pure.

import { clipMiddle } from '../common/clip-middle.ts';
import { decideVerdict } from './gate-verdict.ts';
import { countOf, type Sentence, toPlainLine } from './plain-text.ts';
import type { Results } from './results.ts';

/** Longest name that is shown, in characters. */
const maxName = 80;

/** The source of the results, at the start of a headline. */
export const claimed: Sentence = ["A fork's own claim, which bpfgate has not checked: "];
/** Stands for the reason of a fork's failure. */
export const seeItsRun = 'its own run says why';

/** Names that a report shows outside of code: without spaces, none reads as a sentence. */
const bare: ReadonlySet<string> = new Set(['configFile', 'id', 'kernel', 'measure', 'release', 'returned', 'unit']);

/** Values instead of texts that a project, its build or its guest may have written, by their keys. */
const instead: Readonly<Record<string, unknown>> = {
  accepts: [],
  consoleTail: [],
  diffs: [],
  fingerprint: null,
  hint: null,
  log: [],
  machine: null,
  message: seeItsRun,
  profiles: [],
  reason: seeItsRun,
  refusal: null,
  tools: {},
  uname: null,
  warnings: [],
};

/** Leaves numbers, and names as short plain text. The verdict is decided without lines that accept costs. */
export function toClaim(results: Results): Results {
  const { configChanges } = results.project;
  const changes = configChanges.length === 0 ? [] : [countOf(configChanges.length, 'setting')];
  const project = { ...results.project, configChanges: changes };
  const names = toNames({ ...results, project }) as Results;
  return { ...names, verdict: decideVerdict(names.comparisons, names.gaps, names.kernels) };
}

function toNames(value: unknown, key = ''): unknown {
  if (Object.hasOwn(instead, key)) return instead[key];
  if (typeof value === 'string') return toName(bare.has(key) ? value.replace(/\s+/g, '_') : value);
  if (Array.isArray(value)) return value.map((item) => toNames(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => name !== 'accepted');
  return Object.fromEntries(entries.map(([name, item]) => [toName(name), toNames(item, name)]));
}

function toName(text: string): string {
  return clipMiddle(toPlainLine(text), maxName);
}
