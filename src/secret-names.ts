// Names of environment variables whose values are likely to be secret. A list of patterns cannot be complete: variables
// that nobody named are kept back by the allow-list of build/environment.ts. Pure.

/** A part of a name that says what the value is. `AUTHOR` says no such thing. */
const secretName =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH(?!OR)|COOKIE|WEBHOOK|(^|_)(API)?KEY|(^|_)PAT(_|$)|^GIT_CONFIG/i;

export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Variables that name a secret's file or folder, or where the runner of a workflow keeps its own and the checkout. */
export const secretPaths: readonly string[] = [
  ...['NETRC', 'DOCKER_CONFIG', 'KUBECONFIG', 'GNUPGHOME', 'SSH_AUTH_SOCK', 'GH_CONFIG_DIR', 'GIT_CONFIG_GLOBAL'],
  ...['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE', 'AZURE_CONFIG_DIR', 'CLOUDSDK_CONFIG'],
  ...[
    'GOOGLE_APPLICATION_CREDENTIALS',
    'NPM_CONFIG_USERCONFIG',
    'RUNNER_TEMP',
    'RUNNER_WORKSPACE',
    'GITHUB_EVENT_PATH',
    'GITHUB_ENV',
  ],
  ...['GITHUB_PATH', 'GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'],
];
