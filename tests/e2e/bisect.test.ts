// Bisection of a made history, in real VMs: 64 commits, of which three make a program longer and three do not build.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bpfgate, type Outcome, temporaryFolder } from './bpfgate.ts';
import { commit } from './gated-project.ts';

const fixture = (name: string) => readFileSync(new URL(`fixtures/bisect/${name}`, import.meta.url));
/** Commits that grow the program, with what a run then takes more. */
const steps = [
  { at: 12, delta: 1 },
  { at: 37, delta: 4 },
  { at: 55, delta: 2 },
];
/** Commits that do not build: the middle, the one before the second step, and one where nothing changes. */
const broken = [32, 36, 48];

/** Boots that count; what changed is then seen in further ones. */
const bootsIn = ({ stderr }: Outcome) => stderr.match(/: booting \S+ under /g)?.length ?? 0;
const said = ({ stdout }: Outcome) => /measured (\d+) of 65 commits in (\d+) boots?(?:; (\d+) could)?/.exec(stdout);

describe('bisect', () => {
  let project = '';
  const run = (further: readonly string[], interruptAt?: RegExp) =>
    bpfgate(
      ['bisect', '--project', project, '--bench', 'probe/count', ...further],
      interruptAt === undefined ? {} : { interruptAt },
    );
  const range = ['--good', 'c0', '--bad', 'c64', '--kernel', '6.1'];

  beforeAll(() => {
    let cleanUp = () => {};
    const folder = temporaryFolder((work) => {
      cleanUp = work;
    });
    project = join(folder, 'project');
    for (let at = 0; at <= 64; at++) {
      commit(project, `c${at}`, {
        'bpfgate.toml': '[build]\ncommand = "sh build.sh"\n',
        'build.sh': broken.includes(at) ? 'exit 1\n' : 'true\n',
        'steps.bpf.c': fixture('steps.bpf.c'),
        'probe.bpf.o': fixture(`${steps.filter((step) => step.at <= at).length}.bpf.o`),
        // Makes each a tree of its own.
        number: `${at}\n`,
      });
    }
    return cleanUp;
  });

  test('finds every step with its author and line; after an interruption it goes on; a second time it boots nothing', async () => {
    const interrupted = await run([...range, '--all'], /"c15": 5 /);
    expect(interrupted.code).toBe(130);
    expect(interrupted.stderr).toContain('what was counted is cached: the same command goes on from there');

    const found = await run([...range, '--all']);
    const blocks = found.stdout.split('\n\n');
    expect(blocks).toHaveLength(steps.length + 1);
    for (const [index, { at, delta }] of steps.entries()) {
      const block = blocks[index];
      expect(block).toMatch(/ changes `probe\/count\/\w+`: \+\d instructions? per run on 6\.1 \(\d → \d+\)/);
      expect(block).toContain(`+${delta} instruction`);
      if (broken.includes(at - 1)) {
        expect(block).toMatch(
          new RegExp(`^One of 2 commits .*could not be measured:\n {2}\\w{10} "c${at - 1}"\n {2}\\w{10} "c${at}"$`),
        );
        continue;
      }
      expect(block).toMatch(new RegExp(`^\\w{10} "c${at}" is the first commit that `));
      expect(block).toMatch(/\n {2}e2e, \d{4}-\d\d-\d\d\n/);
      const line =
        fixture('steps.bpf.c')
          .toString()
          .split('\n')
          .indexOf(`#if STEPS >= ${index + 1}`) + 2;
      expect(block).toContain(`\`steps.bpf.c:${line}\` executes ${delta} more instruction`);
      expect(block).toMatch(/To repeat: `bpfgate run --base \w{10} --head \w{10} --kernels 6\.1 /);
    }
    expect(found.code).toBe(4);
    const [, measured, boots] = said(found) ?? [];
    expect(Number(boots)).toBe(bootsIn(found));
    // log2 of 64 commits for each step, with the ends. The guest that was interrupted is booted again.
    expect(Number(measured)).toBeLessThanOrEqual(2 + 6 * steps.length);
    expect(bootsIn(interrupted)).toBeGreaterThan(0);
    expect(bootsIn(interrupted) + bootsIn(found)).toBeLessThanOrEqual(Number(measured) + 1);

    const again = await run([...range, '--all']);
    expect(bootsIn(again)).toBe(0);
    expect(said(again)?.slice(1, 3)).toEqual([measured, '0']);
    expect(again.stdout.split('\n\n').slice(0, -1)).toEqual(blocks.slice(0, -1));
    // Only what does not build is built again.
    expect(again.stderr.match(/building head/g)).toHaveLength(Number(said(again)?.[3]));
  });

  test('finds the first step alone, and that it is not all', async () => {
    const { code, stdout } = await run(range);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[0-9a-f]{10} "c12" is the first commit /);
    expect(stdout).toContain('The ends differ by +7 in all: --all finds the other steps.');
  });

  test('finds the first kernel on which a program costs otherwise', async () => {
    const { code, stdout } = await run(['--bad', 'c64', '--kernels', '5.10,6.1,6.12']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^6\.12 \(6\.12\.\d+\) is the first kernel that changes `probe\/count`: /);
    expect(stdout).toContain('measured 3 of 3 kernels in');
  });
});
