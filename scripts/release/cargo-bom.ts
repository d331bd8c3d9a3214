// Release: lists the crates of a workspace's Linux programs, from cargo's own metadata and its lock file. Pure.

import { parse } from 'smol-toml';
import { type Bom, type Component, makeBom } from './cyclonedx.ts';

export interface CargoBomOptions {
  /** Name of the whole, for readers. */
  readonly name: string;
  /** Output of `cargo metadata --locked --format-version 1 --filter-platform x86_64-unknown-linux-gnu`. */
  readonly metadata: string;
  /** Content of Cargo.lock. */
  readonly lock: string;
  /** Time of the commit. */
  readonly timestamp: Date;
}

interface Metadata {
  readonly packages: readonly {
    readonly id: string;
    readonly name: string;
    readonly version: string;
    readonly license: string | null;
    readonly source: string | null;
  }[];
  readonly workspace_members: readonly string[];
  readonly resolve: {
    readonly nodes: readonly {
      readonly id: string;
      readonly deps: readonly {
        readonly pkg: string;
        readonly dep_kinds: readonly { readonly kind: string | null }[];
      }[];
    }[];
  };
}

/**
 * The bill of a cargo workspace. Crates that only the members' tests and benchmarks depend on are `excluded`.
 *
 * @throws Error when a registry's crate has no checksum in the lock file
 */
export function makeCargoBom({ name, metadata, lock, timestamp }: CargoBomOptions): Bom {
  const { packages, workspace_members: members, resolve }: Metadata = JSON.parse(metadata);
  const checksums = readChecksums(lock);
  const byId = new Map(packages.map((crate) => [crate.id, crate]));
  const refOf = (id: string): string => {
    const crate = byId.get(id);
    if (crate === undefined) throw new Error(`cargo resolves ${id} and does not describe it`);
    return `pkg:cargo/${crate.name}@${crate.version}`;
  };
  const used = reach(members, resolve);
  const components = packages.map((crate): Component => {
    const content = checksums.get(`${crate.name}@${crate.version}`);
    if (crate.source !== null && content === undefined) {
      throw new Error(`${crate.name} ${crate.version} has no checksum in Cargo.lock`);
    }
    return {
      'bom-ref': refOf(crate.id),
      type: 'library',
      name: crate.name,
      version: crate.version,
      scope: used.has(crate.id) ? 'required' : 'excluded',
      purl: refOf(crate.id),
      ...(content === undefined ? {} : { hashes: [{ alg: 'SHA-256' as const, content }] }),
      // Older crates separate licenses with a slash, from before cargo adopted SPDX expressions.
      ...(crate.license === null ? {} : { licenses: [{ expression: crate.license.replaceAll('/', ' OR ') }] }),
    };
  });
  const versions = new Set(packages.filter(({ id }) => members.includes(id)).map(({ version }) => version));
  const ref = `workspace:${name}`;
  const version = [...versions].join(', ');
  return makeBom({
    component: { 'bom-ref': ref, type: 'application', name, version, purl: `pkg:generic/${name}@${version}` },
    components,
    dependencies: [
      { ref, dependsOn: members.map(refOf) },
      ...resolve.nodes.map(({ id, deps }) => ({ ref: refOf(id), dependsOn: deps.map(({ pkg }) => refOf(pkg)) })),
    ],
    tool: { vendor: 'rust-lang', name: 'cargo metadata' },
    timestamp,
  });
}

/** The crates that the members' programs and build scripts are made of, including the members. */
function reach(members: readonly string[], { nodes }: Metadata['resolve']): Set<string> {
  const depsOf = new Map(nodes.map(({ id, deps }) => [id, deps]));
  const found = new Set<string>();
  const left = [...members];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    const deps = depsOf.get(id) ?? [];
    left.push(...deps.filter(({ dep_kinds: kinds }) => kinds.some(({ kind }) => kind !== 'dev')).map(({ pkg }) => pkg));
  }
  return found;
}

/** SHA-256 of each crate of a registry, by `NAME@VERSION`. */
export function readChecksums(lock: string): Map<string, string> {
  const { package: crates } = parse(lock) as {
    package: { name: string; version: string; source?: string; checksum?: string }[];
  };
  return new Map(
    crates.flatMap(({ name, version, checksum }) => (checksum === undefined ? [] : [[`${name}@${version}`, checksum]])),
  );
}
