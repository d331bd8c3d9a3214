// Lint: finds places where a linter's finding is ignored without an explanation. Pure.

import { isMap, isPair, isScalar, isSeq, type Node, type Pair, parseDocument, visit } from 'yaml';

/** Directives of zizmor and of shellcheck; the text after a directive is its explanation. */
const directives = [/# *zizmor: *ignore\[[^\]]*\](?<why>.*)/, /# *shellcheck +disable=[\w,-]+(?<why>.*)/];

/**
 * Lists the ignored findings of a workflow or action.yml that are not explained on their line.
 *
 * @param file its name in messages
 * @returns one line each, `FILE:LINE: …`
 */
export function unexplainedInFile(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = directives.map((directive) => directive.exec(line)).filter((match) => match !== null);
    return found.filter((match) => !saysSomething(match.groups?.why)).map(() => complaint(file, index + 1, line));
  });
}

/**
 * Does the same for a linter's configuration: every item of a list `ignore`, every `disable` and every `config` of a
 * rule needs a comment above it or after it.
 */
export function unexplainedInConfiguration(file: string, text: string): string[] {
  const document = parseDocument(text);
  const complaints: string[] = [];
  const want = (node: Node, comments: readonly unknown[]) => {
    if (comments.some(saysSomething)) return;
    const line = text.slice(0, node.range?.[0] ?? 0).split('\n').length;
    complaints.push(complaint(file, line, text.split('\n')[line - 1] ?? ''));
  };
  visit(document, {
    Pair(index, pair, path) {
      const key = isScalar(pair.key) ? pair.key : undefined;
      if (key === undefined) return;
      if (key.value === 'ignore' && isSeq(pair.value)) {
        const list = pair.value;
        list.items.forEach((item, index) => {
          // The YAML parser attaches comments before the first item to the list.
          const above = index === 0 ? list.commentBefore : undefined;
          if (isPair(item)) return;
          const node = item as Node;
          want(node, [above, node.commentBefore, node.comment, isMap(node) ? firstComment(node.items[0]) : undefined]);
        });
      }
      if (key.value === 'disable' || key.value === 'config') {
        const value = pair.value as Node | null;
        // The YAML parser attaches comments before the first pair to the map.
        const above = index === 0 ? (path.at(-1) as Node).commentBefore : undefined;
        want(key, [above, key.commentBefore, key.comment, value?.commentBefore, value?.comment]);
      }
    },
  });
  return complaints;
}

function firstComment(pair: Pair | undefined): string | null | undefined {
  return (pair?.key as Node | undefined)?.commentBefore;
}

function saysSomething(comment: unknown): boolean {
  return typeof comment === 'string' && /\p{L}{2,}/u.test(comment);
}

function complaint(file: string, line: number, text: string): string {
  return `${file}:${line}: ignored without a word on why: ${text.trim()}`;
}
