// Workflow: one comment on a pull request, which every run finds by a marker and updates.

export interface IssueComment {
  readonly id: number;
  /** Login of its author. */
  readonly author: string;
  readonly body: string;
}

/** The comments of one pull request on GitHub. */
export interface IssueComments {
  /** Login of the token's owner. */
  viewer(): Promise<string>;
  /** All of them, oldest first. */
  list(): Promise<readonly IssueComment[]>;
  /** Reads one as it is now; null if it is gone. */
  find(id: number): Promise<IssueComment | null>;
  create(body: string): Promise<IssueComment>;
  /** @returns false if it is gone */
  update(id: number, body: string): Promise<boolean>;
  /** Removes one. A comment that is already gone counts as removed. */
  remove(id: number): Promise<void>;
}

/** A workflow run; later ones have larger numbers. */
export interface RunNumber {
  readonly id: number;
  readonly attempt: number;
}

export interface StickyComment {
  /** Subject of the comment, 16 hexadecimal digits: each gate of a repository has its own. */
  readonly key: string;
  readonly run: RunNumber;
  /**
   * Makes Markdown, short enough to leave room for the marker: {@link markerLength} characters.
   *
   * @param former what the comment had behind its marker; empty for a new comment
   */
  readonly body: (former: string) => string;
  /** Whether it is worth a new comment; an existing one is updated anyway. */
  readonly isNews: boolean;
}

export type StickyOutcome = 'created' | 'updated' | 'not needed' | 'superseded';

/** Length of the longest marker, in characters. */
export const markerLength = 100;

/**
 * Creates the comment of this key, or updates the existing one. Comments with the marker by anyone but the token's
 * owner are left alone. If the owner has several, because two runs found none at the same time, the oldest is kept. A
 * newer run's text is not overwritten, unless it is written between the last look and the update.
 */
export async function putStickyComment(comments: IssueComments, sticky: StickyComment): Promise<StickyOutcome> {
  const owner = await comments.viewer();
  const listOwn = async () => findOwn(await comments.list(), owner, sticky.key);
  const bodyAfter = (former: string) => `${renderMarker(sticky)}\n${sticky.body(former)}`;

  const [first, ...others] = await listOwn();
  if (first === undefined && !sticky.isNews) return 'not needed';
  if (first !== undefined) {
    // The list may be old, after several pages and waits.
    const now = await comments.find(first.comment.id);
    const own = now === null ? null : (findOwn([now], owner, sticky.key)[0] ?? first);
    const isSuperseded = own !== null && isNewer(own.run, sticky.run);
    const isThere = isSuperseded || (own !== null && (await comments.update(own.comment.id, bodyAfter(own.text))));
    if (isThere) {
      await tidy(comments, others, sticky.run);
      return isSuperseded ? 'superseded' : 'updated';
    }
    // It was deleted in the meantime.
  }
  const created = await comments.create(bodyAfter(''));
  const [oldest, ...newer] = await listOwn().catch(() => []);
  if (oldest === undefined || oldest.comment.id === created.id) {
    await tidy(comments, newer, sticky.run);
    return 'created';
  }
  // Another run was faster by a moment.
  const isSuperseded = isNewer(oldest.run, sticky.run);
  if (isSuperseded || (await comments.update(oldest.comment.id, bodyAfter(oldest.text)))) {
    await comments.remove(created.id);
  }
  return isSuperseded ? 'superseded' : 'updated';
}

interface OwnComment {
  readonly comment: IssueComment;
  readonly run: RunNumber;
  /** What is behind its marker. */
  readonly text: string;
}

function findOwn(comments: readonly IssueComment[], owner: string, key: string): OwnComment[] {
  return comments
    .flatMap((comment): OwnComment[] => {
      const marker = /^<!-- bpfgate ([0-9a-f]{16}) run (\d{1,15})\.(\d{1,9}) -->(?:\r?\n)?/.exec(comment.body);
      if (comment.author !== owner || marker?.[1] !== key) return [];
      const text = comment.body.slice(marker[0].length);
      return [{ comment, run: { id: Number(marker[2]), attempt: Number(marker[3]) }, text }];
    })
    .toSorted((a, b) => a.comment.id - b.comment.id);
}

/** Removes the others, except a newer run's: that run removes its own when it finds that it was not alone. */
async function tidy(comments: IssueComments, own: readonly OwnComment[], run: RunNumber): Promise<void> {
  for (const each of own) {
    // The comment is right; the next run removes one that is left over.
    if (!isNewer(each.run, run)) await comments.remove(each.comment.id).catch(() => {});
  }
}

function isNewer(a: RunNumber, b: RunNumber): boolean {
  return a.id > b.id || (a.id === b.id && a.attempt > b.attempt);
}

function renderMarker({ key, run }: StickyComment): string {
  return `<!-- bpfgate ${key} run ${run.id}.${run.attempt} -->`;
}
