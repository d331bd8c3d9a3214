// Commands: `bpfgate report`.

import { dirname, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { readResultFile } from '../adapters/result-files.ts';
import { exitCodeOf } from '../report/gate-verdict.ts';
import { renderHtml } from '../report/html.ts';
import { fileOfProfiles, joinResults } from '../report/join.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { buildReport } from '../report/report-model.ts';
import { type Format, formatOption } from './options.ts';
import { writeFileWhole } from './session.ts';
import { print } from './show-run.ts';

export function addReport(program: Command): void {
  program
    .command('report')
    .description('join the result files of a kernel matrix into one report; exits like the run it reports')
    .argument('<files...>', 'results.json files of one run, each of another kernel or shard')
    .option('--html <file>', 'also write the report as a self-contained page')
    .option('--markdown <file>', 'also write the report as Markdown')
    .addOption(formatOption)
    .action(async (files: string[], options: { html?: string; markdown?: string; format: Format }) => {
      const given = await Promise.all(files.map(async (file) => ({ file, results: await readResultFile(file) })));
      const results = joinResults(given);
      const fileOf = fileOfProfiles(given);
      const folderOf = (kernel: string, bench: string) => dirname(fileOf(kernel, bench) ?? '.');
      // A page's links start at the page's folder.
      const modelFor = (page: string) =>
        buildReport(results, {
          profilesIn: (kernel, bench) => relative(dirname(resolve(page)), resolve(folderOf(kernel, bench))),
        });
      if (options.html !== undefined) await writeFileWhole(options.html, renderHtml(modelFor(options.html)));
      if (options.markdown !== undefined) {
        await writeFileWhole(options.markdown, renderMarkdown(modelFor(options.markdown)));
      }
      print(results, options.format, folderOf);
      process.exitCode = exitCodeOf(results);
    });
}
