import { describe, expect, test } from 'vitest';
import { isPlainCargo } from '../../src/build/build-revisions.ts';
import { guestEnvironment, projectEnvironment } from '../../src/build/environment.ts';

describe('the environment of builds', () => {
  test('is an allow-list without secrets and without a shared target folder', () => {
    const environment = projectEnvironment({
      ...{ PATH: '/bin', HOME: '/root', RUSTFLAGS: '-g', CARGO_HOME: '/c', LC_ALL: 'C' },
      ...{ GITHUB_TOKEN: 'x', 'INPUT_GITHUB-TOKEN': 'x', CARGO_REGISTRY_TOKEN: 'x', AWS_SECRET_ACCESS_KEY: 'x' },
      ...{ CARGO_TARGET_DIR: '/shared', RUST_MY_PASSWORD: 'x' },
    });
    expect(environment).toEqual({
      ...{ PATH: '/bin', HOME: '/root', RUSTFLAGS: '-g', CARGO_HOME: '/c', LC_ALL: 'C' },
      ...{ CARGO_TERM_COLOR: 'never', CARGO_INCREMENTAL: '0' },
    });
  });

  test('keeps cargo off the network in the guest', () => {
    expect(guestEnvironment({ PATH: '/bin' })).toMatchObject({ CARGO_NET_OFFLINE: 'true', TMPDIR: '/tmp' });
  });
});

test.each([
  ['cargo build --release --locked && cargo bench --no-run', true],
  ['cargo +nightly build', true],
  ['make', false],
  ['cargo build && cp a target/b', false],
  ['[ -f target/out ] || cargo build', false],
  ['cargo build; rm -rf src', false],
  ['cargo run -- $(date)', false],
])('%s is plain cargo: %s', (command, plain) => {
  expect(isPlainCargo(command)).toBe(plain);
});
