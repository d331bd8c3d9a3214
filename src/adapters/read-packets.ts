// Adapter: reads the packets that programs run on: bpfgate's own, and those of the project.

import { readdir, readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { InputError } from '../common/errors.ts';
import { maxCapture, maxPackets, parseCapture, usesStandardInputs } from '../inputs/packets.ts';
import type { Config, Packet } from '../model/inputs.ts';
import { packageRoot } from './package-root.ts';
import { readBytesBelow } from './regular-file.ts';

const folder = join(packageRoot, 'packets');
const extension = '.pcap';

/**
 * @param project absolute path
 * @throws InputError for a file that is missing or no capture file, for two packets of one name, or too many
 */
export async function readPackets(
  { file: config, packetFiles, ...given }: Pick<Config, 'file' | 'standardInputs' | 'benches' | 'packetFiles'>,
  project: string,
): Promise<readonly Packet[]> {
  const packets = usesStandardInputs(given) ? await readStandardPackets() : [];
  const names = new Set(packets.map(({ name }) => name));
  for (const { name, file, line } of packetFiles) {
    const where = `${config}:${line}: input \`${name}\``;
    const content = await readBytesBelow(project, normalize(file), maxCapture);
    if (content === undefined) {
      throw new InputError(`${where}: there is no file ${file} below the project`, {
        hint: 'give the path of a capture file of format pcap, from the folder of the project',
      });
    }
    const frames = parseCapture(content, `${where}, ${file}`);
    for (const [index, bytes] of frames.entries()) {
      const own = frames.length === 1 ? name : `${name}-${index + 1}`;
      if (names.has(own)) {
        throw new InputError(`${where}: there is another packet \`${own}\``, { hint: 'give it another name' });
      }
      names.add(own);
      packets.push({ name: own, bytes });
    }
  }
  if (packets.length > maxPackets) {
    throw new InputError(`${config}: ${packets.length} packets; allowed: at most ${maxPackets}`, {
      hint: 'give fewer, or set standard-inputs = false',
    });
  }
  return packets;
}

/** Reads bpfgate's own packets, each in a file that has its name. */
async function readStandardPackets(): Promise<Packet[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(extension)).sort();
  const packets = await Promise.all(
    files.map(async (name) => {
      const frames = parseCapture(await readFile(join(folder, name)), name);
      return frames.map((bytes) => ({ name: name.slice(0, -extension.length), bytes }));
    }),
  );
  return packets.flat();
}
