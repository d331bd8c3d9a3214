// Source kernels: their configuration options. kernels/config/README.md says how the fragments are written.

import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../adapters/package-root.ts';
import { KernelError } from '../../common/errors.ts';
import { compareVersions } from '../../common/versions.ts';

/** Folder of the fragments in bpfgate, for messages. */
export const fragmentFolder = 'kernels/config';

/**
 * Incremented when builds give other bytes for a reason that is not in the fragments, such as another compiler flag.
 * Then cached kernels are built again.
 */
const builderRevision = 2;

/** One line of a fragment. */
export interface FragmentOption {
  /** `CONFIG_BPF_SYSCALL` */
  readonly name: string;
  /** As in a `.config`: `y`, a number or a string in quotes; `n` for an option that is off. */
  readonly value: string;
  /** First minor version to which the line applies; undefined for all. */
  readonly since: string | undefined;
  /** Last minor version to which the line applies; undefined for all. */
  readonly until: string | undefined;
  /** Whether the option may be missing in versions that do not know it. */
  readonly whereKnown: boolean;
}

/** An option that the configuration of one version must have. */
export type WantedOption = Pick<FragmentOption, 'name' | 'value' | 'whereKnown'>;

/** An option that `make olddefconfig` left with another value. */
export interface OptionNotTaken {
  readonly name: string;
  readonly wanted: string;
  /** Also `n` where the version does not know the option. */
  readonly found: string;
}

const linePattern =
  /^(CONFIG_\w+)=("[^"]*"|[\w-]+)(?:\s+#(?: since (\d+\.\d+))?(?: until (\d+\.\d+))?( where known)?)?$/;

/**
 * Reads one fragment.
 *
 * @param file the fragment's name, for messages
 * @throws KernelError naming file and line of anything that is not an option
 */
export function parseFragment(text: string, file: string): FragmentOption[] {
  return text.split('\n').flatMap((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('# ') || line === '#') return [];
    const match = linePattern.exec(line);
    if (match === null || line.endsWith('#')) {
      throw new KernelError(`${file}:${index + 1}: not a line of a fragment: ${line}`, {
        hint: `write it as ${fragmentFolder}/README.md says`,
      });
    }
    const [, name = '', value = '', since, until, whereKnown] = match;
    return [{ name, value, since, until, whereKnown: whereKnown !== undefined }];
  });
}

/**
 * The options for a minor version, in the order of the fragments.
 *
 * @param minor `5.8`
 * @throws KernelError when two lines for the version give one option different values
 */
export function optionsFor(minor: string, fragments: readonly FragmentOption[]): WantedOption[] {
  const chosen = new Map<string, WantedOption>();
  for (const { name, value, since, until, whereKnown } of fragments) {
    if (since !== undefined && compareVersions(minor, since) < 0) continue;
    if (until !== undefined && compareVersions(minor, until) > 0) continue;
    const other = chosen.get(name);
    if (other !== undefined && other.value !== value) {
      throw new KernelError(`the fragments give ${name} two values for ${minor}: ${other.value} and ${value}`, {
        hint: `fix ${fragmentFolder}`,
      });
    }
    chosen.set(name, { name, value, whereKnown });
  }
  return [...chosen.values()];
}

/** The options in the kernel's own notation, for merging into a `.config`. */
export function renderOptions(options: readonly WantedOption[]): string {
  return options.map(({ name, value }) => (value === 'n' ? `# ${name} is not set\n` : `${name}=${value}\n`)).join('');
}

/**
 * Finds the options that a configuration does not have. An option marked `where known` counts only when the
 * configuration names it.
 *
 * @param config a whole `.config`
 */
export function optionsNotTaken(wanted: readonly WantedOption[], config: string): OptionNotTaken[] {
  const found = new Map<string, string>();
  for (const line of config.split('\n')) {
    const set = /^(CONFIG_\w+)=(.*)$/.exec(line);
    const off = /^# (CONFIG_\w+) is not set$/.exec(line);
    if (set?.[1] !== undefined && set[2] !== undefined) found.set(set[1], set[2]);
    else if (off?.[1] !== undefined) found.set(off[1], 'n');
  }
  return wanted.flatMap(({ name, value, whereKnown }) => {
    const got = found.get(name);
    if (got === undefined && whereKnown) return [];
    return (got ?? 'n') === value ? [] : [{ name, wanted: value, found: got ?? 'n' }];
  });
}

/** The error for options that did not take effect. */
export function notTakenError(minor: string, options: readonly OptionNotTaken[]): KernelError {
  const lines = options.map(({ name, wanted, found }) => `  ${name}: wanted ${wanted}, found ${found}`);
  return new KernelError(
    `the configuration of kernel ${minor} did not take ${options.length === 1 ? 'an option' : 'options'}:\n${lines.join('\n')}`,
    {
      hint: `see what each depends on in the tree's Kconfig files; if ${minor} does not have it, say \`since\` or \`until\` in ${fragmentFolder}; DEBUG_INFO_BTF also needs a pahole that is new enough`,
    },
  );
}

let fragments: readonly FragmentOption[] | undefined;

/**
 * The fragments that come with bpfgate, read once.
 *
 * @throws KernelError when one is malformed
 */
export function readFragments(): readonly FragmentOption[] {
  if (fragments === undefined) {
    const folder = join(packageRoot, fragmentFolder);
    const files = readdirSync(folder).filter((name) => name.endsWith('.config'));
    fragments = files
      .sort()
      .flatMap((name) => parseFragment(readFileSync(join(folder, name), 'utf8'), `${fragmentFolder}/${name}`));
  }
  return fragments;
}

/**
 * SHA-256 over everything in bpfgate that shapes a kernel built from source: the fragments without comments, and the
 * builder's revision. Lower-case hexadecimal.
 */
export function sourceConfigSha256(): string {
  return hash('sha256', JSON.stringify([builderRevision, readFragments()]));
}
