// Report: numbers as a person reads them. Whole numbers print whole; a difference is never rounded to nothing.

const minus = '\u2212';
/** Decimals beyond which a fraction is printed in powers of ten. */
const maxDecimals = 6;

/** The number of decimals that shows a difference of `delta`; 0 for whole numbers. */
export function decimalsFor(values: readonly number[], delta: number | null): number {
  if (values.every(Number.isInteger)) return 0;
  const scale = Math.abs(delta === null || delta === 0 ? Math.max(...values.map(Math.abs)) : delta);
  const significant = delta === null || delta === 0 ? 4 : 2;
  return Math.min(maxDecimals, Math.max(0, significant - 1 - Math.floor(Math.log10(scale))));
}

/** `19,825`, `19,825.04`. */
export function formatNumber(value: number, decimals = decimalsFor([value], null)): string {
  const magnitude = Math.abs(value);
  const fixed = magnitude.toFixed(decimals);
  if (magnitude !== 0 && Number(fixed) === 0) return signed(value, magnitude.toExponential(1), '');
  const [whole = '', fraction] = fixed.split('.');
  const grouped = /e/.test(whole) ? whole : whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return signed(value, fraction === undefined ? grouped : `${grouped}.${fraction}`, '');
}

/** `+28`, `−0.050`; a plain `0` only for no difference at all. */
export function formatDelta(delta: number, decimals = decimalsFor([delta], delta)): string {
  return delta > 0 ? `+${formatNumber(delta, decimals)}` : formatNumber(delta, decimals);
}

/** `+155 k`: the same in three digits from 10,000 on; below that, `whole`. */
export function formatBrief(delta: number, whole: string): string {
  const magnitude = Math.abs(delta);
  const power = Math.floor(Math.log10(magnitude) / 3);
  const scaled = Number((magnitude / 1000 ** power).toPrecision(3));
  const prefix = ['', ' k', ' M', ' G', ' T'][power];
  // 999,999 would be 1000 k.
  if (magnitude < 10_000 || prefix === undefined || scaled === 1000) return whole;
  return `${signed(delta, String(scaled), '+')}${prefix}`;
}

/** A fraction as a percentage with a sign: `+17.5%`, `+0.0021%`, `+1,240%`. */
export function formatGrowth(ratio: number): string {
  const percent = Math.abs(ratio * 100);
  if (percent === 0) return '0%';
  if (percent < 0.0001) return `${ratio > 0 ? '+' : minus}<0.0001%`;
  const decimals = percent >= 100 ? 0 : percent >= 10 ? 1 : percent >= 1 ? 2 : 1 - Math.floor(Math.log10(percent));
  return signed(ratio, `${formatNumber(percent, decimals)}%`, '+');
}

/** A limit as it is written in bpfgate.toml: `0%`, `2.5%`, `off`. */
export function formatLimit(limit: number | 'off'): string {
  return limit === 'off' ? 'off' : `${Number((limit * 100).toPrecision(6))}%`;
}

function signed(value: number, magnitude: string, plus: string): string {
  return `${value < 0 ? minus : value > 0 ? plus : ''}${magnitude}`;
}
