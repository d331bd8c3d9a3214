// Host environment: the variables of programs that bpfgate starts on the host. It is an allow-list, because some
// programs read what a pull request controls, and their output is shown. Pure.

import { isAbsolute } from 'node:path';
import { isSecretName } from './secret-names.ts';

const names = new Set([
  ...['HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TERM'],
  ...['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'],
  ...[
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'CURL_CA_BUNDLE',
    'REQUESTS_CA_BUNDLE',
    'PIP_CERT',
    'GIT_SSL_CAINFO',
    'GIT_SSL_CAPATH',
  ],
  ...['CARGO_HOME', 'RUSTUP_HOME', 'RUSTUP_DIST_SERVER', 'RUSTUP_UPDATE_ROOT', 'PIP_INDEX_URL', 'PIP_CONFIG_FILE'],
  ...['GOPATH', 'GOPROXY', 'GOSUMDB', 'GONOSUMDB', 'GOPRIVATE', 'GOROOT', 'GOCACHE', 'GOMODCACHE', 'GOENV'],
  ...['APT_CONFIG', 'DEBIAN_FRONTEND', 'LLVM_PREFIX'],
]);
const patterns = /^(BPFGATE_\w+|LC_\w+|XDG_\w+|CARGO_(HTTP|NET|SOURCE)_\w+|CARGO_REGISTR(Y|IES)_\w+)$/;

/** Keeps the allowed variables, and of PATH the absolute folders. */
export function hostEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const allowed = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (names.has(entry[0]) || patterns.test(entry[0])) && !isSecretName(entry[0]),
  );
  return { ...Object.fromEntries(allowed), PATH: absoluteFolders(environment.PATH) };
}

/** Variables by which cargo, Go and git choose registries and repositories and log in to them. */
const registryNames =
  /^(CARGO_REGISTR(Y|IES)_\w+|GO(AUTH|PRIVATE|NOPROXY|NOSUMDB|INSECURE)|NETRC|SSH_AUTH_SOCK|GIT_(SSH|SSH_COMMAND|CONFIG_\w+))$/;

export function isRegistryVariable(name: string): boolean {
  return registryNames.test(name);
}

/** The user's settings of private registries, with logins, also those that do not enumerate in a step. */
export function registryVariables(environment: NodeJS.ProcessEnv): Record<string, string> {
  const names = Object.getOwnPropertyNames(environment).filter(isRegistryVariable);
  return Object.fromEntries(names.map((name) => [name, environment[name] ?? '']));
}

/** Keeps the absolute folders of PATH: any other belongs to the author of the folder in which a program is started. */
export function absoluteFolders(path = ''): string {
  return path.split(':').filter(isAbsolute).join(':');
}

/** Describes a PATH with other folders; undefined if it has none. */
export function describeRelativeFolders(path = ''): string | undefined {
  const others = path.split(':').filter((folder) => !isAbsolute(folder));
  if (path === '' || others.length === 0) return undefined;
  return `PATH has folders that are not absolute, in which no program is looked for: ${others.map((folder) => JSON.stringify(folder)).join(', ')}`;
}
