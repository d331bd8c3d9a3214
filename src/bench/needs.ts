// Bench: benchmarks that a bench leaves out because the running kernel is too old for them.

import { BenchError } from '../common/errors.ts';
import { compareVersions } from '../common/versions.ts';
import type { BenchFormat } from '../model/inputs.ts';
import { prefixOf, readLines } from './output.ts';

/** Maps a benchmark, named as in a report without the bench's name, to the minor version it needs, such as `5.18`. */
export type Needs = ReadonlyMap<string, string>;

const prefix = 'bpfgate: needs ';
const needsLine = /^bpfgate: needs (\d+\.\d+): (.+)$/;
const example = 'bpfgate: needs 5.18: getpid/kprobe_multi';

/** The most lines of one reading; a bench that prints more is broken, not missing a feature. */
const maxLines = 1000;
/** Longest name, in UTF-16 units. */
const maxName = 200;
const maxVersion = 9;

/**
 * Reads the lines `bpfgate: needs 5.18: NAME`. A known package and target of the program that prints one belong to the
 * name, as they do in results.
 *
 * @param kernel id of the running kernel, `6.1` or `6.1:source`
 * @param file names the text in errors: the bench, the revision
 * @throws BenchError when such a line is malformed, too long, contradicts another or names a kernel that is not newer
 * than the running one, or when there are too many lines
 */
export function parseNeeds(text: string, kernel: string, file: string, format: BenchFormat): Needs {
  const needs = new Map<string, string>();
  if (!text.includes(prefix)) return needs;
  let count = 0;
  for (const own of readLines(text)) {
    if (!own.text.startsWith(prefix)) continue;
    const line = own.text.trimEnd();
    count += 1;
    if (count > maxLines) {
      throw new BenchError(`${file} printed more than ${maxLines} lines \`${prefix}…\``, {
        hint: 'leave out a bench of many benchmarks as a whole, under one name',
      });
    }
    const [, version = '', name = ''] = needsLine.exec(line) ?? [];
    if (name === '' || version.length > maxVersion || name.length > maxName) {
      throw new BenchError(`${file} printed a bad line: ${line.slice(0, 120)}`, {
        hint: `print \`${example}\`, with a name of at most ${maxName} characters`,
      });
    }
    if (compareMinors(version, kernel) <= 0) {
      throw new BenchError(`${file} says that \`${name}\` needs ${version}, but it ran on ${kernel}`, {
        hint: 'name the first kernel that has what it needs, and measure it from that kernel on',
      });
    }
    const benchmark = prefixOf(own, format) + name;
    const other = needs.get(benchmark);
    if (other !== undefined && other !== version) {
      throw new BenchError(`${file} says that \`${name}\` needs ${other} and that it needs ${version}`, {
        hint: 'print one line for each benchmark, with the first kernel that has all it needs',
      });
    }
    needs.set(benchmark, version);
  }
  return needs;
}

/** Compares minor versions: negative if kernel `a` is older than `b`. What follows the minor version is ignored. */
export function compareMinors(a: string, b: string): number {
  const minorOf = (version: string) => /^\d+\.\d+/.exec(version)?.[0] ?? '';
  return compareVersions(minorOf(a), minorOf(b));
}

/** Whether the text has no results, only lines about needs or other output: no line begins an object. */
export function printsNeedsOnly(text: string): boolean {
  return !text.split('\n').some((line) => line.trimStart().startsWith('{') && line.trim() !== '{}');
}
