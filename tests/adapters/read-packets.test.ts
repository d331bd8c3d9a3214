import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/adapters/package-root.ts';
import { readPackets } from '../../src/adapters/read-packets.ts';

const folder = join(packageRoot, 'packets');
const project = mkdtempSync(join(tmpdir(), 'bpfgate-packets-'));
afterAll(() => rmSync(project, { recursive: true }));

const own = (name: string, file = 'own.pcap') => ({ name, file, line: 3 });
const read = (standardInputs: boolean, packetFiles: readonly ReturnType<typeof own>[]) =>
  readPackets({ file: 'bpfgate.toml', standardInputs, benches: [], packetFiles }, project);

test("bpfgate's own packets come first, by the names of their files; the project's follow", async () => {
  cpSync(join(folder, 'udp-64.pcap'), join(project, 'own.pcap'));
  const packets = await read(true, [own('mine')]);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.pcap'))
    .sort();
  expect(packets.map(({ name }) => name)).toEqual([...files.map((file) => file.slice(0, -5)), 'mine']);
  expect(packets.find(({ name }) => name === 'udp-64')?.bytes).toEqual(packets.at(-1)?.bytes);
  expect(await read(false, [own('mine')])).toHaveLength(1);
});

test('a file that is not there, leads out of the project, or has a name twice is an error', async () => {
  await expect(read(false, [own('a', 'no.pcap')])).rejects.toThrow(
    'bpfgate.toml:3: input `a`: there is no file no.pcap',
  );
  await expect(read(false, [own('a', '../own.pcap')])).rejects.toThrow('it is outside of the folder');
  await expect(read(true, [own('udp-64')])).rejects.toThrow('there is another packet `udp-64`');
});

const protocols: Readonly<Record<string, string>> = {
  arp: 'eth:ethertype:arp',
  dns: 'eth:ethertype:ip:udp:dns',
  'fragment-first': 'eth:ethertype:ip:data',
  'fragment-last': 'eth:ethertype:ip:data',
  gre: 'eth:ethertype:ip:gre:ip:tcp',
  icmp: 'eth:ethertype:ip:icmp:data',
  'ipv6-extension': 'eth:ethertype:ipv6:ipv6.dstopts:tcp',
  'ipv6-tcp': 'eth:ethertype:ipv6:tcp',
  'ipv6-udp': 'eth:ethertype:ipv6:udp:data',
  qinq: 'eth:ethertype:ieee8021ad:ethertype:vlan:ethertype:ip:tcp',
  runt: 'eth:ethertype:ip',
  'tcp-data-1500': 'eth:ethertype:ip:tcp:tls',
  'tcp-syn': 'eth:ethertype:ip:tcp',
  'udp-64': 'eth:ethertype:ip:udp:data',
  vlan: 'eth:ethertype:vlan:ethertype:ip:tcp',
  vxlan: 'eth:ethertype:ip:udp:vxlan:eth:ethertype:ip:tcp',
};

test.each(Object.keys(protocols))('tshark dissects %s without a fault, and its checksums are right', (name) => {
  const checks = ['ip', 'tcp', 'udp'].flatMap((each) => ['-o', `${each}.check_checksum:TRUE`]);
  const fields = ['frame.protocols', 'ip.checksum.status', 'tcp.checksum.status', 'udp.checksum.status'];
  const wanted = [...fields, 'icmp.checksum.status', '_ws.malformed'].flatMap((field) => ['-e', field]);
  const args = ['-r', join(folder, `${name}.pcap`), ...checks, '-T', 'fields', ...wanted];
  const { error, stdout, stderr } = spawnSync('tshark', args, { encoding: 'utf8' });
  expect(error).toBeUndefined();
  const [found, ...rest] = stdout.replace(/\n$/, '').split('\t');
  // Newer versions know a protocol of port 9.
  expect(found?.replace(/udp:discard$/, 'udp:data'), stderr).toBe(protocols[name]);
  const malformed = rest.pop();
  // Good is 1, of each header that has one; not verified is 2, in fragments.
  const statuses = rest
    .join(',')
    .split(',')
    .filter((status) => status !== '');
  expect(statuses.filter((status) => status !== '1')).toEqual([]);
  expect(malformed === '').toBe(name !== 'runt');
});
