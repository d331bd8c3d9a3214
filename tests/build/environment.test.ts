import { describe, expect, test } from 'vitest';
import { isPlainCargo } from '../../src/build/build-revisions.ts';
import { guestEnvironment, projectEnvironment } from '../../src/build/environment.ts';

/** A proxy with credentials, and registries; all are allowed on the host. */
const network = {
  http_proxy: 'http://u:canary@proxy:3128',
  https_proxy: 'u:canary@proxy:3128',
  no_proxy: 'localhost',
  CARGO_HTTP_PROXY: 'socks5://u:canary@proxy',
  GOPROXY: 'https://canary@goproxy.example',
  CARGO_REGISTRIES_A_INDEX: 'sparse+https://canary@a.example/index/',
  CARGO_NET_RETRY: '3',
  CARGO_REGISTRIES_B_INDEX: 'ssh://git:canary@b.example/index.git',
  RUSTUP_DIST_SERVER: 'https://u:c@n@ary@d/x@1',
};

describe('the build environment', () => {
  test('is an allow-list without secrets and without a shared target folder', () => {
    const environment = projectEnvironment({
      PATH: '/bin',
      HOME: '/root',
      RUSTFLAGS: '-g',
      CARGO_HOME: '/c',
      LC_ALL: 'C',
      GITHUB_TOKEN: 'x',
      'INPUT_GITHUB-TOKEN': 'x',
      CARGO_REGISTRY_TOKEN: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      CARGO_TARGET_DIR: '/shared',
      RUST_MY_PASSWORD: 'x',
    });
    expect(environment).toEqual({
      PATH: '/bin',
      HOME: '/root',
      RUSTFLAGS: '-g',
      CARGO_HOME: '/c',
      LC_ALL: 'C',
      CARGO_TERM_COLOR: 'never',
      CARGO_INCREMENTAL: '0',
    });
  });

  test.each([projectEnvironment, guestEnvironment])(
    'has the variables of `[build] env`, but no secret: %o',
    (environmentOf) => {
      const given = { VERSION: 'v1', GIT_AUTHOR_NAME: 'a', DEPLOY_TOKEN: 'canary', OTHER: 'canary' };
      const environment = environmentOf(given, ['DEPLOY_TOKEN', 'GIT_AUTHOR_NAME', 'NOT_SET', 'VERSION']);
      expect(environment).toMatchObject({ VERSION: 'v1', GIT_AUTHOR_NAME: 'a' });
      expect(environment).not.toHaveProperty('NOT_SET');
      expect(JSON.stringify(environment)).not.toContain('canary');
    },
  );

  test.each([projectEnvironment, guestEnvironment])('is the same text for variables in any order', (environmentOf) => {
    const text = (environment: Record<string, string>) => JSON.stringify(environmentOf(environment));
    expect(text({ PATH: '/bin', HOME: '/root', CC: 'gcc' })).toBe(text({ CC: 'gcc', HOME: '/root', PATH: '/bin' }));
  });

  test("has the download settings on the host, including a proxy's login", () => {
    expect(projectEnvironment(network)).toMatchObject(network);
  });

  test('has no proxy and no login in the guest, but the names of registries', () => {
    const environment = guestEnvironment(network);
    expect(JSON.stringify(environment)).not.toMatch(/canary|proxy:|ary@/);
    for (const name of ['http_proxy', 'https_proxy', 'no_proxy', 'CARGO_HTTP_PROXY']) {
      expect(environment).not.toHaveProperty(name);
    }
    expect(environment).toMatchObject({
      CARGO_REGISTRIES_A_INDEX: 'sparse+https://a.example/index/',
      CARGO_NET_RETRY: '3',
      GOPROXY: 'off',
      CARGO_REGISTRIES_B_INDEX: 'ssh://git@b.example/index.git',
      RUSTUP_DIST_SERVER: 'https://d/x@1',
    });
  });

  test('keeps cargo offline in the guest', () => {
    expect(guestEnvironment({ PATH: '/bin' })).toMatchObject({ CARGO_NET_OFFLINE: 'true', TMPDIR: '/tmp' });
  });
});

test.each([
  ['cargo build --release --locked && cargo bench --no-run', true],
  ['cargo +nightly build', true],
  ["CARGO_TARGET_X_RUSTFLAGS='-C debuginfo=2' cargo xtask x && cargo build", true],
  ["CARGO_TARGET_X_RUSTFLAGS='$(date)' cargo build", false],
  ['make', false],
  ['cargo build && cp a target/b', false],
  ['[ -f target/out ] || cargo build', false],
  ['cargo build; rm -rf src', false],
  ['cargo run -- $(date)', false],
])('%s is plain cargo: %s', (command, plain) => {
  expect(isPlainCargo(command)).toBe(plain);
});
