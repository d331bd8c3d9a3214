// Release: identifies a kernel release's files by their contents, and adds them to the pins. Pure.

import type { z } from 'zod';
import type { programsSchema, ReadyMadeName } from '../../src/cache/ready-made.ts';
import { InputError } from '../../src/common/errors.ts';
import type { KernelEntry } from '../../src/kernels/pins.ts';
import type { PinDocument } from '../kernels-update/propose.ts';

/** A file of a release. */
export type ReleaseFile = {
  readonly name: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  readonly sizeBytes: number;
} & (
  | { readonly kind: 'package' }
  /** A kernel that bpfgate has compiled; `madeFrom` is the SHA-256 of the tarball. */
  | { readonly kind: 'image'; readonly madeFrom: string }
  /** `madeFrom` is as in vm/programs.json. */
  | { readonly kind: 'program'; readonly program: ReadyMadeName; readonly madeFrom: string }
);

export interface Pinned {
  readonly kernels: PinDocument;
  readonly programs: z.infer<typeof programsSchema>;
}

/**
 * Adds each file to the pin it belongs to. Pins without a file here stay as they are.
 *
 * @throws InputError when a file belongs to no pin
 */
export function pinAssets({ kernels, programs }: Pinned, files: readonly ReleaseFile[], tag: string): Pinned {
  const used = new Set<ReleaseFile>();
  const find = <T extends ReleaseFile>(isIt: (file: ReleaseFile) => file is T): T | undefined => {
    const found = files.find(isIt);
    if (found !== undefined) used.add(found);
    return found;
  };
  const pinDebian = (debian: KernelEntry['debian']): KernelEntry['debian'] => {
    if ('missing' in debian) return debian;
    const packages = debian.packages.map((pin) => {
      const file = find((each): each is ReleaseFile => each.kind === 'package' && each.sha256 === pin.sha256);
      return file === undefined ? pin : { ...pin, asset: { tag, name: file.name } };
    });
    return { ...debian, packages };
  };
  const pinSource = (source: KernelEntry['source']): KernelEntry['source'] => {
    if ('missing' in source) return source;
    const file = find((each): each is ReleaseFile => each.kind === 'image' && each.madeFrom === source.sha256);
    return file === undefined ? source : { ...source, asset: assetOf(file, tag) };
  };
  const entries = kernels.kernels.map((entry) => ({
    ...entry,
    debian: pinDebian(entry.debian),
    source: pinSource(entry.source),
  }));
  const made = files.filter((file) => file.kind === 'program');
  for (const file of made) used.add(file);
  const others = programs.programs.filter(({ name }) => !made.some(({ program }) => program === name));
  const unknown = files.filter((file) => !used.has(file));
  if (unknown.length > 0) {
    throw new InputError(`no pin is of ${unknown.map(({ name }) => name).join(', ')}`, {
      hint: 'release what was made of the pins of this commit',
    });
  }
  const own = made.map((file) => ({ name: file.program, madeFrom: file.madeFrom, asset: assetOf(file, tag) }));
  const sorted = [...others, ...own].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { kernels: { ...kernels, kernels: entries }, programs: { ...programs, programs: sorted } };
}

function assetOf({ name, sha256, sizeBytes }: ReleaseFile, tag: string) {
  return { tag, name, sha256, sizeBytes };
}

/** The release's notes, Markdown: the files, how to verify one, and where their sources are. */
export function describeRelease({ kernels }: PinDocument, files: readonly ReleaseFile[], tag: string): string {
  const sources = kernels.flatMap(({ minor, debian, source }) => {
    const isReleased = (asset: { readonly tag: string } | undefined) => asset?.tag === tag;
    return [
      ...('missing' in debian || !debian.packages.some(({ asset }) => isReleased(asset))
        ? []
        : [
            `- ${minor} of Debian: source package of version ${debian.version}, in ${debian.archive} as of ${debian.snapshot}`,
          ]),
      ...('missing' in source || !isReleased(source.asset)
        ? []
        : [`- ${minor} built by bpfgate: ${source.url}, with \`kernels/config/\` of this commit`]),
    ];
  });
  return [
    'Files that bpfgate fetches instead of compiling them, or when no mirror has them. They are pinned by SHA-256 in',
    '`kernels/kernels.json` and `vm/programs.json`.',
    '',
    'Check one with `gh attestation verify FILE --repo REPOSITORY`.',
    '',
    '```',
    ...files.map(({ name, sha256 }) => `${sha256}  ${name}`),
    '```',
    '',
    'Sources of the kernels:',
    '',
    ...sources,
    '',
  ].join('\n');
}
