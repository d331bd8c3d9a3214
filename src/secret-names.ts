// Names of environment variables whose values are likely to be secret. A list of patterns cannot be complete: variables
// that nobody named are kept back by the allow-list of build/environment.ts. Pure.

/** A part of a name that says what the value is. `AUTHOR` says no such thing. */
const secretName =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH(?!OR)|COOKIE|WEBHOOK|(^|_)(API)?KEY|(^|_)PAT(_|$)|^GIT_CONFIG/i;

export function isSecretName(name: string): boolean {
  return secretName.test(name);
}
