// The sandbox without bubblewrap: the kernel's Landlock, by the guest agent; and namespaces, where the user may make some.

import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from '../adapters/process.ts';
import type { Sandbox } from './sandbox.ts';
import { systemCallFilter } from './system-calls.ts';

const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];
/** Of the kernel's files what builds read; of others' processes Landlock shows no environment and no memory. */
const systemFiles = ['/proc', '/sys/kernel/btf', '/sys/devices/system/cpu', '/sys/fs/cgroup'];

/** Its own processes, messages and mounts, by util-linux. */
export const ownNamespaces = [
  ...['unshare', '--user', '--map-current-user', '--pid', '--ipc', '--mount', '--fork', '--kill-child', '--mount-proc'],
  '--',
];

/**
 * @param agent absolute path of the guest agent
 * @param hasNamespaces else what is left of the build's processes is looked for when it has ended
 */
export function landlockSandbox(agent: string, hasNamespaces: boolean): Sandbox {
  return {
    name: hasNamespaces ? 'Landlock and namespaces' : 'Landlock',
    async run(command, { read, write, home, temporary, cwd, variables }, options) {
      const access = join(home, '.access.json');
      const own = [write, home, temporary];
      await writeFile(
        access,
        JSON.stringify({
          ...{ read: [...read, ...systemFiles, ...own], write: own, devices, network: true },
          // Landlock has no rule for sockets that are found by a path.
          filter: systemCallFilter({ local: false }),
        }),
      );
      const userHome = variables.HOME ?? homedir();
      const environment = {
        // Tools find what they keep in a home folder all the same.
        ...{
          CARGO_HOME: join(userHome, '.cargo'),
          RUSTUP_HOME: join(userHome, '.rustup'),
          GOPATH: join(userHome, 'go'),
        },
        ...variables,
        ...{ HOME: home, TMPDIR: temporary },
      };
      const before = hasNamespaces ? ownNamespaces : [agent, 'supervise'];
      const [file = '', ...args] = [...before, agent, 'confine', access, 'bash', '-c', command];
      return await run(file, args, { ...options, cwd, env: {}, variables: environment });
    },
  };
}
