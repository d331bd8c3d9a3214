// The last step of .github/workflows/kernels.yml, where the token can write: makes a release from the files in a
// folder, and a pull request from the files that pin them. Plain JavaScript for Node 20 without any package, so that
// nothing is installed where that token is.
//
//   node scripts/publish-assets.mjs --assets DIR --change DIR --tag TAG
//
// `--change` is the output folder of `kernels:release -- pin`: `files/`, whole files by their paths; `removed`, one
// path per line; `notes.md`. Environment: GH_TOKEN, GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_SHA, GITHUB_REF_NAME.

import { createHash } from 'node:crypto';
import { existsSync, openAsBlob, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

/** Files that a release of kernels may change. */
const pinFiles = /^(kernels\/kernels\.json|vm\/programs\.json|dist\/[\w.-]+)$/;
const attempts = 3;

/**
 * @param given.pauseMs pause between requests that write, as GitHub asks
 * @param given.say receives progress, one line each
 * @returns the addresses of the release and the pull request
 */
export async function publishAssets(given) {
  const { assets, change, tag, apiUrl, token, repository, sha, base, pauseMs = 1000, say = console.error } = given;
  const repo = `${apiUrl}/repos/${repository}`;
  const files = readChange(change);
  const removed = readRemoved(change);
  for (const path of [...files.map(({ path }) => path), ...removed]) {
    if (!pinFiles.test(path)) throw new Error(`${path} is nothing that a release of kernels changes`);
  }
  if (await exists(`${repo}/releases/tags/${tag}`)) {
    throw new Error(`there is a release ${tag} already, and what a pin names never changes: choose another tag`);
  }
  const notes = readFileSync(join(change, 'notes.md'), 'utf8');
  const release = await send('POST', `${repo}/releases`, {
    tag_name: tag,
    target_commitish: sha,
    name: tag,
    body: notes.slice(0, 60_000),
    draft: true,
    make_latest: 'false',
  });
  try {
    const uploads = release.upload_url.replace(/\{.*\}$/, '');
    for (const name of readdirSync(assets).sort()) await upload(uploads, release.id, name);
    await send('PATCH', `${repo}/releases/${release.id}`, { draft: false, make_latest: 'false' });
  } catch (error) {
    // An incomplete draft would only obstruct the next attempt.
    await send('DELETE', `${repo}/releases/${release.id}`).catch(() => {});
    throw error;
  }
  const published = `${release.html_url.replace(/\/releases\/.*$/, '')}/releases/tag/${tag}`;
  if (files.length === 0 && removed.length === 0) return { release: published, pull: null };
  return { release: published, pull: await propose() };

  /** Makes the branch and the pull request. @returns its address */
  async function propose() {
    const { tree } = await send('GET', `${repo}/git/commits/${sha}`);
    const entries = [];
    for (const { path, file } of files) {
      const blob = await send('POST', `${repo}/git/blobs`, {
        content: readFileSync(file).toString('base64'),
        encoding: 'base64',
      });
      entries.push({ path, mode: '100644', type: 'blob', sha: blob.sha });
    }
    for (const path of removed) entries.push({ path, mode: '100644', type: 'blob', sha: null });
    const made = await send('POST', `${repo}/git/trees`, { base_tree: tree.sha, tree: entries });
    const message = `kernels: pin the files of release ${tag}`;
    const commit = await send('POST', `${repo}/git/commits`, { message, tree: made.sha, parents: [sha] });
    const branch = `pin-${tag}`;
    await send('POST', `${repo}/git/refs`, { ref: `refs/heads/${branch}`, sha: commit.sha });
    const body = `Fills in \`asset\` for what [${tag}](${published}) carries, with \`dist/\` rebuilt. Workflows do not start by themselves on a pull request of a workflow: close and open it again.`;
    try {
      const { html_url: url } = await send('POST', `${repo}/pulls`, { title: message, head: branch, base, body });
      return url;
    } catch (error) {
      throw new Error(
        `${error.message}\n  hint: the release is made and the branch ${branch} pushed: open the pull request by hand, or let workflows create them (Settings, Actions, General)`,
      );
    }
  }

  async function upload(uploads, id, name) {
    const file = join(assets, name);
    const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
    say(`uploading ${name} (${(statSync(file).size / 1e6).toFixed(1)} MB)`);
    const url = `${uploads}?name=${encodeURIComponent(name)}`;
    const asset = await attempt(async (time) => {
      if (time > 1) await removeHalf(id, name);
      return await request('POST', url, await openAsBlob(file), 'application/octet-stream');
    });
    if (asset.name !== name) throw new Error(`GitHub calls ${name} ${asset.name}: rename it`);
    if (asset.size !== statSync(file).size || (asset.digest ?? `sha256:${sha256}`) !== `sha256:${sha256}`) {
      throw new Error(`GitHub has received another file than ${name}`);
    }
  }

  /** Removes the remains of a failed upload with this name. */
  async function removeHalf(id, name) {
    const found = await request('GET', `${repo}/releases/${id}/assets?per_page=100`);
    for (const asset of found.filter((each) => each.name === name)) {
      await request('DELETE', `${repo}/releases/assets/${asset.id}`);
    }
  }

  async function exists(url) {
    try {
      await attempt(() => request('GET', url));
      return true;
    } catch (error) {
      if (error.status === 404) return false;
      throw error;
    }
  }

  function send(method, url, body) {
    return attempt(() => request(method, url, body && JSON.stringify(body), 'application/json'));
  }

  async function request(method, url, body, type) {
    if (method !== 'GET') await setTimeout(pauseMs);
    const response = await fetch(url, {
      method,
      body,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `token ${token}`,
        'user-agent': 'bpfgate',
        ...(body === undefined ? {} : { 'content-type': type }),
      },
    });
    const text = await response.text();
    if (response.ok) return text === '' ? null : JSON.parse(text);
    const failure = new Error(`${method} ${url}: HTTP ${response.status} ${text.slice(0, 500)}`);
    throw Object.assign(failure, { status: response.status });
  }

  /** Retries the work if the network or the server failed. */
  async function attempt(work) {
    for (let time = 1; ; time += 1) {
      try {
        return await work(time);
      } catch (error) {
        if ((error.status !== undefined && error.status < 500) || time === attempts) throw error;
        say(`${error.message}: trying again`);
        await setTimeout(pauseMs * 5 * time);
      }
    }
  }
}

function readChange(change) {
  const folder = join(change, 'files');
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return files.sort().map((file) => ({ file, path: relative(folder, file) }));
}

function readRemoved(change) {
  const file = join(change, 'removed');
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({
    options: { assets: { type: 'string' }, change: { type: 'string' }, tag: { type: 'string' } },
  });
  const { GH_TOKEN, GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_SHA, GITHUB_REF_NAME } = process.env;
  const given = { ...values, apiUrl: GITHUB_API_URL, token: GH_TOKEN, repository: GITHUB_REPOSITORY };
  const all = { ...given, sha: GITHUB_SHA, base: GITHUB_REF_NAME };
  const missing = Object.entries(all).filter(([, value]) => !value);
  if (missing.length > 0) {
    console.error(`nothing says ${missing.map(([name]) => name).join(', ')}; see the head of this file`);
    process.exit(2);
  }
  try {
    const { release, pull } = await publishAssets(all);
    console.log(`release: ${release}\npull request: ${pull ?? 'none, since nothing is to be changed'}`);
  } catch (error) {
    console.error(error.message);
    process.exit(3);
  }
}
