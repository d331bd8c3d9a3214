// Common: recognises pointers of Git LFS, which are in a tree in the place of files whose content was not downloaded.

/** Whether a file's first bytes are those of a pointer. */
export function isLfsPointer(start: Buffer): boolean {
  return /^version https:\/\/(git-lfs|hawser)\.github\.com\/spec\//.test(start.toString('latin1', 0, 60));
}

export const lfsProblem = 'it is a pointer of Git LFS, whose content is not here';
export const lfsHint = 'git lfs pull; in a workflow, set `lfs: true` for actions/checkout';
