// Writes a run's comment to its pull request. Whatever goes wrong with that is told and changes no verdict.

import { createHash } from 'node:crypto';
import { findPullRequest, openIssueComments } from '../adapters/github.ts';
import type { Log } from '../adapters/log.ts';
import { type CommentPlace, explainRefusal } from './comment-request.ts';
import { markerLength, putStickyComment } from './sticky-comment.ts';

/** GitHub's, in characters. */
const maxComment = 65_536;
const timeoutMs = 3 * 60_000;

export interface CommentContent {
  /** Markdown of at most this many UTF-16 units. */
  readonly render: (maxLength: number) => string;
  /** As in `StickyComment`. */
  readonly isNews: boolean;
}

export async function publishComment(
  place: CommentPlace & {
    /** What is measured, in the words of the step's inputs: each has a comment of its own. */
    readonly scope: readonly string[];
  },
  token: string,
  { render, isNews }: CommentContent,
  { log, signal }: { readonly log: Log; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const footer = `\n<sub>${place.headSha.slice(0, 10)} · [run ${place.run.id}](${place.runUrl})</sub>\n`;
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const options = {
      apiUrl: place.apiUrl,
      token,
      log,
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    };
    const number =
      typeof place.pullRequest === 'number'
        ? place.pullRequest
        : await findPullRequest(place.repository, place.pullRequest, options);
    if (number === null) {
      log.progress(`no open pull request has commit ${place.headSha}, so there is none to comment on`);
      return;
    }
    const comments = openIssueComments({ ...place.repository, number }, options);
    const outcome = await putStickyComment(comments, {
      key: createHash('sha256')
        .update(JSON.stringify([place.workflow, ...place.scope]))
        .digest('hex')
        .slice(0, 16),
      run: place.run,
      body: `${render(maxComment - markerLength - footer.length)}${footer}`,
      isNews,
    });
    log.progress(`comment on pull request ${number}: ${outcome}`);
  } catch (error) {
    log.warn(explainRefusal(error, place));
  }
}
