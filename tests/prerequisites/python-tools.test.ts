import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCache, publishEntry } from '../../src/cache/cache.ts';
import { isRoot } from '../../src/prerequisites/apt.ts';
import { optionalGroups, type PythonToolPrerequisite, prerequisites } from '../../src/prerequisites/prerequisite.ts';
import { checkPrerequisites, requirePrerequisites } from '../../src/prerequisites/prerequisites.ts';
import { installPythonTool, pythonToolKey } from '../../src/prerequisites/python-tools.ts';
import { renderPrerequisites } from '../../src/prerequisites/render.ts';

const tool = prerequisites.find(({ kind }) => kind === 'python-tool') as PythonToolPrerequisite;

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'bpfgate-prerequisites-'));
});
afterEach(() => rm(scratch, { recursive: true }));

test('virtme-ng is pinned by version and checksum', () => {
  expect(pythonToolKey(tool)).toBe('virtme-ng-1.42-99589f1f5d74');
  expect(tool.sha256).toMatch(/^[0-9a-f]{64}$/);
});

test('a missing virtme-ng has its install command, and is required only for its runner', async () => {
  const cache = openCache(join(scratch, 'cache'));
  await expect(requirePrerequisites(['virtme-ng'], { cache })).rejects.toMatchObject({
    message: expect.stringContaining('virtme-ng is missing'),
    hint: 'bpfgate doctor --install --runner virtme-ng',
  });
  const statuses = (await checkPrerequisites(['virtme-ng'], { cache })).filter(
    ({ prerequisite }) => prerequisite === tool,
  );
  expect(renderPrerequisites(statuses)).toMatch(/^ {2}absent {3}virtme-ng [\s\S]*nothing is missing$/m);
  const needed = optionalGroups.filter((group) => group !== 'virtme-ng');
  expect(renderPrerequisites(statuses, needed)).toMatch(/^ {2}missing {2}virtme-ng [\s\S]*\n1 missing;/m);
});

test('virtme-ng is found in the cache and comes first in PATH; one that does not run is missing', async () => {
  const install = (root: string, exitCode: number) =>
    publishEntry(openCache(root), 'tools', pythonToolKey(tool), async (folder) => {
      await mkdir(join(folder, 'bin'));
      await writeFile(join(folder, 'bin', tool.program), `#!/bin/sh\nexit ${exitCode}\n`, { mode: 0o755 });
    });
  await install(join(scratch, 'good'), 0);
  await install(join(scratch, 'bad'), 1);
  // Not this machine's environment, for which the tool may have been found already.
  const optional = { optional: ['virtme-ng'] as const, environment: { PATH: '/usr/bin:/bin' } };
  const good = await requirePrerequisites([], { cache: openCache(join(scratch, 'good')), ...optional });
  expect(good.env.PATH).toMatch(/^\S+?\/tools\/virtme-ng-1\.42-[0-9a-f]{12}\/bin:/);
  const bad = await requirePrerequisites([], { cache: openCache(join(scratch, 'bad')), ...optional });
  expect(bad.env.PATH).not.toContain('virtme-ng');
});

// A fake Python makes an environment, and a fake pip writes some bytes.
test.runIf(isRoot())(
  'an installation on a full disk names that disk, and the same call succeeds with free space',
  async () => {
    const pip = `#!/bin/sh
while [ "$1" != --target ]; do shift; done
mkdir "$2/bin" && head -c 8000 /dev/zero >"$2/data" 2>/dev/null && cp /bin/true "$2/bin/${tool.program}" || {
  echo 'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device' >&2; exit 1; }
`;
    const python = `#!/bin/sh
[ "$3" = venv ] || exit 1
mkdir -p "$4/bin" && ln -s '${join(scratch, 'pip')}' "$4/bin/python3"
`;
    await writeFile(join(scratch, 'pip'), pip, { mode: 0o755 });
    await mkdir(join(scratch, 'bin'));
    await writeFile(join(scratch, 'bin/python3'), python, { mode: 0o755 });
    const disk = join(scratch, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', disk]);
    try {
      const log = { progress: () => {}, warn: () => {} };
      const env = { PATH: `${join(scratch, 'bin')}:/usr/bin:/bin`, HOME: scratch };
      const given = { ...tool, module: null };
      const install = () => installPythonTool(given, { cache: openCache(join(disk, 'cache')), log, env });
      await expect(install()).rejects.toMatchObject({
        message: expect.stringMatching(
          /\/venv\/bin\/python3 -I -m pip install .*` failed:\nERROR: .* No space left on device$/,
        ),
        hint: expect.stringMatching(`^free space on the disk of \`${disk}/`),
      });
      execFileSync('mount', ['-o', 'remount,size=10m', disk]);
      await install();
    } finally {
      execFileSync('umount', [disk]);
    }
  },
);
