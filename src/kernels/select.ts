// Second stage, pure: from selectors such as "6.1", "5.10..6.1" or "lts" to pinned kernels.

import { InputError } from '../errors.ts';
import type { KernelPin } from './kernel.ts';
import { compareVersions } from './pins.ts';

/** Minor versions with long-term support. Source: the longterm list of kernel.org/category/releases.html. */
export const ltsMinors = ['5.4', '5.10', '5.15', '6.1', '6.6', '6.12', '6.18'] as const;

/**
 * The pinned kernels that selectors name: a minor version ("6.1"), a release ("6.1.176"), an inclusive range of minor
 * versions whose ends need not be pinned ("5.8..6.1"), "lts", "latest" or "all"; each may be a comma-separated list.
 *
 * @returns each kernel once, oldest first
 * @throws InputError naming the selector, what is allowed and what is pinned
 */
export function selectKernels(selectors: readonly string[], pins: readonly KernelPin[]): KernelPin[] {
  const words = selectors.flatMap((selector) => selector.split(',')).map((word) => word.trim());
  if (words.every((word) => word === '')) throw refuse('no kernel is selected', pins);
  const selected = new Set<KernelPin>();
  for (const word of words) {
    if (word === '') throw refuse(`empty kernel selector in "${selectors.join(',')}"`, pins);
    for (const pin of selectOne(word, pins)) selected.add(pin);
  }
  return [...selected].sort((a, b) => compareVersions(a.release, b.release));
}

function selectOne(selector: string, pins: readonly KernelPin[]): KernelPin[] {
  const selected = match(selector, pins);
  if (selected.length === 0) throw refuse(`no pinned kernel matches "${selector}"`, pins);
  return selected;
}

function match(selector: string, pins: readonly KernelPin[]): KernelPin[] {
  if (selector === 'all') return [...pins];
  if (selector === 'latest') return [...pins].sort((a, b) => compareVersions(a.release, b.release)).slice(-1);
  if (selector === 'lts') return pins.filter((pin) => ltsMinors.some((minor) => minor === pin.id));
  if (/^\d+\.\d+$/.test(selector)) return pins.filter((pin) => pin.id === selector);
  if (/^\d+\.\d+\.\d+$/.test(selector)) return pins.filter((pin) => pin.release === selector);
  if (selector.includes('..')) return matchRange(selector, pins);
  throw refuse(`unknown kernel selector "${selector}"`, pins);
}

function matchRange(selector: string, pins: readonly KernelPin[]): KernelPin[] {
  const range = /^(\d+\.\d+)\.\.(\d+\.\d+)$/.exec(selector);
  const [, first, last] = range ?? [];
  if (first === undefined || last === undefined) {
    throw refuse(`malformed kernel range "${selector}", both ends must be minor versions`, pins);
  }
  if (compareVersions(first, last) > 0) {
    throw refuse(`malformed kernel range "${selector}", ${first} is newer than ${last}`, pins);
  }
  return pins.filter((pin) => compareVersions(first, pin.id) <= 0 && compareVersions(pin.id, last) <= 0);
}

function refuse(message: string, pins: readonly KernelPin[]): InputError {
  const allowed = 'allowed: "6.1", "6.1.176", "5.10..6.1", "lts", "latest", "all", or a comma-separated list of these';
  const pinned = pins.map((pin) => pin.release).join(', ');
  return new InputError(`${message}; ${allowed}; pinned: ${pinned}`, {
    hint: '`bpfgate kernels list` shows the pinned kernels',
  });
}
