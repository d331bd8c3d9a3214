import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { addPresets, type ReadObject } from '../../src/gate/add-presets.ts';
import { parseConfig } from '../../src/inputs/config.ts';
import type { Builds, RevisionName } from '../../src/model/build.ts';

const dir = mkdtempSync(join(tmpdir(), 'bpfgate-presets-'));
afterAll(() => rmSync(dir, { recursive: true }));
writeFileSync(join(dir, 'linked'), 'an object');
symlinkSync('linked', join(dir, 'link.o'));

const configOf = (text: string) => parseConfig(text, 'bpfgate.toml');
const both = ['base', 'head'] as const;

/** Objects by name, each with what an agent answers about it, in the given revisions. */
function buildsOf(answers: Readonly<Record<string, unknown>>, revisions: readonly RevisionName[] = ['head']): Builds {
  const objects = Object.entries(answers).flatMap(([name, answer]) => {
    if (answer !== undefined) writeFileSync(join(dir, `${name}.o`), JSON.stringify(answer));
    return revisions.map((revision) => ({ name, revision, path: `${name}.o`, digest: '' }));
  });
  return { base: { dir }, head: { dir }, objects, warnings: [] } as unknown as Builds;
}

/** A stand-in for the agent: each object has its answer in it. */
const read = (_request: string, object: Buffer) => Promise.resolve(JSON.parse(object.toString()) as ReadObject);

/** What the agent answers about an object with the variable `max_depth`, for one preset with these outcomes. */
const answerOf = (outcomes: readonly (string | null)[], bytes: readonly number[] = [1]) => ({
  ...{ sections: ['.rodata', 'sk_lookup'], variables: ['max_depth'], maps: ['allowed'], unknown: [] },
  presets: [
    [{ name: 'deep', data: outcomes[0] === '' ? [{ map: '.rodata', at: 0, bytes }] : [], entries: [] }, outcomes],
  ],
});

const deep = configOf('[preset.deep]\nset.max_depth = 1\n');
const wrong = configOf('[preset.deep]\nset.max_dept = 1\n');
const gone = 'bpfgate.toml:2: preset `deep`: no object has a variable `max_dept`; did you mean `max_depth`?';

test('objects get what presets write, and one that a setting fits is enough', async () => {
  const misfit = 'max_depth takes an integer from 0 to 255';
  const answers = { fits: answerOf(['']), none: answerOf([null]), small: answerOf([misfit]) };
  const { objects, warnings } = await addPresets(buildsOf(answers), read, deep, deep);
  expect(objects.map(({ presets }) => presets)).toEqual([
    [{ name: 'deep', data: [{ map: '.rodata', at: 0, bytes: [1] }], entries: [] }],
    undefined,
    undefined,
  ]);
  const reason = `preset \`deep\` is not used: ${misfit}`;
  expect(warnings).toEqual([{ about: ['small'], revision: 'head', reason }]);
  await expect(addPresets(buildsOf({ small: answers.small }), read, deep, deep)).rejects.toThrow(
    `bpfgate.toml:2: preset \`deep\`: ${misfit}`,
  );
});

test('what no object has is an error, or a warning if an object cannot be read', async () => {
  const answers = { whole: answerOf([null]) };
  await expect(addPresets(buildsOf(answers), read, wrong, wrong)).rejects.toThrow(gone);
  const map = configOf('[[preset.deep.entries]]\nmap = "alowed"\nvalue = 1\n');
  await expect(addPresets(buildsOf(answers), read, map, map)).rejects.toThrow(
    'bpfgate.toml:1: preset `deep`: no object has a map `alowed`; did you mean `allowed`?',
  );
  const readSome = (request: string, object: Buffer) =>
    object.includes('damaged') ? Promise.resolve('its section table is damaged') : read(request, object);
  const builds = buildsOf({ ...answers, damaged: 'damaged', missing: undefined, link: undefined });
  const { warnings } = await addPresets(builds, readSome, wrong, wrong);
  const about = (name: string, reason: unknown) => ({ about: [name], revision: 'head', reason });
  expect(warnings).toEqual([
    about('damaged', 'presets are not used: its section table is damaged'),
    about('missing', 'presets are not used: it is missing'),
    about('link', expect.stringMatching(/^presets are not used: .* it is a link$/)),
    { about: [], reason: gone },
  ]);
});

test('each revision has its own presets, and a mistake of base is a warning', async () => {
  const builds = buildsOf({ xdp: answerOf(['']) }, both);
  // The agent answers what it is asked: nothing about no preset, and that no object has the misspelt variable.
  const ask = (request: string) => {
    const { presets } = JSON.parse(request) as { readonly presets: readonly { readonly variables: unknown }[] };
    const answer = answerOf([JSON.stringify(presets).includes('max_depth') ? '' : null]);
    return Promise.resolve({ ...answer, presets: answer.presets.slice(0, presets.length) } as unknown as ReadObject);
  };
  const addedBy = async (ofHead: typeof deep, ofBase: typeof deep) => {
    const added = await addPresets(builds, ask, ofHead, ofBase);
    return [added.objects.map(({ revision, presets = [] }) => `${revision} ${presets.length}`), added.warnings];
  };
  expect(await addedBy(deep, configOf(''))).toEqual([['base 0', 'head 1'], []]);
  const reason = `presets are not used: ${gone}`;
  expect(await addedBy(deep, wrong)).toEqual([['base 0', 'head 1'], [{ about: [], revision: 'base', reason }]]);
  await expect(addedBy(wrong, deep)).rejects.toThrow(gone);
});

test('presets write at most 1 MiB', async () => {
  const large = answerOf([''], new Array<number>(600_000).fill(1));
  await expect(addPresets(buildsOf({ large }, both), read, deep, deep)).rejects.toThrow(
    'bpfgate.toml: presets write more than 1024 KiB into objects',
  );
});

test('a [[program]] of a section that no object has is a warning, and one of an unknown type an error', async () => {
  const given = configOf('[[program]]\nsection = "sk_lookop"\ntype = "sk_lookup"\n');
  const reason = 'bpfgate.toml: [[program]]: no object has a section `sk_lookop`; did you mean `sk_lookup`?';
  const answer = { ...answerOf([]), presets: [] };
  expect((await addPresets(buildsOf({ xdp: answer }), read, given, given)).warnings).toEqual([{ about: [], reason }]);
  const unknown = configOf('[[program]]\nsection = "mine"\ntype = "xpd"\n');
  await expect(addPresets(buildsOf({ xdp: { ...answer, unknown: ['mine'] } }), read, unknown, unknown)).rejects.toThrow(
    'bpfgate.toml: `type` of section `mine` in [[program]] is "xpd"; allowed: a section\'s name of docs.kernel.org/',
  );
});
