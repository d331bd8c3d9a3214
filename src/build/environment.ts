// Build: the environment of builds and of benches in the guest. It is an allow-list, because both run a pull request's
// code and neither may see a token. `[build] env` adds to it. Pure.

import { isSecretName } from '../common/secret-names.ts';

/** Proxies, for builds that have a network. */
const proxies = new Set(['http_proxy', 'https_proxy', 'no_proxy', 'CARGO_HTTP_PROXY']);
const names = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR'],
  ...['CC', 'CXX', 'AR', 'LD', 'CFLAGS', 'CXXFLAGS', 'LDFLAGS', 'LLVM_PREFIX', 'LIBCLANG_PATH', 'PKG_CONFIG_PATH'],
  ...['GOPATH', 'GOPROXY', 'GOFLAGS', 'GOROOT'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', ...proxies],
]);
const prefixes = ['LC_', 'CARGO_', 'RUST'];

/**
 * The allowed part of `environment`, with settings that keep cargo's output plain and its builds the same each time. It
 * is sorted by name: keys of kept builds and results are made of it, and the order may differ between processes.
 *
 * Addresses keep the login before their `@`: a proxy may ask for it, and nothing could be downloaded without it.
 *
 * @param further names of `[build] env`; those that are not set are left out
 */
export function projectEnvironment(
  environment: NodeJS.ProcessEnv,
  further: readonly string[] = [],
): Record<string, string> {
  const allowed = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (names.has(entry[0]) || further.includes(entry[0]) || prefixes.some((prefix) => entry[0].startsWith(prefix))) &&
      !isSecretName(entry[0]),
  );
  const result: Record<string, string> = {
    ...Object.fromEntries(allowed),
    CARGO_TERM_COLOR: 'never',
    CARGO_INCREMENTAL: '0',
  };
  // Both revisions keep their own target folder; one shared from outside would mix them.
  delete result.CARGO_TARGET_DIR;
  delete result.CARGO_BUILD_TARGET_DIR;
  return inOrder(result);
}

/** The environment inside the guest, with a tmpfs that is safe for temporary files. */
export function guestEnvironment(
  environment: NodeJS.ProcessEnv,
  further: readonly string[] = [],
): Record<string, string> {
  return inOrder({ ...withoutNetwork(projectEnvironment(environment, further)), TMPDIR: '/tmp' });
}

/**
 * An environment for where there is no network. Proxies and logins are left out. The address of a registry stays, because
 * cargo identifies a downloaded crate by it.
 */
export function withoutNetwork(variables: Readonly<Record<string, string>>): Record<string, string> {
  const useful = Object.entries(variables).filter(([name]) => !proxies.has(name));
  const shown = Object.fromEntries(useful.map(([name, value]) => [name, withoutLogins(value)]));
  return { ...shown, CARGO_NET_OFFLINE: 'true', GOPROXY: 'off' };
}

/** Removes logins from addresses. In protocols other than HTTP the user is no secret, and stays: `ssh://git@host`. */
function withoutLogins(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)([^/?#\s]*)@/gi, (_, protocol: string, login: string) =>
    /https?:\/\/$/i.test(protocol) ? protocol : `${protocol}${login.replace(/:.*/, '')}@`,
  );
}

function inOrder(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
