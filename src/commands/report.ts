// Commands: `bpfgate report`.

import { hash } from 'node:crypto';
import { dirname, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { readProfiles, readResultFile } from '../adapters/result-files.ts';
import { InputError } from '../common/errors.ts';
import { EarlierValues } from '../history/earlier-values.ts';
import { folderOf } from '../history/history-files.ts';
import { exitCodeOf } from '../report/gate-verdict.ts';
import type { EarlierOf } from '../report/html.ts';
import { fileOfProfiles, joinResults } from '../report/join.ts';
import { buildReport } from '../report/report-model.ts';
import type { Results } from '../report/results.ts';
import { readHistory } from './history.ts';
import { type Format, formatOption } from './options.ts';
import { writeFileWhole } from './session.ts';
import { print } from './show-run.ts';

interface ReportOptions {
  readonly html?: string;
  readonly history?: string;
  readonly format: Format;
}

export function addReport(program: Command): void {
  program
    .command('report')
    .description('join the result files of a kernel matrix into one report; exits like the run it reports')
    .argument('<files...>', 'results.json files of one run, each of another kernel or shard')
    .option('--html <file>', 'also write the report as a self-contained page')
    .option('--history <branch>', "with --html: also draw the last commits, from this repository's history")
    .addOption(formatOption)
    .action(async (files: string[], options: ReportOptions) => {
      if (options.history !== undefined && options.html === undefined) {
        throw new InputError('--history needs --html: only the page shows the last commits', {
          hint: 'add --html FILE',
        });
      }
      const given = await Promise.all(files.map(async (file) => ({ file, results: await readResultFile(file) })));
      const results = joinResults(given);
      const fileOf = fileOfProfiles(given);
      const placeOf = (kernel: string, bench: string) => dirname(fileOf(kernel, bench) ?? '.');
      // A page's links start at the page's folder.
      const modelFor = (page: string) =>
        buildReport(results, {
          profilesIn: (kernel, bench) => relative(dirname(resolve(page)), resolve(placeOf(kernel, bench))),
        });
      if (options.html !== undefined) {
        // With a chart library, which nothing else needs.
        const { renderHtml } = await import('../report/html.ts');
        const profiles = await readProfiles(given);
        await writeFileWhole(
          options.html,
          renderHtml(modelFor(options.html), (file) => profiles.get(file), await readEarlier(results, options.history)),
        );
      }
      print(results, options.format, placeOf);
      process.exitCode = exitCodeOf(results);
    });
}

/** Reads what earlier commits had from a branch of the repository that the command runs in. */
async function readEarlier(results: Results, branch: string | undefined): Promise<EarlierOf | undefined> {
  if (branch === undefined) return undefined;
  const values = new EarlierValues(results, (text) => hash('sha256', text));
  for await (const lines of readHistory('.', branch, folderOf(results.project.projectPath))) values.addLines(lines);
  return (row, kernel) => values.of(row, kernel);
}
