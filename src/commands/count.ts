// Commands: `bpfgate count`.

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Command, Option } from 'commander';
import { readInputs } from '../adapters/read-inputs.ts';
import { InputError } from '../common/errors.ts';
import { installForGate } from '../gate/prepare.ts';
import { runGate } from '../gate.ts';
import { readPins } from '../kernels/pins.ts';
import { publishRun } from '../publish/write-outputs.ts';
import { renderCounts } from '../report/count-table.ts';
import { addsUp, renderInside } from '../report/inside-table.ts';
import { serializeResults } from '../report/results-schema.ts';
import { auditOption, freshOption, kernelSelectors, sayLeftOut, snapshotOption, timeoutOption } from './options.ts';
import { context, type GuestOptions, guestsWith, write } from './session.ts';
import { gate, printVeristat } from './show-run.ts';

const countFormats = ['text', 'json', 'veristat'] as const;

interface CountOptions extends GuestOptions {
  readonly kernels?: string;
  readonly out?: string;
  readonly format: (typeof countFormats)[number];
  readonly timeout?: number;
  readonly inside?: true;
}

export function addCount(program: Command): void {
  program
    .command('count')
    .description('install what is missing, and print whether each program of BPF objects loads and what it costs')
    .argument('<object...>', 'object files, or globs in quotes: `*` matches within and across folders')
    .option('--kernels <list>', `${kernelSelectors} (default: lts)`)
    .option('--out <dir>', 'folder for report.html, report.md and results.json (default: none is written)')
    .addOption(timeoutOption)
    .addOption(snapshotOption)
    .addOption(freshOption)
    .addOption(auditOption)
    .option(
      '--inside',
      'also print where the instructions of each run go: by source line, and by called function (not in JSON)',
    )
    .addOption(new Option('--format <format>', 'what to print on stdout').choices(countFormats).default('text'))
    .action(async (objects: string[], { kernels, out, format, timeout, inside, ...options }: CountOptions) => {
      refuseKernels(objects, kernels);
      // A path may contain a comma.
      const given = { headObjects: `${objects.join('\n')}\n`, kernels, out: out ?? tmpdir() };
      const inputs = await readInputs(given, (option) => (option === 'head-objects' ? 'count' : `--${option}`));
      sayLeftOut(inputs.kernels, '--kernels');
      const { tools, all: guestTools, stop } = await installForGate(inputs, context);
      const guests = { ...guestsWith(tools, options), inside: inside === true };
      const count = out === undefined ? runGate : gate;
      const run = await count(inputs, guests, { guestTools, kernelTimeoutMs: timeout && timeout * 1000 }).finally(stop);
      if (format === 'veristat') printVeristat(run.results);
      else if (format === 'json') write(serializeResults(run.results));
      else write(renderCounts(run.results) + (inside ? `\n${renderInside(run.inside, run.results)}` : ''));
      if (out !== undefined) await publishRun(run, inputs.out);
      context.signal.throwIfAborted();
      const isWhole = run.results.kernels.every(({ error }) => error === null) && addsUp(run.inside);
      process.exitCode = !isWhole ? 3 : run.results.measurements.length === 0 ? 4 : 0;
    });
}

/** Refuses the id of a kernel among objects, as `--kernels 6.1 6.12` puts it there. */
function refuseKernels(objects: readonly string[], kernels: string | undefined): void {
  const ids = objects.filter((word) => readPins().some(({ id }) => id === word) && !existsSync(word));
  if (ids.length === 0) return;
  const list = [...(kernels === undefined ? [] : [kernels]), ...ids].join(',');
  throw new InputError(`count: there is no file \`${ids[0]}\``, {
    hint: `separate kernels by commas: --kernels ${list}`,
  });
}
