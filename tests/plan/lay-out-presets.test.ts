import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addPresets } from '../../src/gate/add-presets.ts';
import { parseConfig } from '../../src/inputs/config.ts';
import type { BpfObject, Builds } from '../../src/model/build.ts';
import type { Preset } from '../../src/model/inputs.ts';
import { PresetLayout } from '../../src/plan/lay-out-presets.ts';
import { type BtfType, kinds, readLayout, Types } from '../../src/plan/object-layout.ts';

const file = readFileSync(new URL('../../vm/agent/tests/fixtures/preset.bpf.o', import.meta.url));
const plain = readFileSync(new URL('../../vm/agent/tests/fixtures/good.bpf.o', import.meta.url));
const object: BpfObject = { name: 'preset', revision: 'head', path: 'preset.bpf.o', digest: '' };

/** Lays a configuration's presets out in objects, by default the fixture's. */
function layOut(text: string, files = [file]) {
  const { presets } = parseConfig(text, 'bpfgate.toml');
  const all = new PresetLayout(presets, 'bpfgate.toml');
  const found = files.map((content) => {
    const layout = readLayout(content);
    return layout === undefined ? object : all.add(object, layout);
  });
  return { presets: found.map((each) => each.presets?.[0]), warnings: all.finish() };
}

/** Bytes of the only variable that is set, in hexadecimal. */
const bytesOf = (set: string) => {
  const [preset] = layOut(`[preset.a]\nset = { ${set} }`).presets;
  return Buffer.from(preset?.data[0]?.bytes ?? []).toString('hex');
};
/** Bytes of a part of `cfg`, in hexadecimal. */
const partOf = (fields: string, from: number, to: number) => bytesOf(`cfg = { ${fields} }`).slice(2 * from, 2 * to);

test('a variable has its value where the object has it, and its own value in what is left out', () => {
  const [preset] = layOut(
    '[preset.a]\nset = { max_depth = 16, cfg = { flags = [1] }, zeros = [0, 5], total = 4 }',
  ).presets;
  expect(preset?.data.map(({ map, at, bytes }) => [map, at, bytes.length])).toEqual([
    ['.rodata', 0, 4],
    ['.rodata', 8, 40],
    ['.bss', 8, 16],
    ['.data', 0, 8],
  ]);
  expect(preset?.data[0]?.bytes).toEqual([16, 0, 0, 0]);
  expect(partOf('flags = [1]', 0, 14)).toBe('5000000000000000000001090909');
});

test.each([
  ['port = 443', 0, 2, 'bb01'],
  ['port = "0xffff"', 0, 2, 'ffff'],
  ['mode = "ACTIVE"', 4, 8, '07000000'],
  ['mode = 1', 4, 8, '01000000'],
  ['level = -128', 8, 9, '80'],
  ['strict = true', 9, 10, '01'],
  ['flags = "0x01020304"', 10, 14, '01020304'],
  ['name = "abcdefgh"', 14, 22, '6162636465666768'],
  ['name = "a"', 14, 22, '6100000000000000'],
  ['low = 31', 22, 24, '1f00'],
  ['high = 2047', 22, 24, 'e0ff'],
  ['limit = "18446744073709551615"', 24, 32, 'ffffffffffffffff'],
  ['half = 1', 24, 32, '0100000000000000'],
  ['inner = [{ depth = 1 }, { depth = 2 }]', 32, 40, '0100000002000000'],
])('a field takes %s', (fields, from, to, wanted) => {
  expect(partOf(fields, from, to)).toBe(wanted);
});

test.each([
  ['port = 65536', 'cfg.port takes an integer from 0 to 65535'],
  ['port = -1', 'cfg.port takes an integer from 0 to 65535'],
  ['port = "x"', 'cfg.port takes an integer from 0 to 65535'],
  ['level = 128', 'cfg.level takes an integer from -128 to 127'],
  ['strict = 2', 'cfg.strict takes an integer from 0 to 1'],
  ['high = 2048', 'cfg.high takes an integer from 0 to 2047'],
  ['prt = 1', 'cfg has no field `prt`; did you mean `port`?'],
  ['mode = "ACTIV"', 'cfg.mode: `ACTIV` is no name of its enum; did you mean `ACTIVE`?'],
  ['flags = [1, 2, 3, 4, 5]', 'cfg.flags has 4 elements, not 5'],
  ['flags = [1, 256]', 'cfg.flags[1] takes an integer from 0 to 255'],
  ['flags = "0x01"', 'cfg.flags takes a list, or its 4 bytes: "0x" and two digits for each'],
  ['name = "abcdefghi"', 'cfg.name has 8 bytes, `abcdefghi` 9'],
  ['inner = [1]', 'cfg.inner[0] takes a table, or its 4 bytes: "0x" and two digits for each'],
])('a field does not take %s', (fields, reason) => {
  expect(() => layOut(`[preset.a]\nset = { cfg = { ${fields} } }`)).toThrow(`bpfgate.toml:2: preset \`a\`: ${reason}`);
});

test('entries have keys and values by type, by size where there is no type, and no key where the map has none', () => {
  const entry = (text: string) => `[[preset.a.entries]]\n${text}\n`;
  const given = [
    'map = "allowed"\nkey = 443\nvalue = { verdict = 3 }',
    'map = "counts"\nkey = 1\nvalue = "0x01020304"',
    'map = "queue"\nvalue = -0',
  ];
  expect(layOut(given.map(entry).join('')).presets[0]?.entries).toEqual([
    { map: 'allowed', key: [0xbb, 1], value: [0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0] },
    { map: 'counts', key: [1, 0, 0, 0], value: [1, 2, 3, 4] },
    { map: 'queue', key: [], value: [0, 0, 0, 0] },
  ]);
  for (const [wrong, reason] of [
    ['map = "counts"\nkey = "0x01"\nvalue = 1', "key of `counts` has no type in the object's BTF; give its 4 bytes"],
    ['map = "alowed"\nkey = 1\nvalue = 1', 'no object has a map `alowed`; did you mean `allowed`?'],
    [
      'map = "allowed"\nkey = 1\nvalue = { verdic = 1 }',
      'value of `allowed` has no field `verdic`; did you mean `verdict`?',
    ],
  ]) {
    expect(() => layOut(entry(wrong ?? ''))).toThrow(`bpfgate.toml:1: preset \`a\`: ${reason}`);
  }
});

test('a name that no object has is an error, a pointer is not set, and one object is enough', () => {
  const of = (name: string) => `[preset.a]\nset.${name} = 1`;
  expect(() => layOut(of('max_dept'))).toThrow(
    'bpfgate.toml:2: preset `a`: no object has a variable `max_dept`; did you mean `max_depth`?',
  );
  expect(() => layOut(of('pointer'))).toThrow('pointer is neither a number, an array nor a struct, and cannot be set');
  const { presets, warnings } = layOut(of('max_depth'), [plain, file]);
  expect(presets.map((preset) => preset?.data.length)).toEqual([undefined, 1]);
  expect(warnings).toEqual([]);
});

test('a preset with a value that does not fit an object is not used for it, as long as the value fits another', () => {
  const { presets } = parseConfig('[preset.a]\nset = { max_depth = 1, total = 256 }', 'bpfgate.toml');
  const all = new PresetLayout(presets, 'bpfgate.toml');
  const layout = readLayout(file);
  if (layout === undefined) throw new Error('the fixture has no layout');
  const total = { section: '.data', at: 0, initial: Buffer.alloc(0), size: 1, type: undefined };
  const small = all.add(object, { ...layout, variables: new Map([...layout.variables, ['total', total]]) });
  expect(small.presets).toBeUndefined();
  expect(() => all.finish()).toThrow(
    "bpfgate.toml:2: preset `a`: total has no type in the object's BTF; give its 1 bytes",
  );
  expect(all.add(object, layout).presets).toHaveLength(1);
  expect(all.finish()).toEqual([
    'preset `a` is not used for `preset`, head: total has no type in the object\'s BTF; give its 1 bytes, "0x" and two digits for each',
  ]);
});

test('objects that cannot be read are warned about, and so is what no other object has', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bpfgate-presets-'));
  try {
    writeFileSync(join(dir, 'preset.bpf.o'), file);
    writeFileSync(join(dir, 'damaged.bpf.o'), 'not an object');
    writeFileSync(join(dir, 'large.bpf.o'), '');
    truncateSync(join(dir, 'large.bpf.o'), 16 * 1024 * 1024 + 1);
    const both = parseConfig('[preset.a]\nset.max_dept = 1\n[preset.b]\nset.max_depth = 1', 'bpfgate.toml');
    const add = async (...names: readonly string[]) => await addTo(names, {}, both.presets);
    const addTo = async (
      names: readonly string[],
      sections: Readonly<Record<string, string>>,
      presets: readonly Preset[],
    ) => {
      const objects = names.map((name) => ({ ...object, name, path: `${name}.bpf.o` }));
      const builds = { head: { dir }, objects, warnings: ['before'] } as unknown as Builds;
      return await addPresets(builds, { presets, sections, file: 'bpfgate.toml' });
    };
    const gone = 'preset `a`: no object has a variable `max_dept`; did you mean `max_depth`?';
    await expect(add('preset')).rejects.toThrow(gone);
    const { warnings, objects } = await add('damaged', 'large', 'missing', 'preset');
    expect(warnings).toEqual([
      'before',
      'presets are not used for `damaged`, head: it is damaged or missing',
      expect.stringMatching(/^presets are not used for `large`, head: .* it is longer than 16777216 bytes$/),
      'presets are not used for `missing`, head: it is damaged or missing',
      `bpfgate.toml:2: ${gone}`,
    ]);
    expect(objects.map(({ presets }) => presets?.length)).toEqual([undefined, undefined, undefined, 1]);
    expect((await add('damaged')).warnings).toHaveLength(4);
    const sections = { sk_lookop: 'sk_lookup', xdp: 'tc' };
    expect((await addTo(['preset'], sections, [])).warnings).toEqual([
      'before',
      'bpfgate.toml: [[program]]: no object has a section `sk_lookop`; did you mean `sk_lookup`?',
    ]);
    expect((await addTo(['preset', 'damaged'], sections, [])).warnings).toEqual(['before']);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('presets write at most 1 MiB', () => {
  const { presets } = parseConfig('[preset.a]\nset.zeros = [1]', 'bpfgate.toml');
  const all = new PresetLayout(presets, 'bpfgate.toml');
  const layout = readLayout(file);
  if (layout === undefined) throw new Error('the fixture has no layout');
  const add = () => {
    for (let written = 0; written <= 1024 * 1024; written += 16) all.add(object, layout);
  };
  expect(add).toThrow('bpfgate.toml: presets write more than 1024 KiB into objects');
});

test('types that repeat the members of others are given up after a million visits', () => {
  const [header, count, bytes] = [24, 3000, 24];
  const blob = Buffer.alloc(header + count * bytes + 1);
  for (const [at, word] of [header, 0, count * bytes, count * bytes, 1].entries()) blob.writeUInt32LE(word, 4 + 4 * at);
  // Each is a struct whose only member has no name and is the next struct.
  for (let id = 1; id <= count; id++) {
    const at = header + (id - 1) * bytes;
    blob.writeUInt32LE((kinds.struct << 24) | 1, at + 4);
    blob.writeUInt32LE(id + 1, at + 16);
  }
  const types = new Types(blob);
  const readAll = () => [...types.ofKind(kinds.struct)].map((type) => types.membersOf(type));
  expect(types.membersOf(types.get(count - 1) as BtfType).size).toBe(1);
  expect(readAll).toThrow(RangeError);
  expect(readAll).toThrow('too many types and members');
});

test('what is no object has no layout', () => {
  expect(readLayout(file.subarray(0, 40))).toBeUndefined();
  expect(readLayout(Buffer.from('not an object'))).toBeUndefined();
});
