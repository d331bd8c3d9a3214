// Statistics: the order of the runs in each round, chosen so that no side profits from its place.

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';

type Order = readonly number[];
type Random = ReturnType<typeof mersenne>;

/** Up to this many slots a block holds all their orders, 24 at most. */
const mostPermutedSlots = 4;

/**
 * Creates an order of the slots 0 to `slots` - 1 for each round. Slots are the runs of a round: base, head, base again.
 *
 * Rounds come in blocks. With up to 4 slots a block holds every order once (2, 6 or 24 rounds). With more it is a
 * Williams design, in which every slot comes right after every other one equally often: as many rounds as slots, or
 * twice as many where their number is odd. A block is made of Latin squares: of the first `slots` rounds, and of each
 * `slots` rounds that follow, every slot is once in every place. So places are balanced when the rounds are a multiple
 * of the slots, and orders when they are a multiple of the block; else the last block is cut short. Squares and their
 * rows are shuffled.
 *
 * Equal arguments give equal orders, with the pinned version of pure-rand (MT19937).
 *
 * Williams, "Experimental Designs Balanced for the Estimation of Residual Effects of Treatments", Australian Journal of
 * Scientific Research A 2 (1949) 149-168.
 *
 * @param slots 1 to 100
 * @param rounds 0 to 1,000,000
 * @param seed a whole number from 0 to 2^32 - 1, which has to be kept with the results
 * @throws RangeError when an argument is out of range
 */
export function balanceOrders(slots: number, rounds: number, seed: number): number[][] {
  checkWhole('slots', slots, 1, 100);
  checkWhole('rounds', rounds, 0, 1_000_000);
  checkWhole('seed', seed, 0, 2 ** 32 - 1);
  const random = mersenne(seed);
  const squares = slots <= mostPermutedSlots ? permutationSquares(slots) : williamsSquares(slots);
  const orders: number[][] = [];
  while (orders.length < rounds) {
    // New names for the slots, so that the rows of a Williams square are not always the same ones.
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

/** The row 0, n - 1, 1, n - 2 ... and its n shifts; mirrored as well where n is odd, for only both together balance. */
function williamsSquares(slots: number): Order[][] {
  const row = Array.from({ length: slots }, (_, place) => (place % 2 === 0 ? place / 2 : slots - (place + 1) / 2));
  const square = row.map((_, shift) => row.map((slot) => (slot + shift) % slots));
  return slots % 2 === 0 ? [square] : [square, square.map((order) => order.toReversed())];
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
