// History: where lines are kept on the branch, and how they are added to a file.

import type { z } from 'zod';
import { groupBy } from '../common/group-by.ts';
import { formatLine, type HistoryLine, historyLineSchema, historySchemaName, parseJson } from './history-line.ts';

/** The folder of all projects on the branch. */
const root = 'history';

export interface HistoryFile {
  /** Path on the branch. */
  readonly path: string;
  /** Lines to add to those already there. */
  readonly lines: readonly HistoryLine[];
}

/**
 * A project's folder on the branch: `history`, `history/services/xdp`.
 *
 * No two projects have the same, and none has the name of another's file: characters that git, a shell or a file system
 * could misread are percent-encoded.
 *
 * @param projectPath relative to the repository's root; empty at the root
 */
export function folderOf(projectPath: string): string {
  return [root, ...projectPath.split('/').filter((part) => part !== '')].map(toSafeName).join('/');
}

/** Groups lines into files, one for each kernel and month of the commit. A file stays small, and a trend needs few. */
export function filesOf(projectPath: string, lines: readonly HistoryLine[]): HistoryFile[] {
  const folder = folderOf(projectPath);
  return groupBy(lines, (line) => pathOf(folder, line)).map((group) => ({
    path: pathOf(folder, group[0]),
    lines: group,
  }));
}

/**
 * Path of the file for a line.
 *
 * @param folder the project's
 */
export function pathOf(folder: string, { kernel, date }: Pick<HistoryLine, 'kernel' | 'date'>): string {
  // `6.1:source` is named as artifacts are: Windows has no colon in names.
  return `${folder}/${toSafeName(kernel.replaceAll(':', '-'))}/${date.slice(0, 7)}.jsonl`;
}

/** Encodes a name. A leading dot would make `.git` or `..`, and `.jsonl` at the end the name of a file. */
function toSafeName(name: string): string {
  const bytes = (text: string) =>
    [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
  return name === '' ? '%' : name.replaceAll(/[^\w.-]|^[.-]|\.(?=jsonl$)|\.$/gu, bytes);
}

/**
 * Adds lines to a file's text. An existing line for the same commit, kernel, lane, benchmark and measure is replaced in
 * its place, so recording a run again changes nothing. Every other line stays as it is, by any author.
 *
 * @param existing the file's text; null where there is none
 */
export function addLines(existing: string | null, lines: readonly HistoryLine[]): string {
  const added = new Map(lines.map((line) => [keyOf(line), formatLine(line)]));
  const replaced = new Set<string>();
  const kept = (existing ?? '').split('\n').flatMap((text) => {
    if (text === '') return [];
    const key = readKey(text);
    const line = key === null ? undefined : added.get(key);
    if (key === null || line === undefined) return [text];
    if (replaced.has(key)) return [];
    replaced.add(key);
    return [line];
  });
  const appended = [...added].flatMap(([key, line]) => (replaced.has(key) ? [] : [line]));
  return [...kept, ...appended].map((line) => `${line}\n`).join('');
}

const keySchema = historyLineSchema.pick({
  schema: true,
  commit: true,
  kernel: true,
  lane: true,
  benchmark: true,
  measure: true,
});

function keyOf({ commit, kernel, lane, benchmark, measure }: Omit<z.infer<typeof keySchema>, 'schema'>): string {
  return JSON.stringify([commit, kernel, lane, benchmark, measure]);
}

/** Null if it is not a line of this version. */
function readKey(text: string): string | null {
  const { data } = keySchema.safeParse(parseJson(text));
  return data === undefined ? null : keyOf(data);
}

/** README.md of a new branch. */
export const branchReadme = `# History

What bpfgate measured of each commit of the base branch, written by its step \`record\`. A line of a \`.jsonl\` file is one
value: a benchmark's measure on one kernel at one commit, as JSON of the schema \`${historySchemaName}\`
(\`schema/history-1.schema.json\` of bpfgate). Files are \`${root}/[PROJECT/]KERNEL/YEAR-MONTH.jsonl\`, by the month in which
the commit was made.

Lines of different fingerprints must not be compared with each other. \`docs/history.md\` of bpfgate says how a trend is
read. The branch is only added to; its commits share nothing with those of the project.
`;
