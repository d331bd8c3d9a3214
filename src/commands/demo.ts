// Commands: `bpfgate demo`.

import type { Command } from 'commander';
import { defaultOut, readInputs } from '../adapters/read-inputs.ts';
import { installForGate } from '../gate/prepare.ts';
import { chooseKernels } from '../kernels/cached.ts';
import { demoBase, demoFailures, demoHead, exampleProject, makeDemoRepository } from './demo-project.ts';
import { auditOption } from './options.ts';
import { context, guestsWith, log, say } from './session.ts';
import { conclude, gate } from './show-run.ts';

interface DemoOptions {
  readonly audit?: number;
  readonly kernels: string;
  readonly out?: string;
}

export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('install what is missing and run the gate on the bundled example project with two planted regressions')
    .option('--kernels <list>', 'kernel selectors', '5.10,6.1')
    .option('--out <dir>', `folder for report.html, report.md and results.json (default: ${defaultOut})`)
    .addOption(auditOption)
    .action(async (options: DemoOptions) => {
      // Selectors are checked before anything is installed. The repository needs git, which is only installed afterwards.
      chooseKernels([options.kernels], context.cache);
      const given = { ...options, base: demoBase, head: demoHead };
      const read = (project: string) => readInputs({ ...given, project });
      const installing = await installForGate(await read(exampleProject), context);
      try {
        const project = await makeDemoRepository(context.cache);
        const inputs = await read(project);
        const run = await gate(inputs, guestsWith(installing.tools, options), { guestTools: installing.all });
        await conclude(run, 'text', inputs.out);
        say(`demo: the commands that repeat findings run in ${project}`);
        const failures = demoFailures(run.results);
        for (const failure of failures) log.warn(`demo: ${failure}`);
        if (failures.length === 0) {
          say('demo: both planted regressions were found on every kernel, and nothing else changed');
        }
        process.exitCode = failures.length === 0 ? 0 : 1;
      } finally {
        await installing.stop();
      }
    });
}
