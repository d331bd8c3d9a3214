// A fake program stands in for sudo. Nothing is closed to root, so a process without its capabilities asks, about a
// device of another user.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const source = join(import.meta.dirname, '../../src/vm/kvm-device.ts');
const nobody = 65534;
let folder: string;
let device: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bpfgate-kvm-device-'));
  device = join(folder, 'kvm');
  chmodSync(folder, 0o777);
  mkdirSync(join(folder, 'bin'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Makes a device in the test's folder, of which only the mode matters. */
function makeDevice(name: string, mode: number): void {
  execFileSync('mknod', [join(folder, name), 'c', '1', '3']);
  chmodSync(join(folder, name), mode);
  chownSync(join(folder, name), nobody, nobody);
}

/** Opens the device with a fake sudo that records its arguments, then does `work`. */
function open(work: string): { access: string; lines: string[]; asked: string | null } {
  writeFileSync(join(folder, 'bin/sudo'), `#!/bin/sh\nprintf '%s' "$*" >'${folder}/asked'\n${work}\n`, { mode: 0o755 });
  const script = `const { kvmAccess, openKvm } = await import(${JSON.stringify(source)});
const lines = [];
const log = { progress: (line) => lines.push(line), warn: (line) => lines.push(line) };
await openKvm({ log, environment: process.env }, ${JSON.stringify(device)});
console.log(JSON.stringify({ access: await kvmAccess(${JSON.stringify(device)}), lines }));`;
  const node = [process.execPath, '--input-type=module', '--eval', script];
  const said = execFileSync('setpriv', ['--bounding-set=-all', ...node], {
    env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
    encoding: 'utf8',
    cwd: '/',
  });
  const asked = join(folder, 'asked');
  return { ...JSON.parse(said), asked: existsSync(asked) ? readFileSync(asked, 'utf8').trim() : null };
}

describe.skipIf(process.getuid?.() !== 0)('the KVM device', () => {
  test('is opened by a sudo without a password', () => {
    makeDevice('closed', 0o600);
    makeDevice('open', 0o666);
    symlinkSync(join(folder, 'closed'), device);
    chmodSync(folder, 0o777);
    const { access, lines, asked } = open(`ln -sfn open '${device}'`);
    expect({ access, asked }).toEqual({ access: 'open', asked: `-n chmod 0666 ${device}` });
    expect(lines).toEqual([`opened ${device} until this machine's next start: sudo chmod 0666 ${device}`]);
  });

  test.each([
    ['echo "sudo: a password is required" >&2; exit 1', 'sudo: a password is required'],
    ['true', 'no effect'],
  ])('stays closed if sudo only runs `%s`, with the reason', (work, why) => {
    makeDevice('kvm', 0o600);
    expect(open(work)).toMatchObject({
      access: 'closed',
      lines: [`${device} stays closed, so guests are emulated: \`sudo chmod 0666 ${device}\`: ${why}`],
    });
  });

  test('is not touched if it is open, absent, or not a device', () => {
    expect(open('true')).toEqual({ access: 'absent', lines: [], asked: null });
    makeDevice('kvm', 0o666);
    expect(open('true')).toEqual({ access: 'open', lines: [], asked: null });
    rmSync(device);
    writeFileSync(device, '', { mode: 0o600 });
    chownSync(device, nobody, nobody);
    expect(open('true')).toEqual({ access: 'closed', lines: [], asked: null });
  });
});
