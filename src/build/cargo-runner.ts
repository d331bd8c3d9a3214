// Build: finds the program with which cargo starts a target's programs (`runner`), in cargo's configuration files:
// https://doc.rust-lang.org/cargo/reference/config.html#targettriplerunner. Pure.

import { join } from 'node:path';
import { parseTable, table } from '../common/cargo-manifest.ts';

/** Maximum length of a condition, in characters. */
const maxCondition = 1000;

/** One configuration file of cargo. */
export interface CargoConfig {
  /** Absolute path of the folder that holds the `.cargo` folder. Paths in the file are relative to it. */
  readonly folder: string;
  readonly text: string;
}

/**
 * @param configs the nearest first: its keys take precedence over those of the next
 * @param triple target triple of the started program
 * @param settings lines that `rustc --print cfg` prints for the triple
 * @returns the runner's words; none where programs are started directly; undefined where that is not known
 */
export function findRunner(
  configs: readonly CargoConfig[],
  triple: string,
  settings: ReadonlySet<string>,
): readonly string[] | undefined {
  const byTriple = new Set<string>();
  const byCondition = new Map<string, readonly string[] | undefined>();
  let own: readonly string[] | undefined;
  for (const config of configs) {
    const content = parseTable(config.text);
    if (content === undefined) return undefined;
    for (const [name, target] of Object.entries(table(content.target))) {
      const { runner } = table(target);
      if (runner === undefined) continue;
      const words = readWords(runner, config.folder);
      if (name === triple && !byTriple.has(name)) {
        byTriple.add(name);
        own = words;
      }
      if (!name.startsWith('cfg(') || byCondition.has(name)) continue;
      const applies =
        name.length > maxCondition ? undefined : matchesCondition(name.slice('cfg('.length, -1), settings);
      if (applies === undefined) return undefined;
      if (applies) byCondition.set(name, words);
    }
  }
  if (byTriple.size > 0) return own;
  // cargo itself reports several matches as an error.
  return byCondition.size === 0 ? [] : [...byCondition.values()][0];
}

/** Splits a string at blanks. A program path with a `/` is relative to the configuration's folder. */
function readWords(runner: unknown, folder: string): readonly string[] | undefined {
  const words = typeof runner === 'string' ? runner.split(' ').filter((word) => word !== '') : runner;
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) return undefined;
  const [program = '', ...rest] = words as string[];
  return [program.includes('/') && !program.startsWith('/') ? join(folder, program) : program, ...rest];
}

/** Whether a condition such as `all(unix, not(target_arch = "arm"))` holds; undefined where it is not a condition. */
function matchesCondition(condition: string, settings: ReadonlySet<string>): boolean | undefined {
  const text = condition.trim();
  const call = /^(all|any|not)\s*\((.*)\)$/s.exec(text);
  if (call !== null) {
    const [, name, list = ''] = call;
    const parts = splitList(list).map((part) => matchesCondition(part, settings));
    if (parts.includes(undefined)) return undefined;
    if (name === 'not') return parts.length === 1 ? !parts[0] : undefined;
    return name === 'all' ? !parts.includes(false) : parts.includes(true);
  }
  if (text === 'true' || text === 'false') return text === 'true';
  const setting = /^(\w+)(?:\s*=\s*("[^"]*"))?$/.exec(text);
  if (setting === null) return undefined;
  const [, name, value] = setting;
  return settings.has(value === undefined ? `${name}` : `${name}=${value}`);
}

/** Splits at commas outside of parentheses and quotes. */
function splitList(list: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const [piece] of list.matchAll(/"[^"]*"|[^"]/g)) {
    if (piece === '(') depth += 1;
    if (piece === ')') depth -= 1;
    if (piece === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${piece}`);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
