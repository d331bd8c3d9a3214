// Audit: judges the npm packages by their licenses and by the advisories that npm's registry knows. Pure.

/** An exception: what is accepted, and why. */
export interface Accepted {
  /** `NAME@VERSION` of a package, or the identifier of an advisory, `GHSA-…`. */
  readonly what: string;
  readonly why: string;
}

/** Licenses of packages whose code is or may be in dist/. They require their text, which dist/licenses.txt contains. */
export const runtimeLicenses = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];
/** Licenses of packages that only bpfgate's own development uses and no release contains. */
export const developmentLicenses = [...runtimeLicenses, 'CC0-1.0', 'MPL-2.0'];

interface LockedPackage {
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
}

/**
 * Lists the packages of a package-lock.json whose license is neither among those above nor accepted, and exceptions
 * that no package needs. Packages that are never installed have no checksum and are skipped: the lock file does not
 * know their licenses.
 *
 * @returns one line each
 */
export function judgeLicenses(lock: string, accepted: readonly Accepted[]): string[] {
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> };
  const installed = Object.entries(packages).filter(([path, { integrity }]) => path !== '' && integrity !== undefined);
  const problems = new Map<string, string>();
  for (const [path, { name = path.replace(/^.*node_modules\//, ''), version, license, dev = false }] of installed) {
    if (isAllowed(license, dev ? developmentLicenses : runtimeLicenses)) continue;
    problems.set(`${name}@${version}`, license === undefined ? 'states no license' : `has the license ${license}`);
  }
  const idle = accepted.filter(({ what }) => !problems.has(what));
  return [
    ...[...problems].filter(([id]) => !accepted.some(({ what }) => what === id)).map(([id, said]) => `${id} ${said}`),
    ...idle.map(({ what }) => `the exception for ${what} is not needed any more`),
  ];
}

/** Whether these licenses satisfy an SPDX expression. A nested expression may be refused although they satisfy it. */
function isAllowed(license: string | undefined, licenses: readonly string[]): boolean {
  if (license === undefined) return false;
  const all = license.replaceAll(/[()]/g, '').split(' AND ');
  return all.every((any) => any.split(' OR ').some((one) => licenses.includes(one.trim())));
}

interface AuditReport {
  readonly auditReportVersion?: number;
  readonly message?: string;
  readonly vulnerabilities?: Record<
    string,
    { readonly via: readonly (string | { readonly url: string; readonly title: string; readonly severity: string })[] }
  >;
}

/**
 * Extracts the advisories that are not accepted from the output of `npm audit --json`.
 *
 * @returns one line for each problem; or `unavailable`: why there is no report
 */
export function judgeNpmAudit(
  printed: string,
  accepted: readonly Accepted[],
): { readonly problems: readonly string[] } | { readonly unavailable: string } {
  let report: AuditReport;
  try {
    report = JSON.parse(printed);
  } catch {
    return { unavailable: printed.trim().split('\n').at(-1) || 'npm printed nothing' };
  }
  if (report.auditReportVersion === undefined) return { unavailable: report.message ?? 'npm printed no report' };
  if (report.auditReportVersion !== 2 || report.vulnerabilities === undefined) {
    throw new Error(`npm audit's report has version ${report.auditReportVersion}; 2 is understood`);
  }
  const problems = new Set<string>();
  const needed = new Set<string>();
  for (const [name, { via }] of Object.entries(report.vulnerabilities)) {
    for (const advisory of via) {
      // A name: the package is vulnerable because of a dependency, which has its own entry.
      if (typeof advisory === 'string') continue;
      const id = /GHSA-[\w-]+$/.exec(advisory.url)?.[0] ?? advisory.url;
      needed.add(id);
      if (accepted.some(({ what }) => what === id)) continue;
      problems.add(`${name}: ${advisory.title} (${advisory.severity}), ${id}`);
    }
  }
  for (const { what } of accepted) {
    if (!needed.has(what)) problems.add(`the exception for ${what} is not needed any more`);
  }
  return { problems: [...problems] };
}
