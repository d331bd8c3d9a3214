// Kernels, pure: the files of a kernel's packages that a benchmark VM needs. All files together are over 300 MB
// unpacked.

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
export const keptLists = ['modules.builtin', 'modules.builtin.modinfo', 'modules.order'];

export interface PackageFiles {
  /** Output of `uname -r` in this kernel. */
  readonly uname: string;
  /** Names as in the packages. */
  readonly image: string;
  readonly config: string;
  /** Folder of this kernel's modules, `./lib/modules/<uname>` or `./usr/lib/modules/<uname>`. */
  readonly modulesFolder: string;
  /** Everything to extract, including the files above. */
  readonly wanted: readonly string[];
}

/**
 * Finds the files to keep in the combined listings of a kernel's packages.
 *
 * Where Debian has one package, image and configuration are in /boot. Where it has several, they are among the modules:
 * `/usr/lib/modules/<uname>/vmlinuz` and `config`.
 *
 * @returns undefined when they hold no kernel: not exactly one image, no configuration or no module
 */
export function findPackageFiles(listing: readonly string[]): PackageFiles | undefined {
  const images = listing.filter((name) => imageName.test(name));
  const [image] = images;
  const [, inBoot, inModules] = imageName.exec(image ?? '') ?? [];
  const uname = inBoot ?? inModules;
  if (image === undefined || uname === undefined || images.length !== 1) return undefined;
  const names = new Set(listing);
  // Debian 13 and later put modules below /usr.
  const modulesFolder = [`./usr/lib/modules/${uname}`, `./lib/modules/${uname}`].find((folder) =>
    names.has(`${folder}/kernel/`),
  );
  if (modulesFolder === undefined) return undefined;
  const config = inBoot === undefined ? `${modulesFolder}/config` : `./boot/config-${uname}`;
  if (!names.has(config)) return undefined;
  const kept = listing.filter((name) => {
    if (!name.startsWith(`${modulesFolder}/`) || name.endsWith('/')) return false;
    const path = name.slice(modulesFolder.length + 1);
    return path.startsWith('kernel/') ? isKeptModule(path.slice('kernel/'.length)) : keptLists.includes(path);
  });
  return { uname, image, config, modulesFolder, wanted: [image, config, ...kept] };
}

const imageName = /^\.\/(?:boot\/vmlinuz-([^/]+)|(?:usr\/)?lib\/modules\/([^/]+)\/vmlinuz)$/;

/** @param path below the folder `kernel` of the modules */
export function isKeptModule(path: string): boolean {
  return /\.ko(\.xz|\.zst|\.gz)?$/.test(path) && keptModules.some((pattern) => pattern.test(path));
}
