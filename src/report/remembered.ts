// Report: what a pull request's comment remembers of its findings, so that its next text says what became of them. Pure.

import { z } from 'zod';
import { clipMiddle } from '../common/clip-middle.ts';
import type { FindingDetail } from './finding-detail.ts';
import { type Sentence, toPlainJson, toSentence, toText } from './plain-text.ts';

/** Regressions that are remembered, the worst. */
const maxRemembered = 30;
/** Length of what a comment carries, in UTF-16 units; if it is too long, fewer are remembered. */
const maxLength = 8000;
const maxTitle = 120;

const commit = z.string().regex(/^[0-9a-f]{7,10}$/);
const remembered = z
  .array(
    z.strictObject({
      id: z.string().regex(/^[0-9a-f]{16}$/),
      /** The first head that had it. */
      since: commit,
      /** The last head that had it. */
      last: commit,
      /** The head that no longer has it, if the comment says so. */
      gone: commit.optional(),
      title: z.string().max(2 * maxTitle),
    }),
  )
  .max(maxRemembered);
export type Remembered = z.infer<typeof remembered>;

/** What a run found. */
export interface Found {
  readonly findings: readonly FindingDetail[];
  /** Whether every kernel was measured, without which a finding that is missing may still be there. */
  readonly isComplete: boolean;
  /** Whether all is measured that base has, and by the same configuration. */
  readonly isSameSetup: boolean;
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
 * @param found null if the run has no result: then all stays as it was
 * @param commit of the head, 10 hexadecimal digits
 */
export function followFindings(former: Remembered, found: Found | null, commit: string): Followed {
  const { findings, isComplete, isSameSetup } = found ?? { findings: [], isComplete: false, isSameSetup: false };
  const known = new Map(former.map((each) => [each.id, each]));
  const decided = new Map(findings.map(({ id, verdict }) => [id, verdict !== 'inconclusive']));
  const here = findings
    .filter(({ verdict }) => verdict === 'regression')
    .map(({ id, subject, change }) => {
      const { since = commit, gone = commit } = known.get(id) ?? {};
      const title = clipMiddle(toText([...subject, ` ${change}`]), maxTitle);
      // What came back after it was gone is new.
      return { id, since: gone === commit ? since : commit, last: commit, title };
    });
  const isHere = new Set(here.map(({ id }) => id));
  const others = former
    .filter(({ id, gone = commit }) => !isHere.has(id) && gone === commit)
    .flatMap((each) => {
      if (!isComplete || decided.get(each.id) === false) return [each];
      // Another run of one head fixes nothing.
      return each.last === commit ? [] : [{ ...each, gone: commit }];
    });
  const word = isSameSetup ? 'Fixed' : 'Gone';
  return {
    since: new Map(here.flatMap(({ id, since }) => (since === commit ? [] : [[id, since]]))),
    gone: others.flatMap(({ gone, last, title }) =>
      gone === undefined ? [] : [[`${word} since ${last}: `, ...toSentence(title)]],
    ),
    remembered: [...here, ...others].slice(0, maxRemembered),
  };
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
