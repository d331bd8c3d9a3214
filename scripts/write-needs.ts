// Writes the table of docs/supply-chain.md that says which prerequisites are required and when, from the declaration in
// src/prerequisites/prerequisite.ts. With --check it fails if the table on disk differs.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../src/common/group-by.ts';
import { needs, type Prerequisite, prerequisiteGroups, prerequisites } from '../src/prerequisites/prerequisite.ts';

const page = join(import.meta.dirname, '../docs/supply-chain.md');
const [begin, end] = ['<!-- needs: written by scripts/write-needs.ts -->', '<!-- end of needs -->'];

const rows = prerequisiteGroups.map((group) => {
  const own = prerequisites.filter((prerequisite) => prerequisite.group === group);
  const what = groupBy(own, wayOf)
    .map((those) => `${those.slice(0, 1).map(wayOf)}: ${those.map(describe).join(', ')}`)
    .join('; ');
  // What a project needs is in its own files.
  return `| ${needs[group].when} | ${what === '' ? "apt: Debian's package with it" : what} |`;
});
const table = ['| needed when | what, and where it comes from |', '| - | - |', ...rows].join('\n');

const before = readFileSync(page, 'utf8');
const [head, rest] = before.split(begin);
const tail = rest?.split(end)[1];
if (head === undefined || tail === undefined) throw new Error(`${page} has no place for the table: ${begin}`);
const after = `${head}${begin}\n\n${table}\n\n${end}${tail}`;
if (!process.argv.includes('--check')) {
  writeFileSync(page, after);
} else if (after !== before) {
  console.error('the table in docs/supply-chain.md is out of date: run `node scripts/write-needs.ts`');
  process.exitCode = 1;
}

function wayOf(prerequisite: Prerequisite): string {
  switch (prerequisite.kind) {
    case 'program':
    case 'library':
      return 'apt';
    case 'rust':
      return 'the user';
    case 'rust-toolchain':
      return 'rustup';
    case 'rust-src':
      return "rustup, else Debian's package";
    case 'cargo-tool':
      return 'compiled from crates.io';
    case 'python-tool':
      return 'PyPI';
  }
}

function describe(prerequisite: Prerequisite): string {
  const { name } = prerequisite;
  switch (prerequisite.kind) {
    case 'program':
    case 'library':
      return `\`${name}\``;
    case 'rust':
      return prerequisite.minimum === null ? `\`${name}\`` : `\`${name}\` ${prerequisite.minimum} or newer`;
    case 'rust-toolchain':
      return `${name} with rust-src`;
    case 'cargo-tool':
      return name === 'bpf-linker'
        ? `${name} ${prerequisite.version}, where none on PATH reads what rustc writes`
        : `${name} ${prerequisite.version}`;
    case 'python-tool':
      return `${name} ${prerequisite.version}`;
    case 'rust-src':
      return name;
  }
}
