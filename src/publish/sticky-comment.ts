// One comment on a pull request, found again by a marker and brought up to date by every run.

export interface IssueComment {
  readonly id: number;
  /** Login of whoever wrote it. */
  readonly author: string;
  readonly body: string;
}

/** The comments of one pull request, as GitHub has them. */
export interface IssueComments {
  /** Login of whoever the token speaks for. */
  viewer(): Promise<string>;
  /** All of them, oldest first. */
  list(): Promise<readonly IssueComment[]>;
  /** One of them as it is now; null when it is gone. */
  find(id: number): Promise<IssueComment | null>;
  create(body: string): Promise<IssueComment>;
  /** @returns false when it is not there any more */
  update(id: number, body: string): Promise<boolean>;
  /** One that is gone already is as good as removed. */
  remove(id: number): Promise<void>;
}

/** A workflow run; later ones have larger numbers. */
export interface RunNumber {
  readonly id: number;
  readonly attempt: number;
}

export interface StickyComment {
  /** What the comment is about, 16 hexadecimal digits: each gate of a repository has its own. */
  readonly key: string;
  readonly run: RunNumber;
  /** Markdown, short enough to take the marker as well: {@link markerLength} characters. */
  readonly body: string;
  /** Whether it is worth a comment where there is none yet; one that is there is brought up to date anyway. */
  readonly isNews: boolean;
}

export type StickyOutcome = 'created' | 'updated' | 'not needed' | 'superseded';

/** Of the longest marker, in characters. */
export const markerLength = 100;

/**
 * Puts a comment where there is none of this key, or updates the one that is there. Comments with the marker by anyone
 * but the token's owner are left alone. Of several by the owner, as two runs can leave that find none at the same time,
 * the oldest is kept. What a newer run has written is not overwritten,
 * unless it is written in the moment between the last look and the update.
 */
export async function putStickyComment(comments: IssueComments, sticky: StickyComment): Promise<StickyOutcome> {
  const owner = await comments.viewer();
  const listOwn = async () => findOwn(await comments.list(), owner, sticky.key);
  const body = `${renderMarker(sticky)}\n${sticky.body}`;

  const [first, ...others] = await listOwn();
  if (first === undefined && !sticky.isNews) return 'not needed';
  if (first !== undefined) {
    // The list may be pages and waits old.
    const now = await comments.find(first.comment.id);
    const run = now === null ? null : (findOwn([now], owner, sticky.key)[0]?.run ?? first.run);
    const isSuperseded = run !== null && isNewer(run, sticky.run);
    const isThere = isSuperseded || (run !== null && (await comments.update(first.comment.id, body)));
    if (isThere) {
      await tidy(comments, others, sticky.run);
      return isSuperseded ? 'superseded' : 'updated';
    }
    // Somebody has deleted it in the meantime.
  }
  const created = await comments.create(body);
  const [oldest, ...newer] = await listOwn().catch(() => []);
  if (oldest === undefined || oldest.comment.id === created.id) {
    await tidy(comments, newer, sticky.run);
    return 'created';
  }
  // Another run was quicker by a moment.
  const isSuperseded = isNewer(oldest.run, sticky.run);
  if (isSuperseded || (await comments.update(oldest.comment.id, body))) await comments.remove(created.id);
  return isSuperseded ? 'superseded' : 'updated';
}

interface OwnComment {
  readonly comment: IssueComment;
  readonly run: RunNumber;
}

function findOwn(comments: readonly IssueComment[], owner: string, key: string): OwnComment[] {
  return comments
    .flatMap((comment): OwnComment[] => {
      const marker = /^<!-- bpfgate ([0-9a-f]{16}) run (\d{1,15})\.(\d{1,9}) -->/.exec(comment.body);
      if (comment.author !== owner || marker?.[1] !== key) return [];
      return [{ comment, run: { id: Number(marker[2]), attempt: Number(marker[3]) } }];
    })
    .toSorted((a, b) => a.comment.id - b.comment.id);
}

/** Removes the others, but for a newer run's, which removes its own once it has found that it was not alone. */
async function tidy(comments: IssueComments, own: readonly OwnComment[], run: RunNumber): Promise<void> {
  for (const each of own) {
    // The comment says what it should; one too many is taken away by the next run.
    if (!isNewer(each.run, run)) await comments.remove(each.comment.id).catch(() => {});
  }
}

function isNewer(a: RunNumber, b: RunNumber): boolean {
  return a.id > b.id || (a.id === b.id && a.attempt > b.attempt);
}

function renderMarker({ key, run }: StickyComment): string {
  return `<!-- bpfgate ${key} run ${run.id}.${run.attempt} -->`;
}
