import { describe, expect, test } from 'vitest';
import { findPackageFiles } from '../../src/kernels/package-files.ts';

const listing = (root: string) => [
  './',
  './boot/',
  './boot/System.map-6.1.0-50-amd64',
  './boot/config-6.1.0-50-amd64',
  './boot/vmlinuz-6.1.0-50-amd64',
  `${root}/lib/modules/6.1.0-50-amd64/`,
  `${root}/lib/modules/6.1.0-50-amd64/kernel/net/`,
  `${root}/lib/modules/6.1.0-50-amd64/kernel/net/9p/9pnet.ko`,
  `${root}/lib/modules/6.1.0-50-amd64/kernel/net/bluetooth/bluetooth.ko`,
  `${root}/lib/modules/6.1.0-50-amd64/kernel/drivers/net/veth.ko.xz`,
  `${root}/lib/modules/6.1.0-50-amd64/kernel/drivers/net/ethernet/intel/e1000/e1000.ko`,
  `${root}/lib/modules/6.1.0-50-amd64/kernel/drivers/gpu/drm/drm.ko`,
  `${root}/lib/modules/6.1.0-50-amd64/modules.builtin`,
];

describe('findPackageFiles', () => {
  test.each(['.', './usr'])('finds image, configuration and the useful modules below %s/lib', (root) => {
    const folder = `${root}/lib/modules/6.1.0-50-amd64`;
    expect(findPackageFiles(listing(root))).toEqual({
      uname: '6.1.0-50-amd64',
      image: './boot/vmlinuz-6.1.0-50-amd64',
      config: './boot/config-6.1.0-50-amd64',
      modulesFolder: folder,
      wanted: [
        './boot/vmlinuz-6.1.0-50-amd64',
        './boot/config-6.1.0-50-amd64',
        `${folder}/kernel/net/9p/9pnet.ko`,
        `${folder}/kernel/drivers/net/veth.ko.xz`,
        `${folder}/modules.builtin`,
      ],
    });
  });

  test('a package without image or without modules holds no kernel', () => {
    expect(findPackageFiles(listing('.').filter((name) => !name.includes('vmlinuz')))).toBeUndefined();
    expect(findPackageFiles(listing('.').filter((name) => !name.includes('modules')))).toBeUndefined();
    expect(findPackageFiles([...listing('.'), './boot/vmlinuz-other'])).toBeUndefined();
  });
});
