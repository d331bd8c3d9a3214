// Every input of the corpus: real files, and one input for each defect that fuzzing has found.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Target } from './target.ts';

const folder = import.meta.dirname;
const names = readdirSync(join(folder, 'targets')).map((file) => basename(file, '.ts'));
/** The limit for each input, also on a busy machine. */
const mostMs = 3000;

test('every folder of the corpus has a target, and every target a folder', () => {
  const corpora = readdirSync(join(folder, 'corpus')).filter((name) => !name.startsWith('agent-'));
  expect(corpora.toSorted()).toEqual(names.toSorted());
});

/** Whether the input is accepted, not refused. @throws any other error */
async function accepts(name: string, input: string): Promise<boolean> {
  const { target } = (await import(`./targets/${name}.ts`)) as { readonly target: Target };
  try {
    await target.run(readFileSync(join(folder, 'corpus', name, input)));
    return true;
  } catch (error) {
    if (!target.refusals.some((refusal) => error instanceof refusal)) throw error;
    return false;
  }
}

// Otherwise everything made of the corpus would be refused too, and the code after a refusal would never run.
test.each(names)('%s: at least one input of the corpus is accepted', async (name) => {
  const accepted: string[] = [];
  for (const input of readdirSync(join(folder, 'corpus', name))) if (await accepts(name, input)) accepted.push(input);
  expect(accepted).not.toEqual([]);
});

const inputs = names.flatMap((name) =>
  readdirSync(join(folder, 'corpus', name)).map((input) => [name, input] as const),
);

test.each(inputs)('%s: %s is accepted or refused', async (name, input) => {
  const { target } = (await import(`./targets/${name}.ts`)) as { readonly target: Target };
  const bytes = readFileSync(join(folder, 'corpus', name, input));
  const before = process.cpuUsage();
  try {
    await target.run(bytes);
  } catch (error) {
    expect(
      target.refusals.some((refusal) => error instanceof refusal),
      String(error),
    ).toBe(true);
    expect((error as Error).message.length).toBeLessThan(16 * 1024);
  }
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(mostMs);
});
