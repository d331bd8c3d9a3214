// Adapter: the secrets that a workflow puts into a step's environment. They are removed before anything is started or
// read. So a program that a step starts inherits none, and finds none in /proc/PID/environ of the step.

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { isRegistryVariable } from '../common/host-environment.ts';
import { isSecretName, secretPaths } from '../common/secret-names.ts';

/** Secrets for the step's own calls of GitHub: the input, and the token of GitHub's artifact and cache libraries. */
const used = new Set(['INPUT_GITHUB-TOKEN', 'ACTIONS_RUNTIME_TOKEN']);
/** Index of the field of /proc/PID/stat with the start of the environment, counted after the program's name. */
const environmentField = 47;

/**
 * Removes secrets from this process's environment. Those that the step or a download uses stay in `process.env` and can
 * be read by name. They do not enumerate, so no copy of it has them, and no program that is started with it.
 *
 * @returns why the kernel still shows them to programs of the same user; undefined if it does not
 */
export function hideSecrets(): string | undefined {
  const found = Object.entries(process.env).filter(([name]) => isSecret(name));
  const kept = found.filter(([name]) => used.has(name) || isRegistryVariable(name));
  // Afterwards the C library has no pointer to what is overwritten.
  for (const [name] of found) delete process.env[name];
  const hidden = Object.fromEntries(kept.map(([name, value]) => [name, { value, enumerable: false }]));
  process.env = Object.defineProperties({ ...process.env }, hidden);
  try {
    overwriteSecrets();
    return findSecrets().length === 0 ? undefined : 'they were written and are still there';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Names of files are not secrets, and builds cannot read the files because these names are known. */
function isSecret(name: string): boolean {
  return isSecretName(name) && !secretPaths.includes(name);
}

/** Writes zeros where the kernel reads a process's environment: deleting variables does not change that. */
function overwriteSecrets(): void {
  const secrets = findSecrets();
  if (secrets.length === 0) return;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[environmentField]);
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    for (const { at, length } of secrets) writeSync(memory, Buffer.alloc(length), 0, length, start + at);
  } finally {
    closeSync(memory);
  }
}

/** Finds secrets in what the kernel shows of this process, in bytes from its beginning. */
function findSecrets(): { readonly at: number; readonly length: number }[] {
  const found = [];
  let at = 0;
  // One character for each byte, whatever it contains.
  for (const variable of readFileSync('/proc/self/environ', 'latin1').split('\0')) {
    const { length } = variable;
    if (isSecret(variable.split('=', 1)[0] ?? '')) found.push({ at, length });
    at += length + 1;
  }
  return found;
}
