// Scaling: places and run descriptions of docs/scaling.md's measured sections. Pure.

import { InputError } from '../src/common/errors.ts';
import { escapeText } from '../src/report/markdown-escape.ts';
import { countOf } from '../src/report/plain-text.ts';
import type { MachineDescription } from './host.ts';

export interface Rounds {
  /** Command line as typed. */
  readonly command: string;
  /** UTC, such as `2026-11-21 13:05 UTC`. */
  readonly time: string;
  readonly machine: Omit<MachineDescription, 'qemu'>;
  readonly rounds: number;
  /** Load average over one minute, before the first round and after the last one. */
  readonly load: { readonly before: number; readonly after: number };
}

/** @param shown the statistic shown for the rounds, such as `medians` */
export function describeRounds({ command, time, machine, rounds, load }: Rounds, shown: string): string {
  const { cpu, cores, virtual, system } = machine;
  return `Made by \`${command}\`, ${time}; ${shown} of ${countOf(rounds, 'round')}, each in another order. ${escapeText(cpu)}, ${cores} cores${virtual ? ', a virtual machine itself' : ''}; ${escapeText(system)}; load ${load.before.toFixed(1)} before the first round, ${load.after.toFixed(1)} after the last.`;
}

/**
 * Replaces the text between a section's marks in the page.
 *
 * @param name npm script that writes the section; then a space and the section, where it writes several
 * @throws InputError unless the page has both marks, once each and in order
 */
export function replaceSection(page: string, name: string, section: string): string {
  const [script] = name.split(' ');
  const begin = `<!-- ${name}: written by \`npm run ${script}\`, not by hand -->`;
  const end = `<!-- end of ${name} -->`;
  const [before, ...others] = page.split(begin);
  const [, after, ...more] = others.join(begin).split(end);
  if (before === undefined || others.length !== 1 || after === undefined || more.length > 0 || before.includes(end)) {
    throw new InputError(`the page has not \`${begin}\` and, behind it, \`${end}\`, once each`);
  }
  return `${before}${begin}\n\n${section.trim()}\n\n${end}${after}`;
}
