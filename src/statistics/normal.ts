// Statistics: the normal distribution. Own code, because the registry has packages that are good to three digits
// (simple-statistics) or bring more than a hundred others (stdlib). The tests compare it with scipy's digits.

/** Beyond this the series below loses the digits of the tail, and the continued fraction has all of them. */
const tailFrom = 3;

/**
 * Probability that a standard normal variable is at most `x`, right to about 12 digits in either tail.
 *
 * Series and continued fraction: Abramowitz & Stegun, "Handbook of Mathematical Functions", 26.2.11 and 26.2.14.
 */
export function normalCdf(x: number): number {
  if (x > tailFrom) return 1 - upperTail(x);
  if (x < -tailFrom) return upperTail(-x);
  let term = x;
  let sum = x;
  for (let odd = 3; Math.abs(term) > 1e-17 * Math.abs(sum); odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return 0.5 + density(x) * sum;
}

/**
 * The `x` below which a standard normal variable lies with `probability`, by bisection; right to about 12 digits.
 *
 * @throws RangeError when `probability` is not between 0 and 1
 */
export function normalQuantile(probability: number): number {
  if (!(probability > 0 && probability < 1)) {
    throw new RangeError(`probability is ${probability}, which is not between 0 and 1`);
  }
  // The upper half mirrors the lower one, where no digits are lost.
  if (probability > 0.5) return -normalQuantile(1 - probability);
  // Below -39 the probability is less than the smallest number there is.
  let low = -39;
  let high = 0;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function upperTail(x: number): number {
  let fraction = x;
  for (let step = 100; step > 0; step--) fraction = x + step / fraction;
  return density(x) / fraction;
}

function density(x: number): number {
  return Math.exp(-(x * x) / 2) / Math.sqrt(2 * Math.PI);
}
