// Loaded before a program (`node --import`): makes its time of day jump, as when a machine's clock is set. The
// monotonic clock and file times stay unaffected, as in that case.

const RealDate = Date;
const dayMs = 86_400_000;
const jumps = [0, dayMs, -dayMs, 3650 * dayMs, -3650 * dayMs, 60_000];
const startedAt = performance.now();

function now(): number {
  const jump = Math.floor((performance.now() - startedAt) / 100) % jumps.length;
  return RealDate.now() + (jumps[jump] ?? 0);
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: [], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
