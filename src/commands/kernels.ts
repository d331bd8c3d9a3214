// Commands: `bpfgate kernels`.

import { readFileSync, statSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { GateError } from '../common/errors.ts';
import { buildOnRequest } from '../kernels/build/command.ts';
import { cachedKernel, findUnreadable, listTreeKernels, verifyKernel } from '../kernels/cached.ts';
import { fetchKernel } from '../kernels/fetch.ts';
import { type CacheState, listKernels, renderKernels } from '../kernels/list.ts';
import { compareKernels, readMissing, readPins } from '../kernels/pins.ts';
import type { KernelPin } from '../model/kernel.ts';
import { verifyBootImage } from '../vm/boot-image.ts';
import { chooseGivenKernels } from './choose-kernels.ts';
import { sayLeftOut } from './options.ts';
import { context, explain, write } from './session.ts';

export function addKernels(program: Command): void {
  const kernels = program.command('kernels').description('the kernels that can be booted').exitOverride();
  const selectorHelp = 'selectors such as 6.1, 6.1:source, 5.10..6.1, lts, latest, all, file:PATH';

  kernels
    .command('list')
    .description('print the kernels, what each lets BPF programs do, and whether it is cached (default: all there are)')
    .argument('[selectors...]', selectorHelp)
    .addOption(new Option('--format <format>', 'what to print on stdout').choices(['text', 'json']).default('text'))
    .action(async (selectors: string[], options: { format: 'text' | 'json' }) => {
      const list = listKernels(await allOrChosen(selectors), readMissing(), readCacheState);
      write(options.format === 'json' ? JSON.stringify(list, null, 2) : renderKernels(list));
    });

  kernels
    .command('fetch')
    .description('bring kernels into the cache: fetched and verified, then unpacked or built')
    .argument('[selectors...]', selectorHelp, ['lts'])
    .action(async (selectors: string[]) => {
      sayLeftOut(selectors, 'bpfgate kernels fetch');
      for (const pin of await chooseGivenKernels(selectors, 'kernels fetch')) {
        const kernel = await fetchKernel(pin, context);
        write(`${pin.id} ${kernel.pin.release} ${kernel.image}`);
      }
    });

  kernels
    .command('build')
    .description('compile a kernel from its pinned tarball, or from an unpacked tree, into the cache')
    .argument('<selector>', 'a minor version, such as 5.8')
    .option('--source <dir>', 'build this unpacked tree; it is then selected as 5.8:tree')
    .option('--asset <file>', 'also pack the kernel into this file, or into this folder, and print its SHA-256')
    .action(async (selector: string, options: { source?: string; asset?: string }) => {
      write(await buildOnRequest({ selector, ...options }, context));
    });

  kernels
    .command('verify')
    .description(
      'check the pins, and cached kernels against the sums recorded when they were made (default: all there are)',
    )
    .argument('[selectors...]', selectorHelp)
    .action(async (selectors: string[]) => {
      const broken = new Map<string, GateError>();
      const note = (error: unknown) => {
        if (!(error instanceof GateError)) throw error;
        broken.set(error.message, error);
        return 'broken';
      };
      // The pins themselves were checked when they were read.
      for (const pin of await allOrChosen(selectors)) {
        write(`${pin.id} ${pin.release} ${await verifyCached(pin).catch(note)}`);
      }
      if (selectors.length === 0) findUnreadable(context.cache).forEach(note);
      for (const error of broken.values()) process.exitCode = explain(error);
    });
}

async function verifyCached(pin: KernelPin): Promise<'not cached' | 'ok'> {
  const kernel = await verifyKernel(pin, context.cache);
  if (kernel === undefined) return 'not cached';
  await verifyBootImage(kernel, context.cache);
  return 'ok';
}

/** Returns all kernels if none is chosen: unlike `all`, also those that are no minor version's default. */
async function allOrChosen(selectors: readonly string[]): Promise<KernelPin[]> {
  const pins =
    selectors.length === 0
      ? [...readPins(), ...listTreeKernels(context.cache)].sort(compareKernels)
      : await chooseGivenKernels(selectors, 'kernels');
  // The version of a user's package is known once it is in the cache.
  return pins.map((pin) => (pin.origin === 'own' ? (cachedOwn(pin) ?? pin) : pin));
}

function cachedOwn(pin: KernelPin): KernelPin | undefined {
  try {
    return cachedKernel(pin, context.cache)?.pin;
  } catch {
    return undefined; // Each command reports an entry that cannot be read.
  }
}

function readCacheState(pin: KernelPin): CacheState | undefined {
  try {
    const kernel = cachedKernel(pin, context.cache);
    if (kernel === undefined) return undefined;
    return {
      broken: false,
      config: kernel.config === undefined ? undefined : readFileSync(kernel.config, 'utf8'),
      imageBytes: statSync(kernel.image).size,
    };
  } catch {
    return { broken: true };
  }
}
