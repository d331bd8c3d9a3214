// What a workflow calls bpfgate's own actions and workflows by, as folders of this repository. Pure.

/**
 * A workflow's text with `$/report` (this repository, at the workflow's commit) and `OWNER/bpfgate/report@COMMIT` (what
 * the examples have) as `./report`.
 */
export function resolveOwnUses(text: string): string {
  return text
    .replaceAll(/(?<=\buses: )\$\//g, './')
    .replaceAll(/(?<=\buses: )OWNER\/bpfgate(?:\/(?<path>[^@\s]+))?@\S+/g, (...match) => {
      const { path = '' } = match.at(-1) as { path?: string };
      return `./${path}`;
    });
}
