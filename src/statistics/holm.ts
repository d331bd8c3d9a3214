// Statistics: corrects p-values for the size of a family of comparisons.

/**
 * Holm's step-down adjusted p-values, in the order given. Calling each one below alpha significant gives even one false
 * finding in the whole family with a probability of at most alpha, however the comparisons depend on each other.
 *
 * The smallest p-value is multiplied by the number of comparisons, the next by one less, and so on; none falls below
 * the one before it or rises above 1.
 *
 * Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979) 65-70.
 *
 * @param pValues of the whole family, from 0 to 1; none gives none
 * @throws RangeError when one is not from 0 to 1
 */
export function adjustByHolm(pValues: readonly number[]): number[] {
  const bad = pValues.find((pValue) => !(pValue >= 0 && pValue <= 1));
  if (bad !== undefined) throw new RangeError(`a p-value is ${bad}, which is not from 0 to 1`);
  const adjusted = new Array<number>(pValues.length).fill(1);
  let largest = 0;
  for (const [step, { pValue, index }] of pValues
    .map((pValue, index) => ({ pValue, index }))
    .toSorted((a, b) => a.pValue - b.pValue)
    .entries()) {
    largest = Math.min(1, Math.max(largest, pValue * (pValues.length - step)));
    adjusted[index] = largest;
  }
  return adjusted;
}
