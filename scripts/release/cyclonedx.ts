// Release: software bills of materials in CycloneDX's JSON. Contains the part of the format that bpfgate's releases
// use. The same sources give the same bytes. Pure.

import { createHash } from 'node:crypto';

/** https://cyclonedx.org/docs/1.5/json/ */
export interface Bom {
  readonly $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json';
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.5';
  readonly serialNumber: string;
  readonly version: 1;
  readonly metadata: {
    readonly timestamp: string;
    readonly tools: readonly { readonly vendor: string; readonly name: string }[];
    readonly component: Component;
  };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

export interface Component {
  readonly 'bom-ref': string;
  readonly type: 'application' | 'library';
  readonly name: string;
  readonly version: string;
  /** `excluded`: only builds or tests use it, or nothing of it is reached. Default `required`. */
  readonly scope?: 'required' | 'excluded';
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: 'SHA-256' | 'SHA-512'; readonly content: string }[];
  readonly licenses?: readonly License[];
}

export type License =
  | { readonly expression: string }
  | { readonly license: { readonly id: string } | { readonly name: string } };

export interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

export interface BomContents {
  readonly component: Component;
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
  readonly tool: { readonly vendor: string; readonly name: string };
  /** Time of the commit, not of the run. */
  readonly timestamp: Date;
}

/** A bill whose bytes depend only on its contents: sorted, with a serial number derived from them. */
export function makeBom({ component, components, dependencies, tool, timestamp }: BomContents): Bom {
  const body = {
    metadata: { timestamp: timestamp.toISOString(), tools: [tool], component },
    components: components.toSorted((a, b) => compare(a['bom-ref'], b['bom-ref'])),
    dependencies: dependencies
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: [...new Set(dependsOn)].sort(compare) }))
      .sort((a, b) => compare(a.ref, b.ref)),
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}`,
    version: 1,
    ...body,
  };
}

export function serializeBom(bom: Bom): string {
  return `${JSON.stringify(bom, null, 2)}\n`;
}

/** A UUID of version 8 (RFC 9562), made from a hash. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Compares by code units, regardless of the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
