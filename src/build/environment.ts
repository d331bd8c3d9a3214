// The environment of builds and of benches in the guest: an allow-list, because both run a pull request's code and
// neither may see a token. Pure.

const names = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR'],
  ...['CC', 'CXX', 'AR', 'LD', 'CFLAGS', 'CXXFLAGS', 'LDFLAGS', 'LLVM_PREFIX', 'LIBCLANG_PATH', 'PKG_CONFIG_PATH'],
  ...['GOPATH', 'GOPROXY', 'GOFLAGS', 'GOROOT'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'http_proxy', 'https_proxy', 'no_proxy'],
]);
const prefixes = ['LC_', 'CARGO_', 'RUST'];
const secret = /TOKEN|SECRET|PASSWORD|CREDENTIAL/i;

/** The allowed part of `environment`, with what keeps cargo's output plain and its builds the same each time. */
export function projectEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const allowed = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (names.has(entry[0]) || prefixes.some((prefix) => entry[0].startsWith(prefix))) &&
      !secret.test(entry[0]),
  );
  const result: Record<string, string> = {
    ...Object.fromEntries(allowed),
    CARGO_TERM_COLOR: 'never',
    CARGO_INCREMENTAL: '0',
  };
  // Both revisions keep their own target folder; one shared from outside would mix them.
  delete result.CARGO_TARGET_DIR;
  delete result.CARGO_BUILD_TARGET_DIR;
  return result;
}

/** The same inside the guest, which has no network and a tmpfs that is safe for temporary files. */
export function guestEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  return { ...projectEnvironment(environment), CARGO_NET_OFFLINE: 'true', GOPROXY: 'off', TMPDIR: '/tmp' };
}
