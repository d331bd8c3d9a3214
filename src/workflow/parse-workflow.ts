// Workflow: parses what bpfgate needs of a workflow file, as GitHub reads it, with the line of everything. Pure.

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  Scalar,
  visit,
} from 'yaml';
import { clipMiddle } from '../common/clip-middle.ts';
import { InputError } from '../common/errors.ts';

/** UTF-16 units: fifty times a long workflow. */
export const maxText = 500_000;
/** Maximum aliases that are followed; each takes a search of the whole text. */
const maxAliases = 1000;

/** A value of the file, as text. */
export interface Value {
  /** 1-based. */
  readonly line: number;
  /** Text as GitHub passes it to a step: `5.1` for the number 5.10. */
  readonly text: string;
  /** Text in the file, where that is a number written differently. */
  readonly written?: string;
}

export type Values = ReadonlyMap<string, Value>;

/** Scopes with `read`, `write` or `none`; or one word for all of them, `read-all` or `write-all`. */
export interface Permissions {
  readonly line: number;
  readonly all: string | null;
  readonly scopes: Values;
}

export interface Step {
  readonly line: number;
  readonly id: string | null;
  readonly uses: Value | null;
  readonly run: string | null;
  readonly with: Values;
}

export interface Job {
  readonly id: string;
  readonly line: number;
  /** The reusable workflow that the job calls. */
  readonly uses: Value | null;
  readonly with: Values;
  readonly runsOn: readonly Value[];
  readonly container: Value | null;
  readonly timeoutMinutes: Value | null;
  /** Null where the job sets none. */
  readonly permissions: Permissions | null;
  /** Values of each key of the matrix; a key whose values an expression gives is missing. */
  readonly matrix: ReadonlyMap<string, readonly Value[]>;
  readonly steps: readonly Step[];
  /** Every text of the job. */
  readonly texts: readonly Value[];
}

export interface Workflow {
  /** Name for messages. */
  readonly file: string;
  /** Names of the events with their lines. */
  readonly triggers: ReadonlyMap<string, number>;
  readonly permissions: Permissions | null;
  readonly jobs: readonly Job[];
}

/**
 * @param file named in errors
 * @throws InputError with file and line when the text is not YAML or not a workflow
 */
export function parseWorkflow(text: string, file: string): Workflow {
  const reader = new Reader(text, file);
  const root = reader.root();
  return {
    file,
    triggers: reader.triggers(root.get('on')),
    permissions: reader.permissions(root.get('permissions')),
    jobs: reader.jobs(root.get('jobs')),
  };
}

/** An input or output of an action or of a reusable workflow. */
export interface Port {
  readonly required: boolean;
  /** As text; null where there is none. */
  readonly default: string | null;
  /** Type of a reusable workflow's input; always `string` for an action's. */
  readonly type: string;
}

/** What a caller has to know about an action or a reusable workflow. */
export interface Callable {
  readonly inputs: ReadonlyMap<string, Port>;
  readonly outputs: ReadonlySet<string>;
  /** Permissions that a reusable workflow's jobs ask for, together: scope to `read` or `write`. Empty for an action. */
  readonly permissions: ReadonlyMap<string, string>;
}

/** @throws InputError when the text is not YAML */
export function parseCallable(text: string, file: string): Callable {
  const reader = new Reader(text, file);
  const root = reader.root();
  const call = reader.map(reader.map(root.get('on')).get('workflow_call'));
  const of = (key: string) => reader.map(root.get(key) ?? call.get(key));
  const permissions = new Map<string, string>();
  for (const job of root.has('jobs') ? reader.jobs(root.get('jobs')) : []) {
    for (const [scope, { text: level }] of job.permissions?.scopes ?? []) {
      if (permissions.get(scope) !== 'write') permissions.set(scope, level);
    }
  }
  const inputs = [...of('inputs')].map(([name, node]) => {
    const fields = reader.map(node);
    const field = (key: string) => reader.value(fields.get(key))?.text ?? null;
    const port = { required: field('required') === 'true', default: field('default'), type: field('type') ?? 'string' };
    return [name, port] as const;
  });
  return { inputs: new Map(inputs), outputs: new Set(of('outputs').keys()), permissions };
}

interface Entry {
  /** Line of the key. */
  readonly line: number;
  readonly node: Node;
}

type Entries = ReadonlyMap<string, Entry>;

class Reader {
  readonly #file: string;
  readonly #lines = new LineCounter();
  readonly #document: Document;
  #aliases = 0;

  constructor(text: string, file: string) {
    this.#file = file;
    if (text.length > maxText) {
      throw new InputError(`${file} has ${text.length} characters; a workflow has at most ${maxText}`);
    }
    try {
      this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    } catch (cause) {
      // The parser's stack is as deep as the text is nested.
      if (!(cause instanceof RangeError)) throw cause;
      throw new InputError(`${file}: nested too deep`, { cause });
    }
    const [error] = this.#document.errors;
    if (error === undefined) return;
    const { line, col } = this.#lines.linePos(error.pos[0]);
    throw new InputError(`${file}:${line}:${col}: not YAML: ${clipMiddle(error.message, 300)}`);
  }

  root(): Entries {
    const { contents } = this.#document;
    if (contents !== null && isMap(contents)) return this.map(contents);
    throw new InputError(`${this.#file} is not a workflow: it has no keys`, {
      hint: 'give a file of .github/workflows',
    });
  }

  #line(node: Node): number {
    return node.range ? this.#lines.linePos(node.range[0]).line : 1;
  }

  /** The node that an alias stands for. */
  #follow(node: Node | null | undefined): Node | undefined {
    let found = node ?? undefined;
    while (isAlias(found)) {
      this.#aliases++;
      if (this.#aliases > maxAliases) throw new InputError(`${this.#file} has more than ${maxAliases} aliases`);
      found = found.resolve(this.#document);
    }
    return found;
  }

  /** Entries of a map; empty where there is no map. A key without a value has an empty scalar. */
  map(of: Entry | Node | undefined): Entries {
    const found = this.#follow(nodeOf(of));
    if (!isMap(found)) return new Map();
    return new Map(
      found.items.flatMap(({ key, value }): [string, Entry][] => {
        if (!isScalar(key)) return [];
        const node = this.#follow(value as Node | null) ?? new Scalar(null);
        return [[String(key.value), { line: this.#line(key), node }]];
      }),
    );
  }

  list(of: Entry | undefined): readonly Node[] {
    const found = this.#follow(of?.node);
    if (!isSeq(found)) return [];
    return found.items.flatMap((item) => this.#follow(item as Node | null) ?? []);
  }

  /** A scalar as text; null where there is no scalar. */
  value(of: Entry | Node | undefined): Value | null {
    const found = this.#follow(nodeOf(of));
    if (!isScalar(found)) return null;
    const text = found.value === null ? '' : String(found.value);
    const isRounded = typeof found.value === 'number' && found.source !== undefined && found.source !== text;
    const line = of !== undefined && 'node' in of ? of.line : this.#line(found);
    return { line, text, ...(isRounded ? { written: found.source } : {}) };
  }

  values(of: Entry | Node | undefined): Values {
    return new Map(
      [...this.map(of)].flatMap(([key, entry]) => {
        const found = this.value(entry);
        return found === null ? [] : [[key, found] as const];
      }),
    );
  }

  /** One value, or a list of them. */
  oneOrMore(of: Entry | undefined): readonly Value[] {
    const one = this.value(of);
    return one === null ? this.list(of).flatMap((item) => this.value(item) ?? []) : [one];
  }

  triggers(of: Entry | undefined): ReadonlyMap<string, number> {
    const found = new Map([
      ...this.oneOrMore(of).map(({ text, line }) => [text, line] as const),
      ...[...this.map(of)].map(([name, { line }]) => [name, line] as const),
    ]);
    if (found.size > 0) return found;
    throw new InputError(`${this.#file} is not a workflow: it has no \`on\``, {
      hint: 'give a file of .github/workflows',
    });
  }

  permissions(of: Entry | undefined): Permissions | null {
    if (of === undefined) return null;
    const all = this.value(of)?.text ?? null;
    return { line: of.line, all, scopes: this.values(of) };
  }

  jobs(of: Entry | undefined): readonly Job[] {
    const found = [...this.map(of)];
    if (found.length === 0) throw new InputError(`${this.#file} is not a workflow: it has no \`jobs\``);
    return found.map(([id, job]) => this.#job(id, job));
  }

  #job(id: string, job: Entry): Job {
    const fields = this.map(job);
    const runsOn = fields.get('runs-on');
    const labels = this.map(runsOn);
    const container = fields.get('container');
    const texts: Value[] = [];
    visit(job.node, {
      Scalar: (_, scalar) => {
        if (typeof scalar.value === 'string') texts.push({ line: this.#line(scalar), text: scalar.value });
      },
    });
    return {
      id,
      line: job.line,
      uses: this.value(fields.get('uses')),
      with: this.values(fields.get('with')),
      runsOn: labels.size === 0 ? this.oneOrMore(runsOn) : this.oneOrMore(labels.get('labels') ?? labels.get('group')),
      container: container === undefined ? null : { line: container.line, text: 'container' },
      timeoutMinutes: this.value(fields.get('timeout-minutes')),
      permissions: this.permissions(fields.get('permissions')),
      matrix: this.#matrix(this.map(fields.get('strategy')).get('matrix')),
      steps: this.list(fields.get('steps')).map((step) => this.#step(step)),
      texts,
    };
  }

  #matrix(of: Entry | undefined): ReadonlyMap<string, readonly Value[]> {
    const matrix = new Map<string, Value[]>();
    const add = (key: string, value: Value) => {
      const values = matrix.get(key);
      if (values === undefined) matrix.set(key, [value]);
      else values.push(value);
    };
    for (const [key, entry] of this.map(of)) {
      if (key === 'exclude') continue;
      for (const item of this.list(entry)) {
        const values = key === 'include' ? this.values(item) : [[key, this.value(item)] as const];
        for (const [name, value] of values) if (value !== null) add(name, value);
      }
    }
    return matrix;
  }

  #step(node: Node): Step {
    const fields = this.map(node);
    return {
      line: this.#line(node),
      id: this.value(fields.get('id'))?.text ?? null,
      uses: this.value(fields.get('uses')),
      run: this.value(fields.get('run'))?.text ?? null,
      with: this.values(fields.get('with')),
    };
  }
}

function nodeOf(of: Entry | Node | undefined): Node | undefined {
  return of !== undefined && 'node' in of ? of.node : of;
}
