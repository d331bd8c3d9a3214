import { expect, test } from 'vitest';
import type { Build } from '../../src/model/build.ts';
import { commandsOf, profilesOf } from '../../src/vm/guest-commands.ts';

const program = { folder: '/tree', words: ['/tree/b', 'bpfgate-arguments'], variables: {}, path: '' };
const builds = {
  base: { starts: {} } as Build,
  head: { starts: { 'cargo bench': { programs: [program], criterion: null } } } as unknown as Build,
};

test('each revision has its own command, the control run that of base', () => {
  expect(commandsOf({ savesSamples: false }, 'cargo bench -- 1', builds, ['base', 'head', 'control'])).toEqual({
    base: 'cargo bench -- 1',
    head: "env --chdir='/tree' '/tree/b' 1",
    control: 'cargo bench -- 1',
  });
});

test("Criterion's samples are printed where they are read, and not where they are profiled", () => {
  const bench = { savesSamples: true, profileCommand: 'cargo bench -- 2' };
  const saving = 'CRITERION_HOME=$(mktemp -d) && export CRITERION_HOME && ';
  const { head } = commandsOf(bench, 'cargo bench -- 1', builds, ['head']);
  expect(head).toMatch(/ && env --chdir='\/tree' '\/tree\/b' 1 && find "\$CRITERION_HOME" /);
  expect(profilesOf(bench, builds, ['head'])).toEqual({ head: `${saving}env --chdir='/tree' '/tree/b' 2` });
  expect(profilesOf({ ...bench, profileCommand: null }, builds, ['head'])).toEqual({});
});
