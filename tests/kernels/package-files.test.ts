import { describe, expect, test } from 'vitest';
import { findPackageFiles } from '../../src/kernels/package-files.ts';

const uname = '6.1.0-50-amd64';
const modulesIn = (root: string) => [
  `${root}/lib/modules/${uname}/`,
  `${root}/lib/modules/${uname}/kernel/`,
  `${root}/lib/modules/${uname}/kernel/net/`,
  `${root}/lib/modules/${uname}/kernel/net/9p/9pnet.ko`,
  `${root}/lib/modules/${uname}/kernel/net/bluetooth/bluetooth.ko`,
  `${root}/lib/modules/${uname}/kernel/drivers/net/veth.ko.xz`,
  `${root}/lib/modules/${uname}/kernel/drivers/net/ethernet/intel/e1000/e1000.ko`,
  `${root}/lib/modules/${uname}/kernel/drivers/gpu/drm/drm.ko`,
];
const listing = (root: string) => [
  './',
  './boot/',
  `./boot/System.map-${uname}`,
  `./boot/config-${uname}`,
  `./boot/vmlinuz-${uname}`,
  ...modulesIn(root),
  `${root}/lib/modules/${uname}/modules.builtin`,
];
/** Debian's packages from 6.19 on: image; configuration and lists; modules. */
const split = {
  binary: ['./', `./usr/lib/modules/${uname}/`, `./usr/lib/modules/${uname}/vmlinuz`],
  base: [
    './',
    `./usr/lib/modules/${uname}/`,
    `./usr/lib/modules/${uname}/System.map`,
    `./usr/lib/modules/${uname}/config`,
    `./usr/lib/modules/${uname}/modules.builtin`,
  ],
  modules: ['./', ...modulesIn('./usr')],
};

describe('findPackageFiles', () => {
  test.each(['.', './usr'])('finds image, configuration and the useful modules below %s/lib', (root) => {
    const folder = `${root}/lib/modules/${uname}`;
    expect(findPackageFiles(listing(root))).toEqual({
      uname,
      image: `./boot/vmlinuz-${uname}`,
      config: `./boot/config-${uname}`,
      modulesFolder: folder,
      wanted: [
        `./boot/vmlinuz-${uname}`,
        `./boot/config-${uname}`,
        `${folder}/kernel/net/9p/9pnet.ko`,
        `${folder}/kernel/drivers/net/veth.ko.xz`,
        `${folder}/modules.builtin`,
      ],
    });
  });

  test('finds them in the split packages, in whatever order they are pinned', () => {
    const folder = `./usr/lib/modules/${uname}`;
    const { binary, base, modules } = split;
    const wanted = [
      `${folder}/vmlinuz`,
      `${folder}/config`,
      `${folder}/kernel/net/9p/9pnet.ko`,
      `${folder}/kernel/drivers/net/veth.ko.xz`,
      `${folder}/modules.builtin`,
    ];
    for (const listings of [
      [binary, base, modules],
      [modules, base, binary],
    ]) {
      const files = findPackageFiles(listings.flat());
      expect(files).toMatchObject({
        uname,
        image: `${folder}/vmlinuz`,
        config: `${folder}/config`,
        modulesFolder: folder,
      });
      expect([...(files?.wanted ?? [])].sort()).toEqual([...wanted].sort());
    }
  });

  test.each([
    ['image', [split.base, split.modules]],
    ['configuration', [split.binary, split.modules]],
    ['modules', [split.binary, split.base]],
  ])('split packages without the one with the %s hold no kernel', (_, listings) => {
    expect(findPackageFiles(listings.flat())).toBeUndefined();
  });

  test('a package without image or without modules, or with two images, holds no kernel', () => {
    expect(findPackageFiles(listing('.').filter((name) => !name.includes('vmlinuz')))).toBeUndefined();
    expect(findPackageFiles(listing('.').filter((name) => !name.includes('modules')))).toBeUndefined();
    expect(findPackageFiles([...listing('.'), './boot/vmlinuz-other'])).toBeUndefined();
    expect(findPackageFiles([...listing('.'), './usr/lib/modules/other/vmlinuz'])).toBeUndefined();
  });
});
