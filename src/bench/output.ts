// Bench: the lines of what a bench printed, with the program that printed each, and the JSON objects in them. Pure.

import type { BenchFormat } from '../model/inputs.ts';
import { outputMark } from '../plan/cargo-command.ts';

/** One line of output, and the program that printed it, as far as it is known. */
export interface OutputLine {
  /** 1-based. */
  readonly number: number;
  readonly text: string;
  /** Package of the program; empty for that of the project's folder. */
  readonly package: string;
  /** Bench target of the program; empty if the command names it. */
  readonly target: string;
}

/** Cargo's own line before a program's output, in the output of `cargo bench 2>&1`. */
const runningLine = /^ +Running [^()]*\(([^()]*)\)$/;
const programFile = /(?:^|\/)([\w-]+)-[0-9a-f]{16}$/;
/** Longest line that names a program, in characters. */
const maxMark = 1000;

/** Splits output into lines. Those that name a program count for what follows. */
export function readLines(text: string): OutputLine[] {
  let program = { package: '', target: '' };
  return text.split('\n').map((whole, index) => {
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    program = (line.length > maxMark ? undefined : readProgram(line)) ?? program;
    return { number: index + 1, text: line, ...program };
  });
}

function readProgram(line: string): Pick<OutputLine, 'package' | 'target'> | undefined {
  if (line.startsWith(outputMark)) {
    const [name = '', target = ''] = line.slice(outputMark.length).split('/');
    return { package: name, target };
  }
  const [, target] = programFile.exec(runningLine.exec(line)?.[1] ?? '') ?? [];
  return target === undefined ? undefined : { package: '', target };
}

/**
 * The part of a benchmark's name that comes before its tool's own: its package and bench target. The output of some tools
 * has the target itself; of others it has all that distinguishes benchmarks.
 */
export function prefixOf(
  { package: name, target }: Pick<OutputLine, 'package' | 'target'>,
  format: BenchFormat,
): string {
  if (format === 'criterion' || format === 'libtest') return joinParts([name, target, '']);
  return format === 'divan' || format === 'gungraun' ? joinParts([name, '']) : '';
}

/** Joins parts of a name; those before the last may be empty. */
export function joinParts(parts: readonly string[]): string {
  return parts.filter((part, index) => part !== '' || index === parts.length - 1).join('/');
}

/**
 * Finds JSON objects of a kind: the whole text, or else each part made of whole lines. A part goes from `{` in the first
 * column to its `}`, which stands on its own line or ends the first one.
 *
 * @param read reads one object; undefined if the text is of another kind
 */
export function findObjects<T>(text: string, read: (json: string) => T | undefined): T[] {
  const whole = read(text);
  if (whole !== undefined) return [whole];
  const found: T[] = [];
  const lines = text.split('\n').map((line) => line.trimEnd());
  let start = -1;
  let depth = 0;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('{')) {
      start = index;
      depth = 0;
    }
    if (start === -1) continue;
    depth += countOpened(line);
    if (depth > 0) continue;
    // Nothing that follows can make it valid, so each line is parsed once.
    if (index === start || line === '}') {
      const own = read(lines.slice(start, index + 1).join('\n'));
      if (own !== undefined) found.push(own);
    }
    start = -1;
  }
  return found;
}

/**
 * Braces that a line opens and leaves open; negative if it closes more. A JSON string never spans lines. One that is not
 * closed is matched too, so that it is searched once.
 */
function countOpened(line: string): number {
  const [opened, closed] = [/{/g, /}/g].map(
    (brace) => line.replace(/"(?:[^"\\]|\\.)*"?/g, '').match(brace)?.length ?? 0,
  );
  return (opened ?? 0) - (closed ?? 0);
}
