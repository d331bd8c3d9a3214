// Sandbox: the one without bubblewrap. The guest agent confines a build by the kernel's Landlock, and by namespaces
// where the user may make them.

import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from '../adapters/process.ts';
import type { Sandbox } from './sandbox.ts';
import { systemCallFilter } from './system-calls.ts';

const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];
/** Kernel files that builds read. Landlock hides the environment and the memory of other processes. */
const systemFiles = ['/proc', '/sys/kernel/btf', '/sys/devices/system/cpu', '/sys/fs/cgroup'];

/** Command of util-linux that gives a build its own processes, messages and mounts. */
export const ownNamespaces = [
  ...['unshare', '--user', '--map-current-user', '--pid', '--ipc', '--mount', '--fork', '--kill-child', '--mount-proc'],
  '--',
];

/**
 * @param agent absolute path of the guest agent
 * @param hasNamespaces whether namespaces work; otherwise the build's remaining processes are looked for after its end
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
          read: [...read, ...systemFiles, ...own],
          write: own,
          devices,
          network: true,
          // Landlock has no rule for sockets that are found by a path.
          filter: systemCallFilter({ local: false }),
        }),
      );
      const userHome = variables.HOME ?? homedir();
      const environment = {
        // Tools still find what they keep in the user's home folder.
        CARGO_HOME: join(userHome, '.cargo'),
        RUSTUP_HOME: join(userHome, '.rustup'),
        GOPATH: join(userHome, 'go'),
        ...variables,
        HOME: home,
        TMPDIR: temporary,
      };
      const before = hasNamespaces ? ownNamespaces : [agent, 'supervise'];
      const [file = '', ...args] = [...before, agent, 'confine', access, 'bash', '-c', command];
      return await run(file, args, { ...options, cwd, env: {}, variables: environment });
    },
  };
}
