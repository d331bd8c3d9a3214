// @module-tag hostile

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InputError } from '../../src/common/errors.ts';
import { findReadable, projectOf } from '../../src/sandbox/readable-files.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bpfgate-access-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Makes empty files, with the folders above them, and returns their absolute paths. */
function files(...names: readonly string[]): string[] {
  return names.map((name) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    return path;
  });
}

/** The files that could be read. */
async function readableOf(
  paths: readonly string[],
  { own = [], ...variables }: { readonly own?: readonly string[] } & Readonly<Record<string, unknown>> = {},
): Promise<string[]> {
  const environment = { HOME: join(folder, 'home'), ...(variables as Record<string, string>) };
  const readable = await findReadable({ cache: { root: join(folder, 'cache') }, environment, own });
  return paths.filter((path) => readable.some((root) => path === root || path.startsWith(`${root}/`)));
}

describe('a project’s code can read', () => {
  test("what tools install in a home folder, without cargo's credentials", async () => {
    const tools = files('home/.rustup/toolchains/x', 'home/.cargo/bin/cargo', 'home/.cargo/registry/src/x');
    const others = files('home/.cargo/credentials.toml', 'home/.cargo/credentials', 'home/.ssh/id', 'home/notes');
    expect(await readableOf([...tools, ...others])).toEqual(tools);
    const [bin = '', token = ''] = files('elsewhere/bin/cargo', 'elsewhere/credentials.toml');
    expect(await readableOf([bin, token], { CARGO_HOME: join(folder, 'elsewhere') })).toEqual([bin]);
  });

  test('settings of tools in a home folder, unless they have credentials', async () => {
    const [settings = '', other = '', key = ''] = files(
      ...['home/.config/go/env', 'home/.config/go/telemetry', 'home/.local/share/uv/credentials/key'],
    );
    writeFileSync(settings, 'GOPROXY=https://proxy.example.org|direct\n');
    expect(await readableOf([settings, other, key])).toEqual([settings, other]);
    writeFileSync(settings, 'GOPROXY=https://user:canary@proxy.example.org\n');
    expect(await readableOf([settings, other, key])).toEqual([other]);
  });

  test("only the tool from a runner's folder", async () => {
    const [tool = '', checkout = '', project = ''] = files(
      ...['tools/actions-runner/_work/_tool/go/bin/go', 'tools/actions-runner/_work/r/r/.git/config', 'own/_work/x'],
    );
    files('tools/actions-runner/.runner');
    const environment = {
      PATH: `${dirname(tool)}:${join(folder, 'tools/actions-runner/bin')}`,
      own: [join(folder, 'own')],
    };
    files('tools/actions-runner/bin/x');
    expect(await readableOf([tool, checkout, project], environment)).toEqual([tool, project]);
  });

  test('a tool on PATH with the files next to it, but no home folder or its parent', async () => {
    const [program = '', library = '', other = ''] = files('node/bin/node', 'node/lib/x.js', 'other');
    const [script = '', private_ = ''] = files('home/bin/script', 'home/private');
    const path = [join(folder, 'node/bin'), join(folder, 'home/bin'), join(folder, 'home'), folder, ''].join(':');
    const all = [program, library, other, script, private_];
    expect(await readableOf(all, { PATH: path })).toEqual([program, library, script]);
  });

  test.each(['RUSTUP_HOME', 'GOROOT', 'LLVM_PREFIX', 'LIBCLANG_PATH', 'PKG_CONFIG_PATH', 'SSL_CERT_DIR'])(
    'a tool that %s names, but no home folder or its parent',
    async (name) => {
      const [tool = '', private_ = '', shown = '', other = ''] = files(
        'tool/x',
        'home/private',
        'home/llvm/x',
        'other',
      );
      symlinkSync(join(folder, 'home'), join(folder, 'link'));
      const variables = {
        [name]: ['tool', 'home', 'home/', 'link', 'home/llvm', '', '../..'].map((to) => join(folder, to)).join(':'),
      };
      expect(await readableOf([tool, private_, shown, other], variables)).toEqual([tool, shown]);
    },
  );

  test("Go's folders in GOPATH, also if that is the home folder", async () => {
    const shown = files('home/bin/x', 'home/pkg/mod/x', 'home/src/a/x.go', 'gopath/bin/x', 'home/go/bin/x');
    const hidden = files(
      'home/private',
      'gopath/private',
      'home/go/src/b/x.go',
      'home/src/example.org/a/b/.git/config',
    );
    const variables = {
      GOPATH: `${folder}/home:${folder}/gopath`,
      PATH: `${folder}/gopath/bin:${folder}/home/go/bin`,
    };
    expect(await readableOf([...shown, ...hidden], variables)).toEqual(shown);
  });

  test("tools and the guest's own files in the cache, but no other repository's builds", async () => {
    const [tool = '', own = '', other = ''] = files('cache/tools/x/bin/x', 'cache/builds/a/1/x', 'cache/builds/b/1/x');
    expect(await readableOf([tool, own, other], { own: [join(folder, 'cache/builds/a/1')] })).toEqual([tool, own]);
  });

  test("a project without git settings and without a runner's folders below it", async () => {
    const shown = files(
      ...['work/project/src/a', 'work/project/third/party/src/b', 'work/project/README'],
      ...['work/project/a/b/c/d/e/f/g/h/i/src/c', 'work/project/a/b/c/d/e/x'],
    );
    const hidden = files(
      ...['work/project/.git/config', 'work/project/third/party/.git/config', 'work/_temp/x'],
      ...['work/project/a/b/c/d/e/f/g/h/i/.git/config', 'work/project/a/b/c/d/e/f/.git'],
      ...['work/.credentials', 'work/project/.netrc'],
    );
    const variables = { own: [join(folder, 'work')], RUNNER_TEMP: join(folder, 'work/_temp') };
    expect(await readableOf([...shown, ...hidden], variables)).toEqual(shown);
  });

  test('no target of a link in a folder with secrets', async () => {
    const [, outside = ''] = files('work/.git/config', 'outside/key');
    symlinkSync(join(folder, 'outside'), join(folder, 'work/link'));
    expect(await readableOf([outside], { own: [join(folder, 'work')] })).toEqual([]);
  });

  test('its own tree, also in a folder for secrets', async () => {
    const [own = '', beside = ''] = files('temp/cache/builds/a/x', 'temp/event.json');
    const variables = { own: [dirname(own)], RUNNER_TEMP: join(folder, 'temp') };
    expect(await readableOf([own, beside], variables)).toEqual([own]);
  });

  test('what the operator names, except secrets, even the whole machine', async () => {
    const [data = '', key = ''] = files('home/corpus/data', 'home/.ssh/id');
    expect(await readableOf([data, key], { BPFGATE_GUEST_READ: `${folder}/home` })).toEqual([data]);
    const whole = await readableOf([data, key, '/proc/1/environ', '/sys/x', '/run/x', '/etc/passwd'], {
      BPFGATE_GUEST_READ: '/',
    });
    expect(whole).toEqual([data, '/etc/passwd']);
  });

  test("nothing if the operator's list is invalid", async () => {
    await expect(readableOf([], { BPFGATE_GUEST_READ: 'relative' })).rejects.toThrow(InputError);
    await expect(readableOf([], { BPFGATE_GUEST_READ: '/nonexistent/x' })).rejects.toThrow(
      /`\/nonexistent\/x`.*cannot/,
    );
  });

  test('the system settings that every user can read', async () => {
    const paths = ['/etc/passwd', '/etc/shadow', '/proc/self/environ', '/dev/mem', '/run/secrets/x', '/root/x'];
    expect(await readableOf(paths)).toEqual(['/etc/passwd']);
  });
});

describe('the project of a command', () => {
  test('is the repository around the folder, or else the folder', async () => {
    files('home/repository/.git/HEAD', 'home/repository/below/file', 'home/plain/file');
    const environment = { HOME: join(folder, 'home') };
    expect(await projectOf(join(folder, 'home/repository/below'), environment)).toEqual([
      join(folder, 'home/repository'),
    ]);
    expect(await projectOf(join(folder, 'home/plain'), environment)).toEqual([join(folder, 'home/plain')]);
  });

  test('is never the home folder or its parent, nor a folder of dotfiles', async () => {
    files('home/.git/HEAD', 'home/plain/file');
    const environment = { HOME: join(folder, 'home') };
    for (const cwd of ['/', folder, join(folder, 'home')]) expect(await projectOf(cwd, environment)).toEqual([]);
    expect(await projectOf(join(folder, 'home/plain'), environment)).toEqual([join(folder, 'home/plain')]);
  });
});
