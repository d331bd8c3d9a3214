// Commands: `bpfgate history`.

import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Command } from 'commander';
import { openRepository, readRepository } from '../adapters/git.ts';
import { packageRoot } from '../adapters/package-root.ts';
import { readFileBelow } from '../adapters/regular-file.ts';
import { InputError } from '../common/errors.ts';
import { TrendCollector } from '../history/collect-trend.ts';
import { folderOf } from '../history/history-files.ts';
import { repositoryPage } from '../history/repository-page.ts';
import { renderTrendPage } from '../history/trend-page.ts';
import { formatNumber } from '../report/numbers.ts';
import { countOf, toPlainLine } from '../report/plain-text.ts';
import { log, write, writeFileWhole } from './session.ts';

interface HistoryOptions {
  readonly html: string;
  readonly project: string;
  readonly branch: string;
  readonly import?: string;
}

/** Largest file of github-action-benchmark, in bytes: what GitHub lets a branch have. */
const maxImport = 100 * 1024 * 1024;

export function addHistory(program: Command): void {
  program
    .command('history')
    .description('draw the recorded history as a page: plots, their steps, and any two commits compared')
    .requiredOption('--html <file>', 'the page to write, self-contained')
    .option('--project <dir>', 'folder of the project', '.')
    .option('--branch <name>', 'branch with the history, of origin or local', 'bpfgate-history')
    .option('--import <file>', 'also what github-action-benchmark has kept: its data.js')
    .action(async ({ html, project, branch, import: imported }: HistoryOptions) => {
      const { root, projectPath } = await openRepository(project);
      const collector = new TrendCollector();
      for await (const lines of readHistory(project, branch, folderOf(projectPath))) collector.addLines(lines);
      if (imported !== undefined) {
        const text = await readFileBelow(dirname(imported), basename(imported), maxImport);
        if (text === undefined) {
          throw new InputError(`there is no file \`${imported}\``, { hint: 'give --import the path of a data.js' });
        }
        collector.addBenchmarkData(text, imported);
      }
      const [remote = ''] = (await readRepository(project, ['config', '--get', 'remote.origin.url'])) ?? [];
      const name = toPlainLine(join(basename(root), projectPath));
      const about = { project: name, repository: repositoryPage(remote) };
      const { index, parts } = collector.finish(about, await readCommits(project));
      const unread = countOf(index.unread, 'line');
      if (index.commits.length === 0) {
        const what = `the history of \`${name}\` has no values on branch \`${branch}\``;
        if (index.unread === 0) throw new InputError(what, { hint: 'give --project the folder that was recorded' });
        throw new InputError(`${what} that can be read, and ${unread} not read`, {
          hint: 'the lines are damaged, or a later version of bpfgate has recorded them: update bpfgate',
        });
      }
      const page = renderTrendPage(index, parts, {
        script: await readFile(join(packageRoot, 'dist', 'trend-page.js'), 'utf8'),
        digest: (text) => hash('sha256', text, 'base64'),
        compress: (text) => gzipSync(text, { level: 9 }).toString('base64'),
      });
      await writeFileWhole(html, page);
      if (index.unread > 0) log.warn(`${unread} of the history not read: damaged, or of a later version`);
      const size = `${formatNumber(page.length / 1e6, 1)} MB`;
      write(`${html}: ${countOf(index.plots.length, 'plot')} of ${countOf(index.commits.length, 'commit')}, ${size}`);
    });
}

/** Reads the files of a project's folder on the branch, each as its lines. */
export async function* readHistory(project: string, branch: string, folder: string): AsyncGenerator<string[]> {
  const verify = ['rev-parse', '--verify', '--quiet', '--end-of-options'];
  const found =
    (await readRepository(project, [...verify, `refs/remotes/origin/${branch}^{commit}`])) ??
    (await readRepository(project, [...verify, `${branch}^{commit}`]));
  const [commit] = found ?? [];
  if (commit === undefined) {
    throw new InputError(`there is no branch \`${branch}\` in this repository`, {
      hint: `git fetch origin ${branch}:refs/remotes/origin/${branch}; docs/history.md says what records it`,
    });
  }
  const entries = (await readRepository(project, ['ls-tree', '-r', '--full-tree', commit, '--', `${folder}/`])) ?? [];
  for (const entry of entries) {
    const [, id = '', path = ''] = /^100\d{3} blob ([0-9a-f]+)\t(.*)$/.exec(entry) ?? [];
    // Folders further down are other projects'.
    if (!path.startsWith(`${folder}/`) || !/^[^/]+\/[^/]+\.jsonl$/.test(path.slice(folder.length + 1))) continue;
    log.progress(path);
    const lines = await readRepository(project, ['cat-file', 'blob', id]);
    if (lines === undefined) {
      throw new InputError(`git cannot read \`${toPlainLine(path)}\` of branch \`${branch}\``, {
        hint: `fetch the branch with its files: git fetch --refetch --no-filter origin ${branch}`,
      });
    }
    yield lines;
  }
}

/** Reads what git knows of HEAD's commits. A shallow clone does not have them all. */
async function readCommits(project: string) {
  const [isShallow] = (await readRepository(project, ['rev-parse', '--is-shallow-repository'])) ?? [];
  const format = ['--topo-order', '--no-show-signature', '--format=%H %s'];
  const logged = (await readRepository(project, ['log', ...format, 'HEAD'])) ?? [];
  const subjects = new Map(
    logged.map((line) => {
      const end = line.indexOf(' ');
      return [line.slice(0, end), line.slice(end + 1)];
    }),
  );
  return { subjects, isWhole: isShallow === 'false' && subjects.size > 0 };
}
