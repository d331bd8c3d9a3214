// Secret names: environment variables whose values are likely to be secret. A list of patterns cannot be complete: the
// allow-list of build/environment.ts keeps back all variables that it does not name. Pure.

/** Parts of a name that say that the value is secret. `AUTHOR` does not. */
const secretName =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH(?!OR)|COOKIE|WEBHOOK|(^|_)(API)?KEY|(^|_)PAT(_|$)|^GIT_CONFIG/i;

export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Variables that name a secret's file or folder, or where a workflow's runner keeps its own files and the checkout. */
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
