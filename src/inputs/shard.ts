// Inputs: the part of a project's benches that one run measures, where several runs share them.

import { InputError } from '../common/errors.ts';
import type { Lane, Shard } from '../model/inputs.ts';

/** Maximum shards of one kernel: far more than a project has benches, and few enough to be named one by one. */
export const maxShards = 1000;

/** The work that shards divide. */
interface Work {
  readonly benches: readonly unknown[];
  readonly lanes: readonly Lane[];
}

/**
 * Parses `2/3`. `1/1` is the whole, so it gives null.
 *
 * @param where begins the message, such as `--shard` or `input shard`
 * @throws InputError for anything else
 */
export function parseShard(text: string, where: string): Shard | null {
  const [, index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index < 1 || index > count || count > maxShards) {
    throw new InputError(
      `${where}: \`${text}\` is no shard; allowed: INDEX/COUNT, such as 2/3, with INDEX from 1 to COUNT and COUNT at most ${maxShards}`,
    );
  }
  return count === 1 ? null : { index, count };
}

/**
 * Reads a number of shards.
 *
 * @throws InputError when it is not one
 */
export function parseShards(text: string, where: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= maxShards) return count;
  throw new InputError(`${where}: \`${text}\` is no number of shards; allowed: 1 to ${maxShards}`);
}

/** Selects a shard's items. They are dealt out in turns, because slow benches often stand together. */
export function selectShard<Item>(items: readonly Item[], shard: Shard | null): readonly Item[] {
  return shard === null ? items : items.filter((_, position) => position % shard.count === shard.index - 1);
}

/**
 * The lanes that a shard measures. All benches of a project share its BPF objects, so only the first shard has the
 * verifier lane, and nothing is measured twice.
 */
export function lanesOfShard(lanes: readonly Lane[], shard: Shard | null): readonly Lane[] {
  return shard === null || shard.index === 1 ? lanes : lanes.filter((lane) => lane !== 'verifier');
}

/** The largest number of shards that all have something to measure; at least 1. */
export function usefulShards({ benches, lanes }: Work): number {
  return lanes.some((lane) => lane !== 'verifier') ? Math.max(1, benches.length) : 1;
}

/**
 * @param where begins the message, such as `--shard`
 * @param file the configuration that has the benches
 * @throws InputError when nothing is left for the shard
 */
export function requireWork(shard: Shard | null, work: Work, where: string, file: string): void {
  const most = usefulShards(work);
  if (shard === null || shard.index <= most) return;
  const why = work.lanes.some((lane) => lane !== 'verifier')
    ? `${file} has ${work.benches.length} [[bench]]`
    : "the verifier lane, which is the only one, is the first shard's";
  throw new InputError(`${where}: nothing is left for shard ${formatShard(shard)}: ${why}`, {
    hint: most === 1 ? 'leave it out' : `use at most ${most} shards`,
  });
}

/** Formats a shard as `2/3`. */
export function formatShard({ index, count }: Shard): string {
  return `${index}/${count}`;
}
