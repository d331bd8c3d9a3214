// Starts a workflow's step in its own process, as a runner does.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Step {
  readonly child: ReturnType<typeof spawn>;
  readonly folder: string;
  /** Returns the output so far. */
  readonly read: () => string;
}

export interface StepOptions {
  /** An empty folder; it gets the files that a runner has for a step: `output`, `summary.md`, `event.json`. */
  readonly folder: string;
  readonly workspace: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly event: unknown;
  /** GitHub's; empty if there is none. */
  readonly apiUrl: string;
  /** Default 20. */
  readonly runId?: number;
  /** Variables to add or override. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** @param entry the TypeScript file that the step's bundle is made of */
export async function startStep(
  entry: string,
  { folder, workspace, inputs, event, apiUrl, runId = 20, environment = {} }: StepOptions,
): Promise<Step> {
  await writeFile(join(folder, 'event.json'), JSON.stringify(event));
  await mkdir(join(folder, 'temp'), { recursive: true });
  for (const name of ['output', 'summary.md']) await writeFile(join(folder, name), '', { flag: 'a' });
  const child = spawn(process.execPath, [entry], {
    cwd: workspace,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOME: process.env.HOME,
      CARGO_HOME: process.env.CARGO_HOME,
      RUSTUP_HOME: process.env.RUSTUP_HOME,
      BPFGATE_CACHE: join(folder, 'cache'),
      GITHUB_ACTIONS: 'true',
      GITHUB_EVENT_PATH: join(folder, 'event.json'),
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
      GITHUB_TOKEN: 'canary',
      GITHUB_API_URL: apiUrl,
      GITHUB_SERVER_URL: apiUrl,
      GITHUB_EVENT_NAME: ['pull_request', 'workflow_run'].find((name) => Object.hasOwn(Object(event), name)) ?? 'push',
      GITHUB_REPOSITORY: 'example/xdp',
      GITHUB_SHA: 'c'.repeat(40),
      GITHUB_RUN_ID: String(runId),
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_WORKFLOW_REF: 'example/xdp/.github/workflows/gate.yml@refs/pull/7/merge',
      ACTIONS_RUNTIME_TOKEN: 'canary',
      RUNNER_TEMP: join(folder, 'temp'),
      ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return { child, folder, read: () => text };
}

export async function finishStep({ child, folder, read }: Step) {
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, stdout: read(), outputs: await readFile(join(folder, 'output'), 'utf8') };
}

/** @param outputs the content of a step's outputs file */
export function outputOf(outputs: string, name: string): string {
  return new RegExp(`^${name}<<(\\S+)\n([^]*?)\n\\1$`, 'm').exec(outputs)?.[2] ?? '';
}
