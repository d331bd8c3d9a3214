import { describe, expect, test } from 'vitest';
import { hasNoAdvisories } from '../../scripts/audit/cargo-tools.ts';
import { judgeLicenses, judgeNpmAudit } from '../../scripts/audit/npm-packages.ts';

const integrity = 'sha512-AA==';
const lockOf = (packages: Record<string, object>) =>
  JSON.stringify({ packages: { '': { version: '1.0.0' }, ...packages } });

describe('licenses of npm packages', () => {
  test('permissive ones pass, alone, all of them or one of them', () => {
    const lock = lockOf({
      'node_modules/a': { version: '1.0.0', integrity, license: 'MIT' },
      'node_modules/b': { version: '1.0.0', integrity, license: '(Apache-2.0 AND BSD-3-Clause)' },
      'node_modules/c': { version: '1.0.0', integrity, license: '(GPL-3.0 OR MIT)' },
    });
    expect(judgeLicenses(lock, [])).toEqual([]);
  });

  test('others are reported, as is a package without a license', () => {
    const lock = lockOf({
      'node_modules/a': { version: '1.0.0', integrity, license: 'GPL-3.0' },
      'node_modules/@x/b': { version: '2.0.0', integrity, license: 'MIT AND GPL-3.0' },
      'node_modules/a/node_modules/c': { version: '3.0.0', integrity },
    });
    expect(judgeLicenses(lock, [])).toEqual([
      'a@1.0.0 has the license GPL-3.0',
      '@x/b@2.0.0 has the license MIT AND GPL-3.0',
      'c@3.0.0 states no license',
    ]);
  });

  test('weak copyleft is allowed for development only: nothing of it is in dist/', () => {
    const license = 'MPL-2.0';
    const lock = lockOf({
      'node_modules/a': { version: '1.0.0', integrity, license, dev: true },
      'node_modules/b': { version: '1.0.0', integrity, license },
    });
    expect(judgeLicenses(lock, [])).toEqual(['b@1.0.0 has the license MPL-2.0']);
  });

  test('an exception applies to one version, and is reported when it is unused', () => {
    const lock = lockOf({ 'node_modules/a': { version: '1.0.1', integrity, license: 'MIT/X11' } });
    expect(judgeLicenses(lock, [{ what: 'a@1.0.1', why: 'older name' }])).toEqual([]);
    expect(judgeLicenses(lock, [{ what: 'a@1.0.0', why: 'older name' }])).toEqual([
      'a@1.0.1 has the license MIT/X11',
      'the exception for a@1.0.0 is not needed any more',
    ]);
  });
});

describe('npm audit', () => {
  const advisory = {
    source: 1097682,
    name: 'semver',
    title: 'semver vulnerable to Regular Expression Denial of Service',
    url: 'https://github.com/advisories/GHSA-c2qf-rxjj-qqgw',
    severity: 'high',
  };
  const report = (vulnerabilities: object) => JSON.stringify({ auditReportVersion: 2, vulnerabilities });

  test('no vulnerability is no problem', () => {
    expect(judgeNpmAudit(report({}), [])).toEqual({ problems: [] });
  });

  test('an advisory is named once, at the package that it is about', () => {
    const printed = report({ semver: { via: [advisory] }, other: { via: ['semver'] } });
    const line = 'semver: semver vulnerable to Regular Expression Denial of Service (high), GHSA-c2qf-rxjj-qqgw';
    expect(judgeNpmAudit(printed, [])).toEqual({ problems: [line] });
    expect(judgeNpmAudit(printed, [{ what: 'GHSA-c2qf-rxjj-qqgw', why: 'of a test' }])).toEqual({ problems: [] });
    expect(judgeNpmAudit(report({}), [{ what: 'GHSA-c2qf-rxjj-qqgw', why: 'of a test' }])).toEqual({
      problems: ['the exception for GHSA-c2qf-rxjj-qqgw is not needed any more'],
    });
  });

  test('a registry without advisories is not a clean report', () => {
    const refused = JSON.stringify({ message: '405 Method Not Allowed', statusCode: 405 });
    expect(judgeNpmAudit(refused, [])).toEqual({ unavailable: '405 Method Not Allowed' });
    expect(judgeNpmAudit('', [])).toEqual({ unavailable: 'npm printed nothing' });
    expect(() => judgeNpmAudit(JSON.stringify({ auditReportVersion: 3 }), [])).toThrow('version 3');
  });
});

describe('an advisory database that cannot be downloaded', () => {
  test.each([
    "    Fetching advisory database from `https://github.com/RustSec/advisory-db.git`\nerror: couldn't fetch advisory database: git operation failed",
    '2026-11-22 06:59:02 [ERROR] failed to fetch advisory database https://github.com/RustSec/advisory-db with cli: failed to clone',
  ])('is distinguished from a finding: %s', (printed) => expect(hasNoAdvisories(printed)).toBe(true));

  test('a finding after the database was fetched is a finding', () => {
    const printed = `    Fetching advisory database from \`https://github.com/RustSec/advisory-db.git\`
      Loaded 1225 security advisories
Crate:     time
ID:        RUSTSEC-2020-0071

error: 1 vulnerability found!
`;
    expect(hasNoAdvisories(printed)).toBe(false);
  });
});
