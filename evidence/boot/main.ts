// `npm run bench:boot`: measures the boot time of every way to boot, in one run. docs/benchmarks/boot.md shows it.

import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runScript } from '../../scripts/run-script.ts';
import { openLog } from '../../src/adapters/log.ts';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { runOrThrow } from '../../src/adapters/process.ts';
import { withTemporaryFolder } from '../../src/adapters/temporary-folder.ts';
import { openCache } from '../../src/cache/cache.ts';
import { MachineError } from '../../src/common/errors.ts';
import { chooseKernels } from '../../src/kernels/cached.ts';
import { fetchKernel } from '../../src/kernels/fetch.ts';
import { chooseAccelerator } from '../../src/vm/accelerator.ts';
import { withHost } from '../host.ts';
import { keepMeasured } from '../keep.ts';
import { readOptions, readPositive, withoutPaths } from '../options.ts';
import { formatLoad, readLoad } from '../record.ts';
import { runRounds, type Subject } from '../rounds.ts';
import {
  bootExec,
  bootFloor,
  bootIcountFloor,
  bootLane,
  bootVmtest,
  bootVng,
  bundleCli,
  freshSnapshot,
  makeFloorInitramfs,
  makeVmtestInitramfs,
  makeVng,
  prepareBoot,
  sizeOfSnapshot,
} from './subjects.ts';
import { bootTables, type SavedMachine, subjectNames } from './tables.ts';

/** Rounds of the subjects that take 20 s and more. A few are enough: no requirement is close to their times. */
const slowRounds = { icountFloor: 2, vng: 2 };

const { given, command } = readOptions('bench:boot', { kernels: '5.10,6.1,6.12', rounds: '5' }, ['seed']);

const log = openLog();
await runScript(log, async () => {
  const rounds = readPositive('rounds', given.rounds);
  const seed = given.seed === undefined ? Date.now() % 2 ** 32 : readPositive('seed', given.seed);
  const cache = openCache();
  const pins = chooseKernels([given.kernels], cache);

  await withHost(['virtme-ng'], { cache, log }, async (host) => {
    const bundles = join(packageRoot, 'node_modules', '.cache');
    await mkdir(bundles, { recursive: true });
    await withTemporaryFolder(join(bundles, 'bpfgate-boot-'), async (bundle) => {
      const cli = await bundleCli(bundle);
      const floor = await makeFloorInitramfs(host);
      const vng = await makeVng(host);
      const subjects: Subject[] = [];
      const saved: SavedMachine[] = [];
      for (const pin of pins) {
        const kernel = await fetchKernel(pin, { cache, log, signal: host.signal, environment: host.environment });
        const [exec, lane] = [await prepareBoot(host, kernel, 'tcg'), await prepareBoot(host, kernel, 'tcg-icount')];
        const choice = await chooseAccelerator(kernel, exec.initramfs, exec.qemu, host);
        if (choice.reason === null) {
          throw new MachineError('this benchmark compares emulated guests, and `bpfgate exec` takes KVM here', {
            hint: 'run it as a user who cannot open /dev/kvm',
          });
        }

        log.progress(`${pin.id}: saving the machines that the snapshots start from`);
        const execSnapshot = await freshSnapshot(host, exec);
        const execTimes = await bootExec(host, kernel, cli, 'boot, saving a snapshot');
        const laneSnapshot = await freshSnapshot(host, lane);
        const laneTimes = await bootLane(host, lane, 'boot, saving a snapshot');
        saved.push(
          { kernel: pin.id, way: 'bpfgate exec', bytes: await sizeOfSnapshot(execSnapshot), ...execTimes },
          { kernel: pin.id, way: 'instruction lane', bytes: await sizeOfSnapshot(laneSnapshot), ...laneTimes },
        );

        const stock = await makeVmtestInitramfs(host, kernel);
        const add = (name: string, boot: Subject['boot'], limit = rounds) =>
          subjects.push({ kernel: pin.id, name, boot, rounds: limit });
        add(subjectNames.floor, () => bootFloor(host, kernel, floor));
        add(subjectNames.icountFloor, () => bootIcountFloor(host, kernel, floor), slowRounds.icountFloor);
        add(subjectNames.vmtest, () => bootVmtest(host, kernel, stock));
        add(subjectNames.vng, () => bootVng(host, kernel, vng), slowRounds.vng);
        add(subjectNames.execCold, () => bootExec(host, kernel, cli, 'boot'));
        add(subjectNames.execSnapshot, () => bootExec(host, kernel, cli, 'snapshot'));
        add(subjectNames.laneCold, () => bootLane(host, lane, 'boot'));
        add(subjectNames.laneSnapshot, () => bootLane(host, lane, 'snapshot'));
      }

      const before = readLoad();
      const samples = await runRounds(subjects, { rounds, seed, log });
      const version = (await runOrThrow(vng, ['--version'], { env: host.environment }))
        .trim()
        .replace(/^virtme-ng /, '');
      await keepMeasured('boot', {
        command,
        qemu: host.versions.qemu,
        conditions: {
          rounds,
          seed,
          load: formatLoad(before),
          vmtest: host.versions.vmtest.trim().replace(/^vmtest /, ''),
          vng: version,
        },
        tables: bootTables({
          kernels: pins.map(({ id }) => id),
          samples: samples.map((sample) => ({
            ...sample,
            error: sample.error && withoutPaths(sample.error, [host.folder, cache.root, packageRoot, homedir()]),
          })),
          saved,
        }),
        out: given.out,
        log,
      });
    });
  });
});
