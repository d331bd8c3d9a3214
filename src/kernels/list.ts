// Kernels, pure: the table of `bpfgate kernels list`.

import { layOutColumns } from '../common/columns.ts';
import type { KernelOrigin, KernelPin, SupportStatus } from '../model/kernel.ts';
import { type FeatureName, type FeatureState, featuresOf } from './features.ts';
import type { MissingKernel } from './pins.ts';

/** A kernel's state in the cache. */
export interface CacheState {
  /** The entry exists and cannot be used. */
  readonly broken: boolean;
  /** The kernel's whole configuration; undefined when it cannot be read. */
  readonly config?: string | undefined;
  /** Size of the kernel's image. */
  readonly imageBytes?: number | undefined;
}

/** A row of `bpfgate kernels list`. */
export interface KernelRow {
  readonly id: string;
  readonly release: string;
  readonly origin: KernelOrigin;
  readonly support: SupportStatus;
  /**
   * Size of the download. Without a pinned size, or a download, that of the image in the cache; null without either.
   */
  readonly sizeBytes: number | null;
  readonly cached: 'yes' | 'no' | 'broken';
  readonly features: Readonly<Record<FeatureName, FeatureState>>;
}

export interface KernelList {
  readonly kernels: readonly KernelRow[];
  /** Kernels that are not pinned, of the minor versions shown. */
  readonly missing: readonly MissingKernel[];
}

/** @param stateOf returns a kernel's state in the cache; undefined when it is not there */
export function listKernels(
  shown: readonly KernelPin[],
  missing: readonly MissingKernel[],
  stateOf: (pin: KernelPin) => CacheState | undefined,
): KernelList {
  const minors = new Set(shown.map(({ minor }) => minor));
  return {
    kernels: shown.map((pin) => {
      const state = stateOf(pin);
      return {
        id: pin.id,
        release: pin.release,
        origin: pin.origin,
        support: pin.support,
        sizeBytes: downloadSize(pin) ?? state?.imageBytes ?? null,
        cached: state === undefined ? 'no' : state.broken ? 'broken' : 'yes',
        features: featuresOf(pin.minor, state?.config),
      };
    }),
    missing: missing.filter(({ minor }) => minors.has(minor)),
  };
}

function downloadSize(pin: KernelPin): number | null {
  if (pin.origin === 'debian') return pin.packages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return (pin.origin === 'source' ? pin.asset?.sizeBytes : undefined) ?? null;
}

/** The features a person looks for first, with their headings. They are narrow: the table has to fit 100 columns. */
const columns: readonly (readonly [heading: string, name: FeatureName])[] = [
  ['ring\nbuf', 'ringbuf'],
  ['stats\nby fd', 'enable-stats'],
  ['BTF', 'btf'],
  ['fen-\ntry', 'fentry'],
  ['LSM', 'lsm'],
  ['verif.\ninsns', 'verified-insns'],
  ['kprobe\nmulti', 'kprobe-multi'],
];

const marks: Readonly<Record<FeatureState, string>> = { yes: '✓', no: '-', unknown: '(✓)' };

const maxWidth = 100;

/** Renders the list for a terminal. Lines are at most 100 columns wide, except those that give a reason. */
export function renderKernels({ kernels, missing }: KernelList): string {
  const rows = kernels.map(({ id, release, origin, support, sizeBytes, cached, features }) => {
    const size = sizeBytes === null ? '-' : `${Math.round(sizeBytes / 1e6)} MB`;
    return [id, release, origin, size, support, cached, ...columns.map(([, name]) => marks[features[name]])];
  });
  const head = ['id', 'release', 'origin', 'size', 'support', 'cached', ...columns.map(([heading]) => heading)];
  const alignments = [
    'left',
    'left',
    'left',
    'right',
    'left',
    'left',
    ...columns.map(() => 'center' as const),
  ] as const;
  const lines = layOutColumns([head, ...rows], alignments);
  const isOpen = kernels.some(({ features }) => columns.some(([, name]) => features[name] === 'unknown'));
  if (isOpen)
    lines.push('', '(✓)  by its version alone; whether it is configured is seen once the kernel is in the cache');
  if (missing.length > 0) lines.push('', 'not pinned:', ...describeMissing(missing));
  return `${lines.join('\n')}\n`;
}

/** Lists each origin and reason, and below it the minor versions. */
function describeMissing(missing: readonly MissingKernel[]): string[] {
  const minorsOf = new Map<string, string[]>();
  for (const { minor, origin, reason } of missing) {
    const why = `  ${origin}: ${reason}:`;
    minorsOf.set(why, [...(minorsOf.get(why) ?? []), minor]);
  }
  return [...minorsOf].flatMap(([why, minors]) => [why, ...wrap(minors, '    ')]);
}

function wrap(words: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 2 + word.length < maxWidth) lines[lines.length - 1] = `${line}, ${word}`;
    else lines.push(`${indent}${word}`);
  }
  return lines;
}
