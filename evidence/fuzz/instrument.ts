// Fuzzing: bundles a target with all its imports into one file that counts the branches taken.

import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { parseSync } from 'rolldown/utils';

/** Maximum number of counters in the bundle; further branches share the last one. */
export const maxBranches = 1 << 16;

export interface Bundle {
  readonly branches: number;
  /** Strings in the project's own sources, which inputs are likely to need. */
  readonly words: readonly string[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/**
 * @param entry absolute path of a module
 * @param file absolute path to write; the bundle expects the counters in `globalThis.branches`
 */
export async function bundleInstrumented(entry: string, file: string): Promise<Bundle> {
  let branches = 0;
  const words = new Set<string>();
  const instrument: Plugin = {
    name: 'instrument',
    transform(code, id) {
      if (!/\.[cm]?[jt]s$/.test(id)) return null;
      const lang = id.endsWith('ts') ? 'ts' : 'js';
      const { program, errors } = parseSync(id, code, { lang, preserveParens: false });
      if (errors.length > 0) return null;
      const isOwn = !id.includes('node_modules');
      const insertions: { readonly at: number; readonly order: number; readonly text: string }[] = [];
      const count = () => `$branches[${Math.min(maxBranches - 1, branches++)}]++`;
      // At the same position, closing text must precede opening text.
      const wrap = ({ start, end }: Node, before: string, after: string) => {
        insertions.push({ at: start, order: 1_000_000 - (end - start), text: before });
        insertions.push({ at: end, order: -1_000_000 + (end - start), text: after });
      };
      const inExpression = (node: Node) => wrap(node, `(${count()}, `, ')');
      const inStatement = (node: Node | null | undefined) => {
        if (node == null) return;
        if (node.type === 'BlockStatement') inBlock(node as Node & { body: Node[] });
        else if (!/Declaration$/.test(node.type)) wrap(node, `{ ${count()}; `, ' }');
      };
      const inBlock = (node: Node & { readonly body: readonly Node[] }) => {
        const directives = node.body.filter((statement) => 'directive' in statement && statement.directive);
        insertions.push({ at: directives.at(-1)?.end ?? node.start + 1, order: 0, text: ` ${count()};` });
      };
      visit(program, (node) => {
        switch (node.type) {
          case 'FunctionDeclaration':
          case 'FunctionExpression':
            if (node.body != null) inBlock(node.body);
            break;
          case 'ArrowFunctionExpression':
            if (node.body.type === 'BlockStatement' || node.body.type === 'FunctionBody') inBlock(node.body);
            else inExpression(node.body);
            break;
          case 'IfStatement':
            inStatement(node.consequent);
            if (node.alternate?.type !== 'IfStatement') inStatement(node.alternate);
            break;
          case 'ForStatement':
          case 'ForInStatement':
          case 'ForOfStatement':
          case 'WhileStatement':
          case 'DoWhileStatement':
            inStatement(node.body);
            break;
          case 'SwitchCase':
            if (node.consequent[0] !== undefined) {
              insertions.push({ at: node.consequent[0].start, order: -1, text: `${count()}; ` });
            }
            break;
          case 'CatchClause':
            inBlock(node.body);
            break;
          case 'ConditionalExpression':
            inExpression(node.consequent);
            inExpression(node.alternate);
            break;
          case 'LogicalExpression':
            inExpression(node.right);
            break;
          case 'Literal':
            if (isOwn && typeof node.value === 'string' && node.value.length > 1 && node.value.length <= 40) {
              words.add(node.value);
            }
        }
      });
      insertions.sort((a, b) => a.at - b.at || a.order - b.order);
      let done = 0;
      let text = '';
      for (const insertion of insertions) {
        text += code.slice(done, insertion.at) + insertion.text;
        done = insertion.at;
      }
      return { code: `const $branches = globalThis.branches;${text}${code.slice(done)}` };
    },
  };
  const bundle = await rolldown({ input: entry, platform: 'node', plugins: [instrument], logLevel: 'silent' });
  try {
    await bundle.write({ file, format: 'esm', codeSplitting: false });
  } finally {
    await bundle.close();
  }
  return { branches: Math.min(branches, maxBranches), words: [...words].toSorted() };
}

// biome-ignore lint/suspicious/noExplicitAny: nodes of a syntax tree of many shapes
function visit(node: any, enter: (node: any) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const each of node) visit(each, enter);
    return;
  }
  if (typeof node.type === 'string') enter(node);
  for (const key of Object.keys(node)) if (key !== 'parent') visit(node[key], enter);
}

/** Absolute path of a target's module. */
export function targetModule(name: string): string {
  return join(import.meta.dirname, 'targets', `${name}.ts`);
}
