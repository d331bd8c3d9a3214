// Own kernels, pure: the files of a package or folder that make a kernel.

import { KernelError } from '../../common/errors.ts';
import { isKeptModule, keptLists } from '../package-files.ts';

/** Paths below the package's or folder's root. */
export interface KernelFiles {
  readonly image: string;
  readonly config: string | undefined;
  /** The release that names the folder of the modules; undefined where the layout does not name one. */
  readonly uname: string | undefined;
  /** Each by its path below `lib/modules/<uname>/`. */
  readonly modules: ReadonlyMap<string, string>;
}

const imageName = /^(?:boot\/vmlinuz-([\w.+~-]+)|(?:usr\/)?lib\/modules\/([\w.+~-]+)\/vmlinuz)$/;

/** The image in a tree that was built. */
export const builtImage = 'arch/x86/boot/bzImage';

/**
 * Picks a kernel from an unpacked package: `boot/vmlinuz-*` or `lib/modules/NAME/vmlinuz`, with its configuration and
 * modules.
 *
 * @param names regular files, relative to the root
 * @param where the package or folder, for messages
 * @throws KernelError when there is no kernel, or more than one
 */
export function pickPackaged(names: readonly string[], where: string): KernelFiles {
  const images = names.flatMap((name) => {
    const [, inBoot, inModules] = imageName.exec(name) ?? [];
    const uname = inBoot ?? inModules;
    return uname === undefined ? [] : [{ name, uname }];
  });
  const releases = [...new Set(images.map(({ uname }) => uname))].sort();
  const [first] = images;
  if (first === undefined) {
    throw new KernelError(`${where} has no kernel`, {
      hint: 'it is looked for as boot/vmlinuz-* and lib/modules/*/vmlinuz: give the package that has the image, with the modules in it',
    });
  }
  if (releases.length > 1) {
    throw new KernelError(`${where} has ${releases.length} kernels: ${releases.slice(0, 5).join(', ')}`, {
      hint: 'give one with a single kernel',
    });
  }
  const { name: image, uname } = first;
  const has = new Set(names);
  const folders = ['lib/modules', 'usr/lib/modules'].map((folder) => `${folder}/${uname}/`);
  const modules = new Map<string, string>();
  for (const name of names) {
    const folder = folders.find((candidate) => name.startsWith(candidate));
    if (folder === undefined) continue;
    const path = name.slice(folder.length);
    if (isKept(path)) modules.set(path, name);
  }
  const config = [`boot/config-${uname}`, ...folders.map((folder) => `${folder}config`)].find((name) => has.has(name));
  return { image, config, uname, modules: orNone(modules) };
}

/**
 * Picks a kernel from a tree that was built in place.
 *
 * @param names regular files, relative to the root
 */
export function pickBuilt(names: readonly string[]): KernelFiles {
  const modules = new Map<string, string>();
  for (const name of names) {
    const path = keptLists.includes(name) ? name : `kernel/${name}`;
    if (isKept(path)) modules.set(path, name);
  }
  const config = names.includes('.config') ? '.config' : undefined;
  return { image: builtImage, config, uname: undefined, modules: orNone(modules) };
}

/** @param path below `lib/modules/<uname>/` */
function isKept(path: string): boolean {
  return path.startsWith('kernel/') ? isKeptModule(path.slice('kernel/'.length)) : keptLists.includes(path);
}

/** Lists of modules without a module are of no use. */
function orNone(modules: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return [...modules.keys()].some((path) => path.startsWith('kernel/')) ? modules : new Map();
}
