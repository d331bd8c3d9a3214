// Inputs: bpfgate.toml, checked and with its defaults filled in.

import { clipMiddle } from '../common/clip-middle.ts';
import { InputError } from '../common/errors.ts';
import { isSecretName } from '../common/secret-names.ts';
import {
  type BenchConfig,
  benchFormats,
  type Config,
  type Context,
  contextTypes,
  type Lane,
  type Limit,
  type LimitOverride,
  lanes,
  type Manifest,
  type PacketFile,
  type Preset,
  type PresetValue,
  runners,
} from '../model/inputs.ts';
import type { NamedKernel } from '../model/kernel.ts';
import { attachedRuns, encodeArguments, encodeLookup, standardContexts } from './contexts.ts';
import { parseLane, suggestKnown } from './lanes.ts';
import { limitExamples, parseLimit } from './limit.ts';
import { manifestNames, manifestOf } from './manifest.ts';
import { parseBytes } from './numbers.ts';
import { isKernelName } from './own-kernels.ts';
import { isPacketName, maxPacketName, maxPackets } from './packets.ts';
import { parseToml, type TomlNode, type TomlTable } from './toml.ts';

/** Largest growth that passes, as a fraction. README.md and docs/usage.md repeat these. */
const defaultLimits: Readonly<Record<Lane, Limit>> = { instructions: 0, verifier: 0 };
/** Characters. The guest agent has the same limit, because the name becomes part of file names. */
const maxBenchName = 100;
/** Limits the number of object globs: each is matched against every object of a build. */
const maxObjects = 100;
/** Characters. */
const maxMessage = 1000;
/** Maximum length of a syscall program's context, in bytes. The kernel takes 64 KiB. */
const maxContext = 4096;
/** Each makes one more load of every program that it concerns. */
const maxPresets = 16;
/** Maximum nesting of lists and tables in a value of a preset. */
const maxPresetDepth = 32;

/**
 * @param text the content of bpfgate.toml
 * @param file its path relative to the project, named in errors and kept in the result
 * @param manifest what the project is built with. Default: cargo
 * @throws InputError naming file, line and key for the first thing that is not TOML, unknown or not allowed
 */
export function parseConfig(text: string, file: string, manifest = manifestOf(() => false)): Config {
  const reader = new Reader(file, manifest);
  const root = parseToml(text, file);
  reader.checkKeys(root, 'at the top', [
    'kernels',
    'kernel',
    'lanes',
    'runner',
    'build',
    'bench',
    'program',
    'standard-inputs',
    'input',
    'preset',
    'gate',
  ]);
  return {
    file,
    kernels: readKernels(root, reader),
    namedKernels: readNamedKernels(root, reader),
    lanes: readLanes(root, reader),
    runner: reader.choice(root, 'runner', runners, runners[0]),
    build: readBuild(root, reader),
    benches: readBenches(root, reader),
    standardInputs: reader.boolean(root, 'standard-inputs', null),
    sections: readSections(root, reader),
    ...readInputTables(root, reader),
    presets: readPresets(root, reader),
    gate: readGate(root, reader),
  };
}

/**
 * Makes the error for a missing bpfgate.toml.
 *
 * @param projects folders below that have one, as paths from the current folder
 */
export function missingConfigError(path: string, { example }: Manifest, projects: readonly string[]): InputError {
  const [first, ...others] = projects;
  return new InputError(`no configuration: \`${path}\` does not exist`, {
    hint:
      first === undefined
        ? `\`bpfgate count 'PATH/*.bpf.o'\` counts object files without one; \`bpfgate init\` writes bpfgate.toml for a ${manifestNames}; or create it, for example with a benchmark:\n\n${example}`
        : others.length === 0
          ? `there is one in ${first}: choose that project by --project (input project)`
          : `choose a project that has one, by --project (input project): ${projects.join(', ')}`,
  });
}

function readKernels(root: TomlTable, reader: Reader): readonly string[] {
  const node = root.entries.get('kernels');
  if (node === undefined) return ['lts'];
  const selectors = reader.strings(node, 'kernels', '["6.1", "6.12"]');
  if (selectors.length === 0) {
    throw reader.error(
      node,
      '`kernels` is empty; name at least one, such as "6.1", "5.8..6.1", "lts", "latest" or "all"',
    );
  }
  return selectors;
}

function readNamedKernels(root: TomlTable, reader: Reader): readonly NamedKernel[] {
  const place = 'in [[kernel]]';
  const seen = new Map<string, number>();
  const list = root.entries.get('kernel');
  if (list?.kind === 'array' && list.items[0]?.kind !== 'table') {
    throw reader.error(list, '`kernel` is a list; write [[kernel]] before each, or `kernels` for a list of selectors');
  }
  return reader.tables(list, 'kernel').map((table) => {
    reader.checkKeys(table, place, ['name', 'url', 'sha256']);
    const read = (key: string) => {
      const node = reader.required(table, key, place);
      return { node, text: reader.text(node, key, place) };
    };
    const name = read('name');
    if (!isKernelName(name.text)) {
      throw reader.error(
        name.node,
        `\`name\` is ${quote(name.text)}; allowed: a letter, then letters, digits, \`_\`, \`-\` and \`.\`, 64 at most; versions and "lts", "latest" and "all" name pinned kernels`,
      );
    }
    const first = seen.get(name.text);
    if (first !== undefined) {
      throw reader.error(name.node, `duplicate kernel name ${quote(name.text)}, first used at line ${first}`);
    }
    seen.set(name.text, name.node.line);
    const url = read('url');
    const { protocol, username, password } = URL.parse(url.text) ?? {};
    if (protocol !== 'https:' || username !== '' || password !== '') {
      throw reader.error(url.node, `\`url\` is ${quote(url.text)}; allowed: an https address without a login`);
    }
    const sha256 = read('sha256');
    if (!/^[0-9a-f]{64}$/.test(sha256.text)) {
      throw reader.error(
        sha256.node,
        `\`sha256\` is ${quote(sha256.text)}; allowed: 64 lower-case hexadecimal digits, as \`sha256sum\` prints them`,
      );
    }
    return { name: name.text, url: url.text, sha256: sha256.text };
  });
}

function readLanes(root: TomlTable, reader: Reader): readonly Lane[] {
  const node = root.entries.get('lanes');
  if (node === undefined) return lanes;
  const names = reader.strings(node, 'lanes', '["instructions"]');
  if (names.length === 0) throw reader.error(node, `\`lanes\` is empty; allowed: ${lanes.join(', ')}`);
  return [...new Set(names.map((name) => parseLane(name, reader.where(node))))];
}

function readBuild(root: TomlTable, reader: Reader): Config['build'] {
  const table = reader.table(root.entries.get('build'), 'build');
  if (table === undefined) {
    return { command: reader.manifest.build, where: 'host', network: false, objects: null, env: [] };
  }
  reader.checkKeys(table, 'in [build]', ['command', 'where', 'network', 'objects', 'env']);
  const where = reader.choice(table, 'where', ['host', 'guest'], 'host');
  const network = reader.boolean(table, 'network', false);
  const node = table.entries.get('network');
  if (network && node !== undefined && where === 'guest') {
    throw reader.error(node, '`network` is for builds on the host: a guest has no network');
  }
  const command = table.entries.get('command');
  return {
    command: command === undefined ? reader.manifest.build : reader.text(command, 'command', 'in [build]'),
    where,
    network,
    objects: readObjects(table.entries.get('objects'), reader),
    env: readVariables(table.entries.get('env'), reader),
  };
}

function readObjects(node: TomlNode | undefined, reader: Reader): readonly string[] | null {
  if (node === undefined) return null;
  const globs = reader.strings(node, 'objects', '["src/*.bpf.o"]');
  if (globs.length === 0) throw reader.error(node, '`objects` is empty; name at least one, such as "src/*.bpf.o"');
  if (globs.length > maxObjects) {
    throw reader.error(
      node,
      `\`objects\` holds ${globs.length} names; allowed: at most ${maxObjects}, and \`*\` in each`,
    );
  }
  return globs;
}

/** Reads names of environment variables. A pull request can write the list, and its build can read their values. */
function readVariables(node: TomlNode | undefined, reader: Reader): readonly string[] {
  if (node === undefined) return [];
  const names = reader.strings(node, 'env', '["VERSION"]');
  for (const [index, name] of names.entries()) {
    const refuse = (why: string) =>
      reader.error(
        (node.kind === 'array' ? node.items[index] : undefined) ?? node,
        `\`env\` holds ${quote(name)}, ${why}`,
      );
    if (!/^[A-Za-z_]\w*$/.test(name)) throw refuse("which is no variable's name; allowed: letters, digits and `_`");
    if (/^(GITHUB|ACTIONS|INPUT|RUNNER)_/i.test(name)) {
      throw refuse("which is the runner's own; give the build's commands its value in a variable of another name");
    }
    if (isSecretName(name)) {
      throw refuse('which looks like a secret; a build runs the code of pull requests, so it gets none');
    }
  }
  return [...new Set(names)].toSorted();
}

function readBenches(root: TomlTable, reader: Reader): readonly BenchConfig[] {
  const seen = new Map<string, number>();
  return reader.tables(root.entries.get('bench'), 'bench').map((table) => {
    reader.checkKeys(table, 'in [[bench]]', ['name', 'command', 'format', 'observe', 'profile']);
    const nameNode = reader.required(table, 'name', 'in [[bench]]');
    const name = reader.text(nameNode, 'name', 'in [[bench]]');
    // The name is part of guest file names, and the prefix of benchmark names, in which `/` is the separator.
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name)) {
      throw reader.error(nameNode, `\`name\` is ${quote(name)}; allowed: letters, digits, \`_\`, \`-\` and \`.\``);
    }
    if (name.length > maxBenchName) {
      throw reader.error(nameNode, `\`name\` has ${name.length} characters; allowed: at most ${maxBenchName}`);
    }
    const first = seen.get(name);
    if (first !== undefined) {
      throw reader.error(nameNode, `duplicate bench name ${quote(name)}, first used at line ${first}`);
    }
    seen.set(name, nameNode.line);
    return {
      name,
      command: reader.requiredText(table, 'command', 'in [[bench]]'),
      format: reader.choice(table, 'format', benchFormats, 'auto'),
      observe: reader.boolean(table, 'observe', true),
      profile: reader.boolean(table, 'profile', false),
      line: nameNode.line,
    };
  });
}

function readSections(root: TomlTable, reader: Reader): Readonly<Record<string, string>> {
  const place = 'in [[program]]';
  const sections = new Map<string, string>();
  for (const table of reader.tables(root.entries.get('program'), 'program')) {
    reader.checkKeys(table, place, ['section', 'type']);
    const section = reader.requiredText(table, 'section', place);
    const type = reader.requiredText(table, 'type', place);
    if (sections.has(section)) throw reader.error(table, `section ${quote(section)} has two types ${place}`);
    sections.set(section, type);
  }
  return Object.fromEntries([...sections].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function readInputTables(root: TomlTable, reader: Reader): Pick<Config, 'packetFiles' | 'contexts'> {
  const place = 'in [[input]]';
  const packetFiles: PacketFile[] = [];
  const contexts: Context[] = [];
  const tables = reader.tables(root.entries.get('input'), 'input');
  for (const table of tables) {
    const nameNode = reader.required(table, 'name', place);
    const name = readName(nameNode, place, reader);
    if (attachedRuns.includes(name)) {
      const reason = `${quote(name)}, the name of runs of attached programs`;
      throw reader.error(nameNode, `\`name\` ${place} is ${reason}; choose another name`);
    }
    const type = reader.choice(table, 'context', contextTypes, undefined);
    if (type === undefined) {
      reader.checkKeys(table, place, ['name', 'file', 'context']);
      packetFiles.push({ name, file: reader.requiredText(table, 'file', place), line: nameNode.line });
      continue;
    }
    const context = readContext(table, type, reader);
    const own = [...standardContexts, ...contexts].filter((other) => other.type === context.type);
    if (own.some((other) => other.name === name)) {
      throw reader.error(nameNode, `there is another ${context.type} context \`${name}\`; give it another name`);
    }
    contexts.push({ name, ...context });
  }
  if (tables.length > maxPackets) {
    throw new InputError(`${reader.file}: ${tables.length} [[input]] tables; allowed: at most ${maxPackets}`);
  }
  return { packetFiles, contexts };
}

/** Reads a name that becomes part of names of benchmarks. */
function readName(node: TomlNode, place: string, reader: Reader): string {
  const name = reader.text(node, 'name', place);
  if (isPacketName(name)) return name;
  throw reader.error(
    node,
    `\`name\` is ${quote(name)}; allowed: letters, digits, \`_\`, \`-\` and \`.\`, ${maxPacketName} at most`,
  );
}

function readContext(table: TomlTable, type: Context['type'], reader: Reader): Omit<Context, 'name'> {
  const place = `in [[input]] of context ${quote(type)}`;
  const read = (key: string) => {
    const node = reader.required(table, key, place);
    return { node, key, text: () => reader.text(node, key, place) };
  };
  const refuse = ({ node, key }: ReturnType<typeof read>, allowed: string) =>
    reader.error(node, `\`${key}\` ${place} is ${describe(node)}; allowed: ${allowed}`);
  switch (type) {
    case 'raw_tracepoint': {
      reader.checkKeys(table, place, ['name', 'context', 'args']);
      const args = read('args');
      const bytes = args.node.kind === 'array' ? encodeArguments(args.node.items.map(toPlain)) : undefined;
      if (bytes === undefined) throw refuse(args, 'a list of at most 12 integers of 64 bits');
      return { type, bytes };
    }
    case 'syscall': {
      reader.checkKeys(table, place, ['name', 'context', 'bytes']);
      const given = read('bytes');
      const bytes = parseBytes(given.text());
      if (bytes === undefined || bytes.length > maxContext) {
        throw refuse(given, `"0x" and two hexadecimal digits for each byte, at most ${maxContext} bytes`);
      }
      return { type, bytes };
    }
    case 'sk_lookup': {
      reader.checkKeys(table, place, ['name', 'context', 'protocol', 'remote', 'local']);
      const isUdp = reader.choice(table, 'protocol', ['tcp', 'udp'], 'tcp') === 'udp';
      const local = read('local');
      const bytes = encodeLookup({ isUdp, remote: read('remote').text(), local: local.text() });
      if (bytes === undefined) {
        throw refuse(local, '`local` and `remote` of one family, such as "192.0.2.1:443" or "[2001:db8::1]:443"');
      }
      return { type, bytes };
    }
  }
}

function readPresets(root: TomlTable, reader: Reader): readonly Preset[] {
  const presets = [...(reader.table(root.entries.get('preset'), 'preset.NAME')?.entries ?? [])];
  if (presets.length > maxPresets) {
    throw new InputError(`${reader.file}: ${presets.length} presets; allowed: at most ${maxPresets}`);
  }
  return presets.map(([name, node]) => {
    const table = reader.table(node, `preset.${name}`);
    const place = `in [preset.${name}]`;
    if (table === undefined || !isPacketName(name)) {
      throw reader.error(
        node,
        `a preset is called ${quote(name)}; allowed: letters, digits, \`_\`, \`-\` and \`.\`, ${maxPacketName} at most`,
      );
    }
    reader.checkKeys(table, place, ['set', 'entries']);
    const set = reader.table(table.entries.get('set'), `preset.${name}.set`);
    const variables = [...(set?.entries ?? [])].map(([variable, value]) => ({
      name: variable,
      value: readValue(value, `set.${variable}`, reader),
      line: value.line,
    }));
    const entries = reader.tables(table.entries.get('entries'), `preset.${name}.entries`).map((entry) => {
      const own = `in [[preset.${name}.entries]]`;
      reader.checkKeys(entry, own, ['map', 'key', 'value']);
      const key = entry.entries.get('key');
      return {
        map: reader.requiredText(entry, 'map', own),
        key: key === undefined ? undefined : readValue(key, 'key', reader),
        value: readValue(reader.required(entry, 'value', own), 'value', reader),
        line: entry.line,
      };
    });
    if (variables.length + entries.length === 0) {
      throw reader.error(table, `no \`set\` and no \`entries\` ${place}; give at least one`);
    }
    return { name, variables, entries };
  });
}

function readValue(node: TomlNode, key: string, reader: Reader, depth = maxPresetDepth): PresetValue {
  if (depth === 0) throw reader.error(node, `\`${key}\` is nested more than ${maxPresetDepth} deep`);
  const read = (own: TomlNode) => readValue(own, key, reader, depth - 1);
  if (node.kind === 'array') return node.items.map(read);
  if (node.kind === 'table') return Object.fromEntries([...node.entries].map(([name, own]) => [name, read(own)]));
  const value = toPlain(node);
  if (value !== undefined) return value;
  throw reader.error(
    node,
    `\`${key}\` is ${describe(node)}; allowed: integers, booleans, strings, and lists and tables of them`,
  );
}

/** The value of an integer, a boolean or a string; undefined for another. */
function toPlain(node: TomlNode): number | boolean | string | undefined {
  if (!('value' in node) || node.kind === 'date') return undefined;
  const { value } = node;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  return typeof value === 'boolean' || typeof value === 'string' ? value : undefined;
}

function readGate(root: TomlTable, reader: Reader): Config['gate'] {
  const table = reader.table(root.entries.get('gate'), 'gate');
  if (table === undefined) return { limits: defaultLimits, overrides: [] };
  reader.checkKeys(table, 'in [gate]', [...lanes, 'override']);
  const limits = { ...defaultLimits };
  for (const lane of lanes) {
    const node = table.entries.get(lane);
    if (node !== undefined) limits[lane] = reader.limit(node, lane);
  }
  return {
    limits,
    overrides: reader
      .tables(table.entries.get('override'), 'gate.override')
      .map((entry) => readOverride(entry, reader)),
  };
}

function readOverride(table: TomlTable, reader: Reader): LimitOverride {
  const place = 'in [[gate.override]]';
  reader.checkKeys(table, place, ['benchmark', 'kernel', 'lane', 'limit']);
  const benchmark = table.entries.get('benchmark');
  const kernel = table.entries.get('kernel');
  const lane = reader.choice(table, 'lane', lanes, undefined);
  if (benchmark === undefined && kernel === undefined && lane === undefined) {
    throw reader.error(table, `no \`benchmark\`, \`kernel\` or \`lane\` ${place}; name at least one`);
  }
  return {
    ...(benchmark === undefined ? {} : { benchmark: reader.text(benchmark, 'benchmark', place) }),
    ...(kernel === undefined ? {} : { kernel: reader.text(kernel, 'kernel', place) }),
    ...(lane === undefined ? {} : { lane }),
    limit: reader.limit(reader.required(table, 'limit', place), 'limit'),
  };
}

/** Takes typed values out of the tree; each method throws an InputError naming file, line and key. */
class Reader {
  readonly file: string;
  readonly manifest: Manifest;

  constructor(file: string, manifest: Manifest) {
    this.file = file;
    this.manifest = manifest;
  }

  where(node: TomlNode): string {
    return `${this.file}:${node.line}`;
  }

  error(node: TomlNode, message: string): InputError {
    // The message quotes keys and values, which can be as long as the file.
    return new InputError(`${this.where(node)}: ${clipMiddle(message, maxMessage)}`);
  }

  checkKeys(table: TomlTable, place: string, allowed: readonly string[]): void {
    for (const [key, node] of table.entries) {
      if (allowed.includes(key)) continue;
      throw this.error(
        node,
        `unknown key \`${key}\` ${place}; allowed: ${allowed.join(', ')}${suggestKnown(key, allowed)}`,
      );
    }
  }

  required(table: TomlTable, key: string, place: string): TomlNode {
    const node = table.entries.get(key);
    if (node === undefined) throw this.error(table, `no \`${key}\` ${place}; it is required`);
    return node;
  }

  table(node: TomlNode | undefined, key: string): TomlTable | undefined {
    if (node === undefined || node.kind === 'table') return node;
    throw this.error(node, `\`${key}\` is ${describe(node)}; write a table: [${key}]`);
  }

  tables(node: TomlNode | undefined, key: string): readonly TomlTable[] {
    if (node === undefined) return [];
    const wrong = (found: TomlNode) =>
      this.error(found, `\`${key}\` is ${describe(found)}; write [[${key}]] before each`);
    if (node.kind !== 'array') throw wrong(node);
    return node.items.map((item) => {
      if (item.kind !== 'table') throw wrong(item);
      return item;
    });
  }

  /** A string that is not blank. */
  text(node: TomlNode, key: string, place: string): string {
    if (node.kind !== 'string') throw this.error(node, `\`${key}\` ${place} is ${describe(node)}; write a string`);
    const value = String(node.value);
    if (value.trim() === '') throw this.error(node, `\`${key}\` ${place} is empty`);
    return value;
  }

  requiredText(table: TomlTable, key: string, place: string): string {
    return this.text(this.required(table, key, place), key, place);
  }

  strings(node: TomlNode, key: string, example: string): readonly string[] {
    if (node.kind !== 'array') {
      throw this.error(node, `\`${key}\` is ${describe(node)}; write a list of strings, such as ${example}`);
    }
    return node.items.map((item) => {
      if (item.kind !== 'string') {
        throw this.error(item, `\`${key}\` holds ${describe(item)}; write a list of strings, such as ${example}`);
      }
      if (String(item.value).trim() === '') throw this.error(item, `\`${key}\` holds an empty string`);
      return String(item.value);
    });
  }

  /** `fallback` if the key is missing. */
  boolean<Fallback>(table: TomlTable, key: string, fallback: Fallback): boolean | Fallback {
    const node = table.entries.get(key);
    if (node === undefined) return fallback;
    if (node.kind === 'boolean') return node.value === true;
    throw this.error(node, `\`${key}\` is ${describe(node)}; allowed: true, false`);
  }

  /** One of `allowed`, or `fallback` if the key is missing. */
  choice<const Choice extends string, const Fallback>(
    table: TomlTable,
    key: string,
    allowed: readonly Choice[],
    fallback: Fallback,
  ): Choice | Fallback {
    const node = table.entries.get(key);
    if (node === undefined) return fallback;
    const value = node.kind === 'string' ? String(node.value) : null;
    const found = allowed.find((choice) => choice === value);
    if (found !== undefined) return found;
    const near = value === null ? '' : suggestKnown(value, allowed);
    throw this.error(node, `\`${key}\` is ${describe(node)}; allowed: ${allowed.map(quote).join(', ')}${near}`);
  }

  limit(node: TomlNode, key: string): Limit {
    const limit = node.kind === 'string' ? parseLimit(String(node.value)) : null;
    if (limit === null) throw this.error(node, `\`${key}\` is ${describe(node)}; allowed: ${limitExamples}`);
    return limit;
  }
}

function describe(node: TomlNode): string {
  switch (node.kind) {
    case 'table':
      return 'a table';
    case 'array':
      return 'a list';
    case 'string':
      return quote(String(node.value));
    case 'date':
      return 'a date or time';
    default:
      return String(node.value);
  }
}

function quote(value: string): string {
  return JSON.stringify(value);
}
