// Guest: the time lane of one kernel. Base, head and base again take turns, in several boots, until the budget is used.

import { guestEnvironment } from '../build/environment.ts';
import type { Builds } from '../model/build.ts';
import { runNames, type TimedBoot } from '../model/guest-run.ts';
import type { CachedKernel } from '../model/kernel.ts';
import type { Plan } from '../plan/plan.ts';
import { balanceOrders } from '../statistics/balanced-orders.ts';
import { chooseAccelerator } from './accelerator.ts';
import { checkConfig, type GuestContext, prepareHost } from './guest.ts';
import { commandsOf } from './guest-commands.ts';
import { makeInitramfs } from './initramfs.ts';
import { runPlan } from './run-plan.ts';

/** Number of boots that the budget is planned for. A shift that lasts for a whole boot only shows between boots. */
const plannedBoots = 3;
const mostBoots = 12;
/** Limits of a bench's rounds in one boot. The first round is warm-up and never used. */
const leastRounds = 3;
const mostRounds = 61;

export interface TimeRequest {
  readonly kernel: CachedKernel;
  readonly plan: Plan;
  readonly builds: Builds;
  /** Budget for all boots together. At least one is made, with the fewest rounds, however short the budget is. */
  readonly budgetMs: number;
  /** Time limit for one boot. */
  readonly timeoutMs: number;
  /** Seed of the first boot's orders. Each further boot adds 1. */
  readonly seed: number;
}

/**
 * Runs the plan's timed benches in one guest after another. Rounds are distributed so that base, head and control come
 * in every order equally often.
 *
 * @throws VmError when a guest failed or its time was up
 */
export async function timeInGuest(request: TimeRequest, context: GuestContext): Promise<TimedBoot[]> {
  const { kernel, plan, builds, budgetMs, timeoutMs } = request;
  await checkConfig(kernel, { measured: true });
  const host = await prepareHost(context);
  const initramfs = await makeInitramfs(kernel, context.cache, context.environment);
  const { accelerator, reason } = await chooseAccelerator(kernel, initramfs, host, context, {
    remembered: false,
  });

  const trees = [builds.base.dir, builds.head.dir];
  const startedAt = performance.now();
  const leftMs = () => budgetMs - (performance.now() - startedAt);
  const note = () => `, ${describeLeft(leftMs())}`;
  const boots: TimedBoot[] = [];
  let longestMs = 0;
  /** Time that a boot takes in addition to its rounds; known after the first boot. */
  let overheadMs = 0;
  while (boots.length === 0 || (boots.length < mostBoots && leftMs() > longestMs)) {
    const boot = boots.length;
    const bootedAt = performance.now();
    const seed = (request.seed + boot) % 2 ** 32;
    const planned = Math.max(1, plannedBoots - boot);
    const shareMs = Math.max(0, leftMs() / planned - overheadMs) / plan.timed.length;
    const agentPlan = {
      mode: 'measure' as const,
      env: guestEnvironment(context.environment),
      work_dir: builds.workDir,
      project: builds.projectPath,
      revisions: runNames.map((name) => ({ name, dir: builds[name === 'control' ? 'base' : name].dir })),
      objects: [],
      benches: plan.timed.map((bench) => ({
        name: bench.name,
        commands: commandsOf(bench, bench.timeCommand, builds, runNames),
        observe: bench.observe,
      })),
      readings: { min: leastRounds, max: mostRounds, budget_ms: Math.round(shareMs) },
      orders: balanceOrders(runNames.length, mostRounds, seed),
      control: true,
    };
    const where = accelerator === 'kvm' ? 'KVM' : `TCG (${reason})`;
    context.log.progress(`${kernel.pin.id}: time lane, boot ${boot + 1}, under ${where}${note()}`);
    const { machine, benches, programs, controls, warnings } = await runPlan(
      { kernel, initramfs, accelerator, acceleratorReason: reason, agentPlan, trees, timeoutMs, note },
      host,
      context,
    );
    boots.push({ kernel: kernel.pin.id, boot, seed, machine, benches, programs, controls, warnings });
    const tookMs = performance.now() - bootedAt;
    // If the fewest rounds take more than the share, the excess is not overhead.
    const ranMs = benches.reduce((sum, { duration_ns }) => sum + duration_ns / 1e6, 0);
    overheadMs = Math.max(0, tookMs - Math.max(ranMs, shareMs * plan.timed.length));
    // A last boot with only the fewest rounds says little, so it needs time for more.
    longestMs = overheadMs + Math.min(tookMs, budgetMs / plannedBoots) / 2;
  }
  return boots;
}

function describeLeft(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 120 ? `${seconds} s left` : `${Math.round(seconds / 60)} min left`;
}
