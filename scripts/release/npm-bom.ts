// Release: the packages that dist/ contains, from `npm sbom`. Pure.

import { type Bom, type Component, type License, makeBom } from './cyclonedx.ts';

export interface NpmBomOptions {
  readonly project: { readonly name: string; readonly version: string; readonly license: string };
  /** Output of `npm sbom --sbom-format cyclonedx --package-lock-only`. */
  readonly printed: string;
  /** Content of dist/licenses.txt. */
  readonly notices: string;
  /** Time of the commit. */
  readonly timestamp: Date;
}

interface NpmBom {
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  readonly components: readonly {
    /** `NAME@VERSION`, with the package's own name even if it is installed under another one. */
    readonly 'bom-ref': string;
    readonly version: string;
    readonly purl: string;
    readonly hashes?: Component['hashes'];
    readonly licenses?: readonly License[];
  }[];
  readonly dependencies: Bom['dependencies'];
}

/**
 * The bill of the JavaScript in a release. Leaves out everything that differs between npm versions, folders and runs.
 *
 * @throws Error when the bundle contains a package that npm does not know
 */
export function makeNpmBom({ project, printed, notices, timestamp }: NpmBomOptions): Bom {
  const { metadata, components: all, dependencies }: NpmBom = JSON.parse(printed);
  // npm 10 lists a package as often as it is installed.
  const unique = [...new Map(all.map((component) => [component['bom-ref'], component])).values()];
  const bundled = readNotices(notices);
  const components = unique.filter((component) => bundled.includes(component['bom-ref']));
  const refs = new Set([metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])]);
  const unknown = bundled.filter((id) => !refs.has(id));
  if (unknown.length > 0) throw new Error(`dist/licenses.txt has what npm does not list: ${unknown.join(', ')}`);
  return makeBom({
    component: {
      'bom-ref': metadata.component['bom-ref'],
      type: 'application',
      name: project.name,
      version: project.version,
      purl: `pkg:npm/${project.name}@${project.version}`,
      licenses: [{ expression: project.license }],
    },
    components: components.map(({ 'bom-ref': ref, version, purl, hashes, licenses }) => ({
      'bom-ref': ref,
      type: 'library',
      name: ref.slice(0, -`@${version}`.length),
      version,
      scope: 'required',
      purl,
      ...(hashes === undefined ? {} : { hashes }),
      ...(licenses === undefined ? {} : { licenses }),
    })),
    dependencies: [...refs].map((ref) => ({
      ref,
      dependsOn: dependencies
        .filter((dependency) => dependency.ref === ref)
        .flatMap(({ dependsOn = [] }) => dependsOn.filter((other) => refs.has(other))),
    })),
    tool: { vendor: 'npm', name: 'sbom' },
    timestamp,
  });
}

/** The packages whose code is in the bundle, `NAME@VERSION`, from the first line of each notice. */
export function readNotices(notices: string): string[] {
  return notices.split(/^-{80}\n\n/m).map((notice) => {
    const [, name, version] = /^(\S+) (\S+): /.exec(notice) ?? [];
    if (name === undefined) throw new Error(`no package and version: ${JSON.stringify(notice.slice(0, 80))}`);
    return `${name}@${version}`;
  });
}
