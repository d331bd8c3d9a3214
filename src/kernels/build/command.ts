// Source kernels: the command `bpfgate kernels build`.

import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hashFile } from '../../adapters/hash-file.ts';
import { InputError } from '../../common/errors.ts';
import type { CachedKernel, SourcePin } from '../../model/kernel.ts';
import { readPins } from '../pins.ts';
import { packAsset } from './asset.ts';
import { buildSourceKernel, buildTree, type SourceKernelOptions } from './source-kernel.ts';

export interface BuildRequest {
  /** `5.8` or `5.8:source`. */
  readonly selector: string;
  /** An unpacked tree to build instead of the pinned tarball. */
  readonly source?: string | undefined;
  /** File to write the built kernel to, for a release of bpfgate, or a folder in which it gets its default name. */
  readonly asset?: string | undefined;
}

/**
 * Installs the tools a build needs that are missing on this machine, then builds.
 *
 * @returns text to print: the kernel, and the asset if one was requested
 * @throws InputError when the selector names no kernel that can be built
 */
export async function buildOnRequest(request: BuildRequest, options: SourceKernelOptions): Promise<string> {
  const minor = /^(\d+\.\d+)(?::(?:source|tree))?$/.exec(request.selector)?.[1];
  if (minor === undefined) {
    throw new InputError(`"${request.selector}" is not one kernel to build`, {
      hint: 'give a minor version, such as 5.8',
    });
  }
  if (request.source !== undefined && request.asset !== undefined) {
    throw new InputError('--asset packs kernels of pinned tarballs; it does not go with --source');
  }
  const pin = request.source === undefined ? findSourcePin(minor) : undefined;
  const building = { ...options, install: true };
  if (pin === undefined) return line(await buildTree(request.source ?? '.', minor, building));

  const kernel = await buildSourceKernel(pin, building);
  if (request.asset === undefined) return line(kernel);
  const given = resolve(request.asset);
  const isFolder = (await stat(given).catch(() => undefined))?.isDirectory() === true;
  const asset = isFolder ? join(given, `bpfgate-linux-${pin.release}-x86_64.tar.xz`) : given;
  await packAsset(dirname(kernel.image), asset, options.signal);
  const { size } = await stat(asset);
  return `${line(kernel)}\nasset ${asset} ${await hashFile(asset)} ${size} bytes`;
}

function findSourcePin(minor: string): SourcePin {
  const pin = readPins().find((pin): pin is SourcePin => pin.origin === 'source' && pin.minor === minor);
  if (pin !== undefined) return pin;
  throw new InputError(`no tarball of ${minor} is pinned`, {
    hint: `unpack one and build it: bpfgate kernels build ${minor} --source DIR`,
  });
}

/** The id, the release, the image and its SHA-256. */
function line({ pin, image, imageSha256 }: CachedKernel): string {
  return `${pin.id} ${pin.release} ${image} ${imageSha256}`;
}
