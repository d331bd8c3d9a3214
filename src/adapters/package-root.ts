// Adapter: the place of bpfgate's own data files (kernels/, vm/, example-project/), both from source and from the
// bundle.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the folder that holds kernels/kernels.json. */
export const packageRoot = findPackageRoot(dirname(fileURLToPath(import.meta.url)));

function findPackageRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'kernels', 'kernels.json'))) return folder;
    if (dirname(folder) === folder) return start;
  }
}
