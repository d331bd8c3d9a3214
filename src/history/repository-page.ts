// History: the address of a repository's page.

/** Where a host has the page of a remote, without a user or password; null for other remotes, such as folders. */
export function repositoryPage(remote: string): string | null {
  const [, host, path] =
    /^(?:https:\/\/(?:[^@/]*@)?|(?:ssh:\/\/)?[\w.-]+@)([\w.-]+(?::\d+)?)[:/]([\w.-]+(?:\/[\w.-]+)+?)(?:\.git)?\/?$/.exec(
      remote,
    ) ?? [];
  return host === undefined ? null : `https://${host}/${path}`;
}
