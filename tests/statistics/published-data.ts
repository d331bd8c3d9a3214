// Paired data with published answers.

/**
 * Depression scores before and after, x - y of R's `example(wilcox.test)`, from Hollander & Wolfe, "Nonparametric
 * Statistical Methods" (1973), table 3.1: V = 40, one-sided p = 0.01953, estimate 0.46, 96.1 % interval 0.010 to 0.786.
 */
export const depressionDifferences = [
  [1.83, 0.878],
  [0.5, 0.647],
  [1.62, 0.598],
  [2.48, 2.05],
  [1.68, 1.06],
  [1.88, 1.29],
  [1.55, 1.06],
  [3.06, 3.14],
  [1.3, 1.29],
].map(([x = 0, y = 0]) => x - y);

/** Heights of cross- and self-fertilised maize in eighths of an inch: Darwin 1876, scipy's example of `wilcoxon`. */
export const darwinDifferences = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75];
