import { describe, expect, test } from 'vitest';
import { KernelError } from '../../src/common/errors.ts';
import { partsOf, pickPackaged } from '../../src/kernels/package-files.ts';

const uname = '6.1.0-50-amd64';
const modulesIn = (root: string) => [
  `${root}lib/modules/${uname}/`,
  `${root}lib/modules/${uname}/kernel/`,
  `${root}lib/modules/${uname}/kernel/net/`,
  `${root}lib/modules/${uname}/kernel/net/9p/9pnet.ko`,
  `${root}lib/modules/${uname}/kernel/net/bluetooth/bluetooth.ko`,
  `${root}lib/modules/${uname}/kernel/drivers/net/veth.ko.xz`,
  `${root}lib/modules/${uname}/kernel/drivers/net/ethernet/intel/e1000/e1000.ko`,
  `${root}lib/modules/${uname}/kernel/drivers/gpu/drm/drm.ko`,
];
const listing = (root: string) => [
  'boot/',
  `boot/System.map-${uname}`,
  `boot/config-${uname}`,
  `boot/vmlinuz-${uname}`,
  ...modulesIn(root),
  `${root}lib/modules/${uname}/modules.builtin`,
];
/** Debian's packages from 6.19 on: image; configuration and lists; modules. */
const split = {
  binary: [`usr/lib/modules/${uname}/`, `usr/lib/modules/${uname}/vmlinuz`],
  base: [
    `usr/lib/modules/${uname}/`,
    `usr/lib/modules/${uname}/System.map`,
    `usr/lib/modules/${uname}/config`,
    `usr/lib/modules/${uname}/modules.builtin`,
  ],
  modules: [...modulesIn('usr/')],
};

const partsIn = (...listings: readonly (readonly string[])[]) => {
  const files = pickPackaged(listings.flat(), 'the package');
  return Object.fromEntries(partsOf(files, files.uname));
};
const modules = `modules/lib/modules/${uname}`;

describe('the files of a kernel', () => {
  test.each(['', 'usr/'])('are image, configuration and the useful modules below %slib', (root) => {
    const folder = `${root}lib/modules/${uname}`;
    expect(partsIn(listing(root))).toEqual({
      vmlinuz: `boot/vmlinuz-${uname}`,
      config: `boot/config-${uname}`,
      [`${modules}/kernel/net/9p/9pnet.ko`]: `${folder}/kernel/net/9p/9pnet.ko`,
      [`${modules}/kernel/drivers/net/veth.ko.xz`]: `${folder}/kernel/drivers/net/veth.ko.xz`,
      [`${modules}/modules.builtin`]: `${folder}/modules.builtin`,
    });
  });

  test('are found in the split packages, in whatever order they are pinned', () => {
    const folder = `usr/lib/modules/${uname}`;
    const { binary, base, modules: third } = split;
    expect(partsIn(third, base, binary)).toEqual(partsIn(binary, base, third));
    expect(partsIn(binary, base, third)).toEqual({
      vmlinuz: `${folder}/vmlinuz`,
      config: `${folder}/config`,
      [`${modules}/kernel/net/9p/9pnet.ko`]: `${folder}/kernel/net/9p/9pnet.ko`,
      [`${modules}/kernel/drivers/net/veth.ko.xz`]: `${folder}/kernel/drivers/net/veth.ko.xz`,
      [`${modules}/modules.builtin`]: `${folder}/modules.builtin`,
    });
  });

  test('are no lists of modules where there is no module', () => {
    expect(Object.keys(partsIn(split.binary, split.base))).toEqual(['vmlinuz', 'config']);
  });

  test.each([
    ['without an image', listing('').filter((name) => !name.includes('vmlinuz')), 'the package has no kernel'],
    ['with two', [...listing(''), 'boot/vmlinuz-other'], `has 2 kernels: ${uname}, other`],
    ['with two', [...listing(''), 'usr/lib/modules/other/vmlinuz'], `has 2 kernels: ${uname}, other`],
  ])('a package %s is refused', (_, names, why) => {
    expect(() => partsIn(names)).toThrow(KernelError);
    expect(() => partsIn(names)).toThrow(why);
  });
});
