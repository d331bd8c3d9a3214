// Writes tests/publish/github-api.json: the operations that bpfgate uses, with everything they refer to, extracted from
// GitHub's own OpenAPI description in npm's @octokit/openapi. That has 385 MB, so it is no dependency.
// Usage: node scripts/extract-github-api.mjs

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const version = '23.0.2';
const integrity = 'sha512-pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg==';
const operations = [
  'issues/list-comments',
  'issues/get-comment',
  'pulls/list',
  'pulls/get',
  'issues/create-comment',
  'issues/update-comment',
  'issues/delete-comment',
  'checks/create',
  'actions/list-workflow-run-artifacts',
  'actions/download-artifact',
  // Used by scripts/publish-assets.mjs.
  'repos/get-release-by-tag',
  'repos/create-release',
  'repos/update-release',
  'repos/delete-release',
  'repos/upload-release-asset',
  'repos/list-release-assets',
  'repos/delete-release-asset',
  'git/get-commit',
  'git/create-blob',
  'git/create-tree',
  'git/create-commit',
  'git/create-ref',
  'pulls/create',
];
/** Fields for human readers. */
const prose = new Set(['description', 'summary', 'externalDocs', 'tags', 'x-github', 'x-octokit', 'examples', 'title']);

const folder = mkdtempSync(join(tmpdir(), 'bpfgate-github-api-'));
try {
  execFileSync('npm', ['install', '--prefix', folder, '--no-save', `@octokit/openapi@${version}`], { stdio: 'ignore' });
  // npm has verified the unpacked files against this checksum, which comes from its registry.
  const installed = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')).packages;
  const received = installed['node_modules/@octokit/openapi'].integrity;
  if (received !== integrity) throw new Error(`@octokit/openapi ${version} has the checksum ${received}`);
  const file = join(folder, 'node_modules/@octokit/openapi/generated/api.github.com.json');
  const whole = JSON.parse(readFileSync(file, 'utf8'));
  const api = { openapi: whole.openapi, info: whole.info, paths: {}, components: {} };
  for (const [path, methods] of Object.entries(whole.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!operations.includes(operation.operationId)) continue;
      api.paths[path] ??= {};
      api.paths[path][method] = withoutProse(operation);
      addReferred(api.paths[path][method], whole, api);
    }
  }
  const example = (name) => whole.components.examples[name].value;
  const examples = {
    'x-example-comment': example('issue-comment'),
    'x-example-pull': example('pull-request-simple-items')[0],
    'x-example-pull-whole': example('pull-request'),
    'x-example-artifact': example('artifact-paginated').artifacts[0],
    'x-example-check': example('check-run-example-of-completed-conclusion'),
    'x-example-release': example('release'),
    'x-example-release-asset': example('release-asset-response-for-successful-upload'),
    'x-example-commit': example('git-commit'),
    'x-example-blob': example('short-blob'),
    'x-example-tree': example('git-tree'),
    'x-example-ref': example('git-ref'),
  };
  writeFileSync('tests/publish/github-api.json', `${JSON.stringify({ ...api, ...examples }, null, 1)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function withoutProse(value, parent = '') {
  if (Array.isArray(value)) return value.map((item) => withoutProse(item));
  if (typeof value !== 'object' || value === null) return value;
  // A property may have such a name.
  const isNamed = parent === 'properties';
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      !isNamed && prose.has(key) ? [] : [[key, withoutProse(item, key)]],
    ),
  );
}

function addReferred(value, whole, api) {
  if (typeof value !== 'object' || value === null) return;
  if (typeof value.$ref === 'string') {
    const [, , kind, name] = value.$ref.split('/');
    if (api.components[kind]?.[name] !== undefined) return;
    api.components[kind] ??= {};
    api.components[kind][name] = withoutProse(whole.components[kind][name]);
    addReferred(api.components[kind][name], whole, api);
    return;
  }
  for (const item of Object.values(value)) addReferred(item, whole, api);
}
