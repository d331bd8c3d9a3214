// Kernels, pure: the files of a package, folder or built tree that make a kernel. Of the modules, only those are kept that
// a benchmark VM needs: all are over 300 MB unpacked.

import { clipMiddle } from '../common/clip-middle.ts';
import { KernelError } from '../common/errors.ts';
import { listNames } from '../common/list-names.ts';

/**
 * Modules that are kept, below lib/modules/<uname>/kernel/. Boot needs 9p, overlayfs, virtio and the console's driver.
 */
const keptModules: readonly RegExp[] = [
  /^(lib|crypto|mm|arch(?!\/x86\/kvm))\//,
  // Everything a packet can meet on virtual devices, without radios and storage clusters.
  /^net\/(?!(6lowpan|appletalk|atm|ax25|batman-adv|bluetooth|ceph|ieee802154|mac80211|mac802154|netrom|nfc|rds|rose|rxrpc|wireless|x25)\/)/,
  /^fs\/(9p|configfs|overlayfs|netfs|fscache|cachefiles|fuse)\//,
  /^drivers\/(virtio|char)\//,
  /^drivers\/block\/(virtio_blk|loop|null_blk|brd|zram)\b/,
  // Nearly all single-file drivers are virtual devices: veth, dummy, tun, ifb, vrf, macvlan, netkit, virtio_net.
  /^drivers\/net\/[^/]+$/,
  /^drivers\/net\/(bonding|ipvlan|netdevsim|ovpn|ppp|team|vxlan|wireguard)\//,
];

/** Files next to a kernel's modules that are kept. */
const keptLists = ['modules.builtin', 'modules.builtin.modinfo', 'modules.order'];

/** Paths below the package's or folder's root. */
export interface KernelFiles {
  readonly image: string;
  readonly config: string | undefined;
  /** Each by its path below `lib/modules/<uname>/`. */
  readonly modules: ReadonlyMap<string, string>;
}

const imageName = /^(?:boot\/vmlinuz-([\w.+~-]+)|(?:usr\/)?lib\/modules\/([\w.+~-]+)\/vmlinuz)$/;

/** The image in a tree that was built. */
export const builtImage = 'arch/x86/boot/bzImage';

/**
 * Picks a kernel from a package: `boot/vmlinuz-*` or `lib/modules/NAME/vmlinuz`, with its configuration and modules. A
 * kernel of several packages is in the names of all of them.
 *
 * @param names regular files, relative to the root
 * @param where the package or folder, for messages
 * @returns also the release in the image's name
 * @throws KernelError when there is no kernel, or more than one
 */
export function pickPackaged(names: readonly string[], where: string): KernelFiles & { readonly uname: string } {
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
    throw new KernelError(`${where} has ${releases.length} kernels: ${clipMiddle(listNames(releases), 500)}`, {
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
  return { image: builtImage, config, modules: orNone(modules) };
}

/** @param path below `lib/modules/<uname>/` */
function isKept(path: string): boolean {
  if (!path.startsWith('kernel/')) return keptLists.includes(path);
  const module = path.slice('kernel/'.length);
  return /\.ko(\.xz|\.zst|\.gz)?$/.test(module) && keptModules.some((pattern) => pattern.test(module));
}

/** Lists of modules without a module are of no use. */
function orNone(modules: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return [...modules.keys()].some((path) => path.startsWith('kernel/')) ? modules : new Map();
}

/**
 * Places the files of a kernel as a cache entry has them.
 *
 * @returns paths in the package or folder, by those in the entry
 */
export function partsOf({ image, config, modules }: KernelFiles, release: string): ReadonlyMap<string, string> {
  return new Map([
    ['vmlinuz', image],
    ...(config === undefined ? [] : [['config', config] as const]),
    ...[...modules].map(([path, from]) => [`modules/lib/modules/${release}/${path}`, from] as const),
  ]);
}
