// Makes one entry of every kind that needs no guest, in the cache of its environment. power-cut.ts kills this program
// at each of its steps.

import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCache, publishEntry } from '../../src/cache/cache.ts';
import { fetchKernel } from '../../src/kernels/fetch.ts';
import { readPins } from '../../src/kernels/pins.ts';
import { makeBootImage } from '../../src/vm/boot-image.ts';
import { makeInitramfs } from '../../src/vm/initramfs.ts';
import { addSnapshot } from '../../src/vm/snapshot.ts';

const cache = openCache();
const pin = readPins().find(({ id }) => id === '6.1');
if (pin === undefined) throw new Error('kernel 6.1 is not pinned');
const environment = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
const kernel = await fetchKernel(pin, { cache, log: { progress() {}, warn() {} } });
await makeBootImage(kernel, cache, environment);
await makeInitramfs(kernel, cache, environment);
// Stands in for a saved machine, which QEMU would write.
const kind = join('snapshots', 'kind');
await addSnapshot({ cache, kind, key: 'old' }, (file) => writeFile(file, 'QEVM old'));
await addSnapshot({ cache, kind, key: 'new' }, async (file) => {
  for (let part = 0; part < 4; part += 1) await appendFile(file, part === 0 ? 'QEVM' : 'part'.repeat(1000));
});
await publishEntry(cache, 'nested', 'key', async (folder) => {
  await mkdir(join(folder, 'a', 'b'), { recursive: true });
  await writeFile(join(folder, 'a', 'first'), 'first');
  await writeFile(join(folder, 'a', 'b', 'second'), 'second');
});
