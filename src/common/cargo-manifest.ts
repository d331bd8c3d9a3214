// Common: cargo's manifests and settings, as parsed TOML. Pure.

import { parse } from 'smol-toml';

export type Table = Readonly<Record<string, unknown>>;

/** Crates a manifest depends on, by their real names. */
export function dependenciesOf(content: Table, inherited: Table): Set<string> {
  return new Set(
    dependencyEntries(content).map(([key, value]) => {
      const own = table(value).workspace === true ? table(inherited[key]) : table(value);
      return typeof own.package === 'string' ? own.package : key;
    }),
  );
}

/** A manifest's dependencies, those of single targets included, as name and entry. */
export function dependencyEntries(
  content: Table,
  kinds: readonly string[] = ['dependencies', 'build-dependencies', 'dev-dependencies'],
): [string, unknown][] {
  const sections = [content, ...Object.values(table(content.target)).map(table)];
  return sections.flatMap((section) => kinds.flatMap((kind) => Object.entries(table(section[kind]))));
}

/** Parses a manifest; undefined where it is not TOML, which cargo will report. */
export function parseTable(text: string): Table | undefined {
  try {
    return table(parse(text));
  } catch {
    return undefined;
  }
}

export function table(value: unknown): Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {};
}
