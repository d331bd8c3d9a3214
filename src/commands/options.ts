// Commands: options that several commands have, and parsers of their values.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { describeDetected } from '../inputs/detected.ts';
import { parseSeconds } from '../inputs/seconds.ts';
import { readPins } from '../kernels/pins.ts';
import { describeLeftOut } from '../kernels/select.ts';
import { type Inputs, runners, sandboxPolicies } from '../model/inputs.ts';
import { log, say } from './session.ts';

/** What `--kernels` accepts, for help. */
export const kernelSelectors =
  'selectors, such as 6.1,5.10..6.1,lts,latest,all; file:PATH of a kernel of yours, or the name of a [[kernel]]';

export const formats = ['text', 'json', 'markdown', 'sarif', 'veristat'] as const;
export type Format = (typeof formats)[number];

export const formatOption = new Option('--format <format>', 'what to print on stdout').choices(formats).default('text');

export const snapshotOption = new Option('--no-snapshot', 'boot every guest, and save no snapshot');

export const freshOption = new Option(
  '--fresh',
  'ignore cached builds and counts, and cache none: build and count both again',
);

export const auditOption = new Option(
  '--audit <percent>',
  'share of the cached counts to count again and compare (default: 5)',
)
  .argParser(parsePercent)
  .conflicts('fresh');

export const timeoutOption = new Option(
  '--timeout <seconds>',
  'time limit for one kernel, boot included (default: 1800)',
).argParser(parseTimeout);

export const runnerOption = () => new Option('--runner <runner>', 'what boots the guests').choices(runners);

/** Adds the options by which a project is found, built and measured. */
export function addProjectOptions(command: Command): Command {
  return command
    .option('--project <dir>', 'folder of the project', '.')
    .option(
      '--config <file>',
      'the configuration, relative to the project (default: bpfgate.toml, or what the build tool says)',
    )
    .addOption(timeoutOption)
    .addOption(
      new Option(
        '--sandbox <policy>',
        'whether the build on this host is sandboxed (default: auto, where it can be)',
      ).choices(sandboxPolicies),
    )
    .option(
      '--allow-project-registries',
      "download dependencies by the project's own settings and with your logins, for private registries: only where you trust the project's authors",
    )
    .addOption(snapshotOption);
}

/**
 * Prints which kernels the selectors leave out, if any.
 *
 * @param include the option that takes a list with the left-out kernels
 */
export function sayLeftOut(selectors: readonly string[], include: string): void {
  const line = describeLeftOut(selectors, readPins(), include);
  if (line !== undefined) say(line);
}

/** Prints the configuration that was detected, if any. */
export function sayDetected({ detected }: Inputs): void {
  if (detected === undefined) return;
  log.clear();
  process.stderr.write(`${describeDetected(detected)}\n`);
}

function parsePercent(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 100)) {
    throw new InvalidArgumentError('a number from 0 to 100 is needed.');
  }
  return value / 100;
}

export function parseTimeout(text: string): number {
  return parseSeconds(text, '--timeout');
}
