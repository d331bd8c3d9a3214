// Report: what a pull request's comment remembers of its findings, so that its next text says what became of them. Pure.

import { z } from 'zod';
import { clipMiddle } from '../common/clip-middle.ts';
import type { FindingDetail } from './finding-detail.ts';
import { hash } from './findings.ts';
import { type Sentence, toPlainJson, toSentence, toText } from './plain-text.ts';
import type { ComparisonRecord, Results } from './results.ts';

/** Regressions that are remembered, the worst. */
const maxRemembered = 30;
/** Length of what a comment carries, in UTF-16 units; if it is too long, fewer are remembered. */
const maxLength = 8000;
const maxTitle = 120;

const maxKeys = 12;

const commit = z.string().regex(/^[0-9a-f]{7,10}$/);
const remembered = z
  .array(
    z.strictObject({
      id: z.string().regex(/^[0-9a-f]{16}$/),
      /** Hashes of the comparisons that its title is about. */
      keys: z
        .array(z.string().regex(/^[0-9a-f]{8}$/))
        .min(1)
        .max(maxKeys),
      /** The first head that had it. */
      since: commit,
      /** The last head that had it. */
      last: commit,
      /** Hash of the base's tree then. */
      base: commit,
      /** The head that no longer has it, if the comment says so. */
      gone: commit.optional(),
      title: z.string().max(2 * maxTitle),
    }),
  )
  .max(maxRemembered);
export type Remembered = z.infer<typeof remembered>;

/** What a run found. */
export interface Found {
  readonly findings: readonly Pick<FindingDetail, 'id' | 'verdict' | 'subject' | 'change' | 'leading'>[];
  readonly results: Pick<Results, 'comparisons' | 'project' | 'revisions'>;
}

export interface Followed {
  /** The first head that had a regression, by its id, of those that an earlier head had too. */
  readonly since: ReadonlyMap<string, string>;
  /** `` Fixed since 1a2b3c4d5e: `fun_xdp` +88 instructions per run on 6.1 ``: what this head no longer has. */
  readonly gone: readonly Sentence[];
  readonly remembered: Remembered;
}

/**
 * Follows regressions from one text of a comment to the next.
 *
 * A regression is gone when each comparison that its title is about was made again, and is none. It stays known if one is
 * missing or undecided, or part of another finding.
 *
 * @param found null if the run has no result: then nothing is gone, and all stays known
 * @param commit of the head, 10 hexadecimal digits
 */
export function followFindings(former: Remembered, found: Found | null, commit: string): Followed {
  const { comparisons = [], revisions, project } = found?.results ?? {};
  const verdicts = new Map(comparisons.flatMap((each) => keysOf(each).map((key) => [key, each.verdict])));
  const base = hash(revisions?.base.tree ?? '').slice(0, 10);
  // What came back after it was gone is new.
  const known = former.filter(({ gone = commit }) => gone === commit);
  const seen = new Set<Remembered[number]>();
  const here = (found?.findings ?? [])
    .filter(({ verdict }) => verdict === 'regression')
    .map(({ id, subject, change, leading }) => {
      const keys = [...new Set(leading.flatMap(keysOf))];
      const same = known.filter((each) => each.id === id || each.keys.some((key) => keys.includes(key)));
      for (const each of same) seen.add(each);
      const { since = commit } = same[0] ?? {};
      const title = clipMiddle(toText([...subject, ` ${change}`]), maxTitle);
      return { id, keys: keys.slice(0, maxKeys), since, last: commit, base, title };
    });
  const others = known
    .filter((each) => !seen.has(each))
    .map(({ gone: _former, ...each }): Remembered[number] => {
      const isGone = each.keys.every((key) => isHarmless(verdicts.get(key)));
      // Another run of one head fixes nothing.
      return isGone && each.last !== commit ? { ...each, gone: commit } : each;
    });
  const isKnown = ({ since }: Remembered[number]) => since !== commit;
  return {
    since: new Map(here.filter(isKnown).map(({ id, since }) => [id, since])),
    gone: others.flatMap(({ gone, last, title, base: formerBase }) => {
      // Nothing was fixed if base became as slow, or a limit was raised.
      const word = formerBase === base && project?.configChanges.length === 0 ? 'Fixed' : 'Gone';
      return gone === undefined ? [] : [[`${word} since ${last}: `, ...toSentence(title)]];
    }),
    // Those that are known stay so, even if many are worse.
    remembered: [...here.filter(isKnown), ...others, ...here.filter((each) => !isKnown(each))].slice(0, maxRemembered),
  };
}

/** Hashes what is compared; of what was renamed under both names. */
function keysOf({ kernel, lane, measure, benchmark, renamedFrom }: ComparisonRecord): string[] {
  const names = renamedFrom == null ? [benchmark] : [benchmark, renamedFrom];
  return names.map((name) => hash(JSON.stringify([kernel, lane, measure, name])).slice(0, 8));
}

function isHarmless(verdict: ComparisonRecord['verdict'] | undefined): boolean {
  return verdict === 'unchanged' || verdict === 'improvement';
}

/** Writes an HTML comment and a line break; empty if there is nothing to remember. */
export function writeRemembered(all: Remembered): string {
  if (all.length === 0) return '';
  // Nothing in it ends the comment, or is a mention or a reference.
  const json = toPlainJson(all).replace(/[-<>&@#]/g, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`);
  const text = `<!-- bpfgate findings ${json} -->\n`;
  return text.length <= maxLength ? text : writeRemembered(all.slice(0, -1));
}

/** Reads what a comment's text begins with; nothing if it is not exactly as written. */
export function readRemembered(text: string): Remembered {
  const [, json = '[]'] = /^<!-- bpfgate findings (\[[^\n<>-]*\]) -->/.exec(text.slice(0, maxLength)) ?? [];
  try {
    return remembered.safeParse(JSON.parse(json)).data ?? [];
  } catch {
    return [];
  }
}
