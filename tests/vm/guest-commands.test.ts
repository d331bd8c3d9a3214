import { expect, test } from 'vitest';
import type { Build } from '../../src/model/build.ts';
import { commandOf, profileOf } from '../../src/vm/guest-commands.ts';

const program = {
  package: '',
  target: '',
  folder: '/tree',
  words: ['/tree/b', 'bpfgate-arguments'],
  variables: {},
  path: '',
};
const building = (programs: readonly object[]) =>
  ({ starts: { 'cargo bench': { programs, criterion: null } } }) as unknown as Build;
const build = building([program]);

test('cargo is left out where it is known what it starts', () => {
  const bench = { savesSamples: false };
  expect(commandOf(bench, 'cargo bench -- 1', { starts: {} })).toBe('cargo bench -- 1');
  expect(commandOf(bench, 'cargo bench -- 1', build)).toBe("env --chdir='/tree' '/tree/b' 1");
});

test("Criterion's samples are printed where they are read, and not where they are profiled", () => {
  const bench = { savesSamples: true, profileCommand: 'cargo bench -- 2' };
  const saving = 'CRITERION_HOME=$(mktemp -d) && export CRITERION_HOME && ';
  expect(commandOf(bench, 'cargo bench -- 1', build)).toMatch(
    / && env --chdir='\/tree' '\/tree\/b' 1 && find "\$CRITERION_HOME" /,
  );
  expect(profileOf(bench, build)).toBe(`${saving}env --chdir='/tree' '/tree/b' 2`);
  expect(profileOf({ ...bench, profileCommand: null }, build)).toBeNull();
});

test("each program's samples are saved in a folder of its own", () => {
  const programs = ['v4', 'v6'].map((target) => ({ ...program, target, words: [`/tree/${target}`] }));
  const command = commandOf({ savesSamples: true }, 'cargo bench', building(programs));
  const order = [...command.matchAll(/output of |mktemp|'\/tree\/v\d'|find "\$CRITERION_HOME"/g)].map(
    ([found]) => found,
  );
  const parts = (target: string) => ['output of ', 'mktemp', `'/tree/${target}'`, 'find "$CRITERION_HOME"'];
  expect(order).toEqual([...parts('v4'), ...parts('v6')]);
});
