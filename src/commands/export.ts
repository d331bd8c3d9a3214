// Commands: `bpfgate export`.

import { type Command, Option } from 'commander';
import { readResultFile } from '../adapters/result-files.ts';
import { type ExportFormat, exportFormats, exportResults } from '../export/export.ts';
import { type RevisionName, revisionNames } from '../model/build.ts';
import { write } from './session.ts';

export function addExport(program: Command): void {
  program
    .command('export')
    .description("print one revision's measurements in another tool's format; for SARIF the findings")
    .argument('<file>', 'a results.json')
    .addOption(new Option('--format <format>', 'the format').choices(exportFormats).makeOptionMandatory())
    .addOption(new Option('--revision <revision>', 'revision to export (default: head)').choices(revisionNames))
    .action(async (file: string, options: { format: ExportFormat; revision?: RevisionName }) => {
      write(exportResults(await readResultFile(file), options.format, options.revision));
    });
}
