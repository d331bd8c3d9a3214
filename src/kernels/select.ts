// Kernels, pure: selects kernels by selectors such as "6.1", "5.10..6.1" or "lts".

import { InputError } from '../common/errors.ts';
import { compareVersions } from '../common/versions.ts';
import { suggest } from '../inputs/nearest-name.ts';
import { isOwnSelector, splitSelectors } from '../inputs/own-kernels.ts';
import type { KernelPin, OwnKernel } from '../model/kernel.ts';
import { compareKernels, type MissingKernel } from './pins.ts';

/**
 * Selects kernels. A selector is a minor version ("6.1"), a release ("6.1.176"), a minor version of one origin
 * ("6.1:source", "6.1:debian", "5.8:tree"), an inclusive range of minor versions whose ends need not be pinned
 * ("5.8..6.1"), "lts" (those with long-term support that need no compiler), "latest" or "all", or a comma-separated
 * list of these.
 *
 * Where a minor version has two origins, its default is chosen, unless a selector names the origin or a release that
 * only the other one has. A kernel built from a tree is chosen only by its origin, one of the user's own only by its
 * name or path.
 *
 * @param known the pinned kernels, and those built from trees
 * @param missing kernels that are not pinned, to give the reason
 * @param own the user's own kernels by their selectors
 * @returns each kernel once, oldest first
 * @throws InputError naming the selector, what is allowed and what is pinned
 */
export function selectKernels(
  selectors: readonly string[],
  known: readonly KernelPin[],
  missing: readonly MissingKernel[] = [],
  own: ReadonlyMap<string, OwnKernel> = new Map(),
): KernelPin[] {
  const words = splitSelectors(selectors);
  if (words.every((word) => word === '')) throw refuse('no kernel is selected', known);
  const selected = new Set<KernelPin>();
  for (const word of words) {
    if (word === '') throw refuse(`empty kernel selector in "${selectors.join(',')}"`, known);
    const ownKernel = own.get(word);
    const matching = ownKernel === undefined ? match(word, known) : [ownKernel];
    if (matching.length === 0) throw explainNone(word, known, missing);
    for (const kernel of matching) selected.add(kernel);
  }
  return [...selected].sort(compareKernels);
}

/**
 * One line that names the kernels that "lts" leaves out, because they would have to be compiled.
 *
 * @param include the option or command that takes a list of selectors, such as `--kernels`
 * @returns undefined when none is left out
 */
export function describeLeftOut(
  selectors: readonly string[],
  known: readonly KernelPin[],
  include: string,
): string | undefined {
  const words = splitSelectors(selectors);
  if (!words.includes('lts')) return undefined;
  const selected = selectKernels(withoutOwn(words), known);
  const ids = known.filter((pin) => isLongterm(pin) && !selected.includes(pin)).map(({ id }) => id);
  if (ids.length === 0) return undefined;
  const [last, ...others] = ids.toReversed();
  const names = others.length === 0 ? `kernel ${last}` : `kernels ${others.toReversed().join(', ')} and ${last}`;
  const have = others.length === 0 ? 'it has' : 'they have';
  return `lts leaves out ${names}: ${have} no ready-made image and would be compiled; to include: ${include} ${[...words, ...ids].join(',')}`;
}

/** Leaves out the selectors of the user's own kernels. */
export function withoutOwn(selectors: readonly string[]): string[] {
  return splitSelectors(selectors).filter((word) => !isOwnSelector(word));
}

/** Whether it is the default of a minor version with long-term support. */
function isLongterm(pin: KernelPin): boolean {
  return isDefault(pin) && pin.support === 'longterm';
}

/** Whether its image can be fetched, so that no compiler is needed. */
function isReadyMade(pin: KernelPin): boolean {
  return pin.origin === 'debian' || (pin.origin === 'source' && pin.asset !== undefined);
}

function match(selector: string, known: readonly KernelPin[]): KernelPin[] {
  const defaults = known.filter(isDefault);
  if (selector === 'all') return defaults;
  if (selector === 'latest') return [...defaults].sort(compareKernels).slice(-1);
  if (selector === 'lts') return defaults.filter((pin) => isLongterm(pin) && isReadyMade(pin));
  if (/^\d+\.\d+$/.test(selector)) return defaults.filter(({ id }) => id === selector);
  if (/^\d+\.\d+\.\d+$/.test(selector)) {
    const pinned = known.filter(({ origin, release }) => origin !== 'tree' && release === selector);
    return [...pinned].sort(compareKernels).slice(0, 1);
  }
  const [, minor, origin] = /^(\d+\.\d+):(debian|source|tree)$/.exec(selector) ?? [];
  if (minor !== undefined) return known.filter((kernel) => kernel.minor === minor && kernel.origin === origin);
  if (selector.includes('..')) return matchRange(selector, known);
  throw refuse(`unknown kernel selector "${selector}"`, known);
}

/** Whether its minor version boots it by default. */
function isDefault({ id, minor }: KernelPin): boolean {
  return id === minor;
}

function matchRange(selector: string, known: readonly KernelPin[]): KernelPin[] {
  const range = /^(\d+\.\d+)\.\.(\d+\.\d+)$/.exec(selector);
  const [, first, last] = range ?? [];
  if (first === undefined || last === undefined) {
    throw refuse(`malformed kernel range "${selector}", both ends must be minor versions`, known);
  }
  if (compareVersions(first, last) > 0) {
    throw refuse(`malformed kernel range "${selector}", ${first} is newer than ${last}`, known);
  }
  return known.filter(
    (kernel) =>
      isDefault(kernel) && compareVersions(first, kernel.minor) <= 0 && compareVersions(kernel.minor, last) <= 0,
  );
}

function explainNone(selector: string, known: readonly KernelPin[], missing: readonly MissingKernel[]): InputError {
  const longterm = known.filter(isLongterm).map(({ id }) => id);
  if (selector === 'lts' && longterm.length > 0) {
    return new InputError('no kernel of "lts" has a ready-made image', {
      hint: `name those that are to be compiled: ${longterm.join(',')}`,
    });
  }
  const [minor, origin] = selector.split(':');
  if (origin === 'tree') {
    return new InputError(`no kernel of ${minor} that was built from a tree is in the cache`, {
      hint: 'build it: bpfgate kernels build --source',
    });
  }
  const reasons = missing.filter((kernel) => kernel.minor === minor && (origin ?? kernel.origin) === kernel.origin);
  if (reasons.length === 0) {
    return refuse(`no pinned kernel matches "${selector}"${suggestKernel(selector, known)}`, known);
  }
  const why = reasons.map((kernel) => `${kernel.origin}: ${kernel.reason}`).join('; ');
  const others = known.filter((kernel) => kernel.minor === minor).map(({ id }) => `"${id}"`);
  return new InputError(`kernel "${selector}" is not pinned; ${why}`, {
    hint:
      others.length === 0
        ? '`bpfgate kernels list` shows the pinned kernels'
        : `of ${minor} there is ${others.join(', ')}`,
  });
}

/** Suggests the nearest minor version for a version, and the nearest spelling for anything else. */
function suggestKernel(selector: string, known: readonly KernelPin[]): string {
  const [, major, minor] = /^(\d+)\.(\d+)(?:\.\d+)?$/.exec(selector) ?? [];
  if (major === undefined) {
    return suggest(
      selector,
      known.flatMap(({ id, release }) => [id, release]),
    );
  }
  const minors = known.filter(isDefault).map((pin) => pin.minor);
  const quoted = `${selector}0`;
  if (minors.includes(quoted)) return `; did you mean \`${quoted}\`, which YAML reads as ${selector} without quotes?`;
  const distance = (other: string) => Math.abs(Number(other.split('.')[1]) - Number(minor));
  const ofMajor = minors.filter((other) => other.startsWith(`${major}.`));
  const nearest =
    ofMajor.toSorted((a, b) => distance(a) - distance(b))[0] ??
    minors.findLast((other) => compareVersions(other, selector) < 0) ??
    minors[0];
  return nearest === undefined ? '' : `; did you mean \`${nearest}\`?`;
}

function refuse(message: string, known: readonly KernelPin[]): InputError {
  const allowed =
    'allowed: "6.1", "6.1.176", "6.1:source", "5.10..6.1", "lts", "latest", "all", "file:PATH", the name of a [[kernel]] of bpfgate.toml, or a comma-separated list of these';
  const minors = known.filter(isDefault).map(({ minor }) => minor);
  const pinned = minors.length > 3 ? `${minors[0]} to ${minors.at(-1)}` : minors.join(', ');
  return new InputError(`${message}; ${allowed}; pinned: ${pinned}`, {
    hint: '`bpfgate kernels list` shows the pinned kernels',
  });
}
