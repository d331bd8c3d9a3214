// `npm run e2e:act-kernels`: runs kernels.yml with nektos/act on this machine, dispatched for one kernel, whose tarball
// comes from Debian's package linux-source. The kernel is built and booted, then released with its Debian package,
// agent, plugin and vmtest to a GitHub on loopback that checks every request against GitHub's own API description. A bpfgate
// with the pull request's files then fetches all of them. Takes a quarter of an hour on two cores. Plain JavaScript for
// Node 20, because it runs before anything is installed.
//
// Difference from GitHub: act cannot get GitHub's own actions here, so stand-ins copy artifacts and attest nothing.
//
//   --keep   leave the temporary folder

import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/pinned-node.mjs';
import { capture, check, cloneWorkingTree, fail, finish, gitIn, prepareAct, runAct } from './act.mjs';
import { startGitHub } from './project.mjs';

const minor = '6.1';
const repository = 'somebody/packets';
const tag = 'kernels-test';

const { values: options } = parseArgs({ options: { keep: { type: 'boolean', default: false } } });
const prepared = prepareAct({ keep: options.keep });
const { cache, temporary } = prepared;
const project = join(temporary, 'checkout');
const git = gitIn(project, temporary);
const own = join(temporary, 'cache');
// Files that other runs have made; no kernels, programs or downloads.
for (const kind of ['agent', 'initramfs', 'plugin', 'tools']) {
  if (!existsSync(join(cache, kind))) continue;
  mkdirSync(own, { recursive: true });
  capture('cp', ['--archive', '--link', join(cache, kind), join(own, kind)]);
}
const tarball = fetchTarball();
cloneWorkingTree(git, { project, repository, build: true, change: () => pinTarball(tarball) });
const github = await startGitHub();

const event = join(temporary, 'dispatch.json');
const inputs = { kernels: `${minor},${minor}:source`, release: tag };
const repo = { full_name: repository, default_branch: 'main' };
writeFileSync(event, JSON.stringify({ inputs, ref: 'refs/heads/main', repository: repo }));
const store = join(temporary, 'store');
mkdirSync(store);
const done = await runAct(prepared, {
  project,
  workflow: '.github/workflows/kernels.yml',
  on: 'workflow_dispatch',
  event,
  artifacts: join(temporary, 'artifacts'),
  replaced: standIns(),
  args: [
    ...[
      '--secret',
      'GITHUB_TOKEN=ghs_test',
      '--env',
      `GITHUB_API_URL=${github.url}`,
      '--env',
      `STAND_IN_STORE=${store}`,
    ],
    // act takes inputs from these options; it reads those in the event only for expressions.
    ...Object.entries(inputs).flatMap(([name, value]) => ['--input', `${name}=${value}`]),
  ],
});
check('the workflow passes', done.exitCode === 0);
check('every request was as GitHub describes it', github.violations().length === 0);
for (const violation of github.violations()) console.log(violation);
const [release, ...more] = github.releases();
const image = `bpfgate-linux-${tarball.release}-x86_64.tar.xz`;
check(`one release of ${tag} is published`, release?.tag === tag && release.draft === false && more.length === 0);
for (const name of ['bpfgate-agent-x86_64', 'bpfgate-plugin-x86_64', image, 'vmtest-x86_64']) {
  check(`it has ${name}`, release?.assets.includes(name) === true);
}
check("it has Debian's package", release?.assets.some((name) => /^linux-image-.*\.deb$/.test(name)) === true);
const [proposal] = github.proposals();
check('a pull request to main pins them', proposal?.base === 'main');
for (const path of ['dist/', 'kernels/kernels.json', 'vm/programs.json']) {
  check(`it changes ${path}`, proposal?.files.some((file) => file.startsWith(path)) === true);
}
check('what was attested is what was released', attested() === String(release?.assets.toSorted()));

const saved = join(temporary, 'saved');
await github.set({ save: saved });
await fetchReleased();
github.stop();
finish(1);

/** Puts Debian's source tarball into the cache as a complete download, so that kernel.org is not used. */
function fetchTarball() {
  const folder = join(temporary, 'source');
  mkdirSync(folder);
  const name = `linux-source-${minor}`;
  capture('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', name], { cwd: folder });
  const [file] = readdirSync(folder);
  const version = capture('dpkg-deb', ['--field', join(folder, file), 'Version']);
  capture('dpkg-deb', ['--extract', join(folder, file), folder]);
  const path = join(folder, 'usr/src', `${name}.tar.xz`);
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
  mkdirSync(join(own, 'downloads'), { recursive: true });
  const download = join(own, 'downloads', sha256);
  renameSync(path, download);
  // It has its package's old timestamp, and old downloads are removed.
  utimesSync(download, new Date(), new Date());
  return { release: /^\d+\.\d+\.\d+/.exec(version)?.[0] ?? fail(`${name} has version ${version}`), sha256 };
}

function pinTarball({ release, sha256 }) {
  const file = join(project, 'kernels/kernels.json');
  const pins = JSON.parse(readFileSync(file, 'utf8'));
  const entry = pins.kernels.find((each) => each.minor === minor);
  const url = entry.source.url.replace(/linux-[^/]*$/, `linux-${release}.tar.xz`);
  Object.assign(entry.source, { release, url, sha256, agreeing: ["Debian's package linux-source"] });
  writeFileSync(file, JSON.stringify(pins, null, 2));
}

/** Makes stand-ins for GitHub's own actions, by their names in the workflow. @returns their folders */
function standIns() {
  const scripts = {
    'actions/cache': 'true',
    'actions/upload-artifact': 'mkdir -p "$STAND_IN_STORE/$NAME" && cp -R "$FROM/." "$STAND_IN_STORE/$NAME"',
    // The caller gives either a name or a pattern.
    'actions/download-artifact':
      'mkdir -p "$TO" && for folder in "$STAND_IN_STORE"/$PATTERN$NAME; do cp -R "$folder/." "$TO"; done',
    'actions/attest': 'ls $SUBJECT >"$STAND_IN_STORE/attested"',
  };
  const inputs = { path: '', key: '', name: '', pattern: '', 'merge-multiple': '', 'if-no-files-found': '' };
  const all = { ...inputs, 'compression-level': '', 'subject-path': '' };
  const env = { NAME: 'name', FROM: 'path', TO: 'path', PATTERN: 'pattern', SUBJECT: 'subject-path' };
  const text = readFileSync(join(project, '.github/workflows/kernels.yml'), 'utf8');
  return Object.fromEntries(
    Object.entries(scripts).map(([uses, run]) => {
      const folder = join(temporary, 'stand-ins', uses);
      mkdirSync(folder, { recursive: true });
      const step = {
        shell: 'bash',
        run,
        env: Object.fromEntries(Object.entries(env).map(([name, input]) => [name, `\${{ inputs.${input} }}`])),
      };
      const declared = Object.fromEntries(Object.keys(all).map((name) => [name, { description: name, default: '' }]));
      const action = { name: uses, description: uses, inputs: declared, runs: { using: 'composite', steps: [step] } };
      // JSON is valid YAML.
      writeFileSync(join(folder, 'action.yml'), JSON.stringify(action));
      const commit = new RegExp(`${uses}@([0-9a-f]{40})`).exec(text)?.[1] ?? fail(`kernels.yml uses no ${uses}`);
      return [`${uses}@${commit}`, folder];
    }),
  );
}

/** The sorted names of the files given to the attest stand-in. */
function attested() {
  const file = join(store, 'attested');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return String(lines.map((line) => line.replace(/^.*\//, '')).sort());
}

/** Runs a bpfgate with the pull request's files, an empty cache and no Rust, against a server that has the release. */
async function fetchReleased() {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    const name = decodeURIComponent(request.url?.replace(`/${repository}/releases/download/${tag}/`, '') ?? '');
    const file = join(saved, 'assets', name);
    if (name.includes('/') || !existsSync(file)) response.writeHead(404).end();
    else createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  cpSync(join(saved, 'files'), project, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  const env = {
    HOME: join(temporary, 'home'),
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    BPFGATE_CACHE: join(temporary, 'empty'),
    GITHUB_ACTION_REPOSITORY: repository,
    GITHUB_SERVER_URL: `http://127.0.0.1:${server.address().port}`,
  };
  const node = capture('node', ['--print', 'process.execPath']);
  const runIt = (...args) =>
    new Promise((resolve) => {
      execFile(node, args, { cwd: project, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
        console.error(stderr);
        resolve({ code: error === null ? 0 : (error.code ?? 1), stdout });
      });
    });
  const fetched = await runIt('dist/cli.js', 'kernels', 'fetch', minor, `${minor}:source`);
  check('both kernels are fetched from the release', fetched.code === 0 && asked.length === 2);
  const install = `import { openCache } from './src/cache/cache.ts'; import { installDemands } from './src/gate/prepare.ts';
    import { guestDemands } from './src/prerequisites/gate-needs.ts'; import { listMissing } from './src/vm/programs.ts';
    const cache = openCache();
    const context = { cache, environment: process.env, log: { progress: console.error, warn: console.error } };
    const programs = ['bpfgate-agent', 'bpfgate-plugin'];
    const find = async () => guestDemands({ programsToBuild: await listMissing(programs, context) });
    await installDemands(find, context);`;
  const installed = await runIt('--input-type=module', '--eval', install);
  check('without Rust agent, plugin and vmtest come from it as well', installed.code === 0 && asked.length === 5);
  const booted = await runIt('dist/cli.js', 'exec', '--kernel', `${minor}:source`, '--', 'uname', '-r');
  check('the kernel boots with them', booted.code === 0 && booted.stdout.startsWith(tarball.release));
  check(
    'nothing but the release was asked',
    asked.every((url) => url.startsWith(`/${repository}/releases/download/`)),
  );
  check('no rustc was there', spawnSync('rustc', ['-V'], { env }).error !== undefined);
  await new Promise((resolve) => server.close(resolve));
}
