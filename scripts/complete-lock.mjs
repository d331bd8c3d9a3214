// Repository chore: adds to package-lock.json the optional packages of other platforms that this machine's registry
// does not carry. `npm install` silently leaves them out, and `npm ci` then refuses the lock file.
// Run it after every `npm install` that changed the lock file. It changes nothing if nothing is missing.

import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const platform =
  /(android|darwin|freebsd|linux|openharmony|win32|wasm32|sunos|netbsd|openbsd|aix)-(\w+)(?:-(musl|gnu|msvc|eabi|gnueabihf|wasi))?$/;
const added = [];

for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '') continue;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const near = `${path}/node_modules/${name}`;
    const far = `node_modules/${name}`;
    const found = resolve(path, name);
    const [, os, cpu, libc] = platform.exec(name) ?? [];
    if (found?.version === version || os === undefined || !/^\d/.test(version)) continue;
    // Nested in the package that needs it if the top level has another version.
    lock.packages[lock.packages[far] === undefined ? far : near] = {
      version,
      dev: true,
      optional: true,
      ...(os === 'wasm32' ? { cpu: ['wasm32'] } : { cpu: [cpu], os: [os] }),
      ...(os === 'linux' && libc === 'musl' ? { libc: ['musl'] } : {}),
    };
    added.push(name);
  }
}

/** The entry that Node would find from a package's folder: in it, or in any folder above. */
function resolve(path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const entry = lock.packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`];
    if (entry !== undefined || folder === '') return entry;
  }
}

const { '': project, ...packages } = lock.packages;
const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = { '': project, ...Object.fromEntries(sorted) };
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? 'nothing to add' : `added ${added.join(', ')}`);
