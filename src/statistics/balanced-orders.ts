// Statistics: the order of the runs in each round, chosen so that no side profits from its place.

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';

type Order = readonly number[];
type Random = ReturnType<typeof mersenne>;

/**
 * Creates an order of the slots 0 to `slots` - 1 for each round. Slots are the runs of a round: base, head, base again.
 *
 * Rounds come in blocks, each of which holds every order once (1, 2, 6 or 24 rounds). A block is made of Latin squares:
 * of the first `slots` rounds, and of each `slots` rounds that follow, every slot is once in every place. So places are
 * balanced when the rounds are a multiple of the slots, and orders when they are a multiple of the block; else the last
 * block is cut short. Squares and their rows are shuffled.
 *
 * Equal arguments give equal orders, with the pinned version of pure-rand (MT19937).
 *
 * @param slots 1 to 4
 * @param rounds 0 to 1,000,000
 * @param seed a whole number from 0 to 2^32 - 1, which has to be kept with the results
 * @throws RangeError when an argument is out of range
 */
export function balanceOrders(slots: number, rounds: number, seed: number): number[][] {
  checkWhole('slots', slots, 1, 4);
  checkWhole('rounds', rounds, 0, 1_000_000);
  checkWhole('seed', seed, 0, 2 ** 32 - 1);
  const random = mersenne(seed);
  const squares = permutationSquares(slots);
  const orders: number[][] = [];
  while (orders.length < rounds) {
    // Not needed for the balance, but part of what a seed gives.
    const names = shuffle(
      Array.from({ length: slots }, (_, slot) => slot),
      random,
    );
    for (const square of shuffle(squares, random)) {
      for (const order of shuffle(square, random)) orders.push(order.map((slot) => names[slot] ?? 0));
    }
  }
  return orders.slice(0, rounds);
}

/** All orders, as Latin squares: each is one order and its rotations. */
function permutationSquares(slots: number): Order[][] {
  const others = Array.from({ length: slots - 1 }, (_, index) => index + 1);
  return permute(others).map((rest) => {
    const order = [0, ...rest];
    return order.map((_, turn) => [...order.slice(turn), ...order.slice(0, turn)]);
  });
}

function permute(slots: Order): Order[] {
  if (slots.length === 0) return [[]];
  return slots.flatMap((first) => permute(slots.filter((slot) => slot !== first)).map((rest) => [first, ...rest]));
}

/** Shuffles a copy (Fisher-Yates). */
export function shuffle<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  return items.flatMap((_, index) => left.splice(uniformInt(random, 0, items.length - index - 1), 1));
}

function checkWhole(name: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${name} is ${value}, which is not a whole number from ${least} to ${most}`);
  }
}
