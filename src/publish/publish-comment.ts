// Publish: writes a run's comment to its pull request. A failure is logged and changes no verdict.

import { createHash } from 'node:crypto';
import { findPullRequest, openIssueComments, readHead } from '../adapters/github/comments.ts';
import type { Log } from '../adapters/log.ts';
import { type Followed, type Found, followFindings, readRemembered, writeRemembered } from '../report/remembered.ts';
import { markerLength, putStickyComment } from '../workflow/sticky-comment.ts';
import { explainRefusal, type RunOfPullRequest } from '../workflow/workflow-run.ts';

/** GitHub's limit, in characters. */
const maxComment = 65_536;
const timeoutMs = 3 * 60_000;

export interface CommentContent {
  /** Makes Markdown of at most this many UTF-16 units. */
  readonly render: (maxLength: number, followed: Followed) => string;
  /** Null if the run has no result. */
  readonly found: Found | null;
  /** See `StickyComment`. */
  readonly isNews: boolean;
  /** Place of the whole report, of which a comment has what fits: an artifact, by its number, or the job summary. */
  readonly whole: { readonly artifact: number } | 'summary' | 'none';
}

export async function publishComment(
  place: RunOfPullRequest & {
    /** Subject of the run, in the words of the step's inputs; each has a comment of its own. */
    readonly scope: readonly string[];
  },
  token: string,
  { render, found, isNews, whole }: CommentContent,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  const origin = `${place.headSha.slice(0, 10)} · [run ${place.run.id}](${place.runUrl})`;
  const footer = `\n<sub>${[origin, ...whereIsWhole(whole, place.runUrl)].join(' · ')}</sub>\n`;
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const options = { apiUrl: place.apiUrl, token, log, signal: AbortSignal.any([signal, limit]) };
    const number =
      typeof place.pullRequest === 'number'
        ? place.pullRequest
        : await findPullRequest(place.repository, place.pullRequest, options);
    if (number === 'several') {
      log.warn(
        `commit ${place.headSha} is the head of several open pull requests, and the event does not say whose run this was: none gets a comment; the report is in the run's job summary`,
      );
      return;
    }
    if (number === null) {
      log.progress(`no open pull request has commit ${place.headSha}, so there is none to comment on`);
      return;
    }
    const head = await readHead({ ...place.repository, number }, options);
    if (head !== null && head !== place.headSha) {
      log.progress(`pull request ${number} has a newer commit, ${head}; that commit's run comments`);
      return;
    }
    const comments = openIssueComments({ ...place.repository, number }, options);
    const outcome = await putStickyComment(comments, {
      key: createHash('sha256')
        .update(JSON.stringify([place.workflow, ...place.scope]))
        .digest('hex')
        .slice(0, 16),
      run: place.run,
      body: (former) => {
        const followed = followFindings(readRemembered(former), found, place.headSha.slice(0, 10));
        const memory = writeRemembered(followed.remembered);
        return `${memory}${render(maxComment - markerLength - memory.length - footer.length, followed)}${footer}`;
      },
      isNews,
    });
    log.progress(`comment on pull request ${number}: ${outcome}`);
  } catch (error) {
    log.warn(explainRefusal(error, place));
  }
}

function whereIsWhole(whole: CommentContent['whole'], runUrl: string): string[] {
  if (whole === 'none') return [];
  return [
    whole === 'summary' ? 'whole report in its summary' : `[whole report](${runUrl}/artifacts/${whole.artifact})`,
  ];
}
