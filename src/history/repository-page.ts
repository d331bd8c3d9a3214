// History: the address of a repository's page.

/** Finds the page that a host has of a remote, without a user or password; null for other remotes, such as folders. */
export function repositoryPage(remote: string): string | null {
  const web = /^https:\/\/(?:[^@/]*@)?(?<host>[\w.-]+(?::\d+)?)\/(?<path>[\w./-]+?)(?:\.git)?\/?$/;
  const shell = /^(?:ssh:\/\/)?[\w.-]+@(?<host>[\w.-]+)(?::\d+\/|[:/])(?<path>[\w./-]+?)(?:\.git)?\/?$/;
  const { host, path } = (web.exec(remote) ?? shell.exec(remote))?.groups ?? {};
  return host === undefined ? null : `https://${host}/${path}`;
}
