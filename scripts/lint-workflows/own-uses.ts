// Lint: resolves references to bpfgate's own actions and workflows to folders of this repository. Pure.

/**
 * Replaces `$/report` (this repository, at the workflow's commit) and `OWNER/bpfgate/report@COMMIT` (as in the
 * examples) in a workflow's text by `./report`.
 */
export function resolveOwnUses(text: string): string {
  return text
    .replaceAll(/(?<=\buses: )\$\//g, './')
    .replaceAll(/(?<=\buses: )OWNER\/bpfgate(?:\/(?<path>[^@\s]+))?@\S+/g, (...match) => {
      const { path = '' } = match.at(-1) as { path?: string };
      return `./${path}`;
    });
}
