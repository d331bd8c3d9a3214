// Common: the commands in a piece of shell, as far as its text shows them. Nothing is evaluated. Pure.

import { posix } from 'node:path';

/** One command: a program with its arguments, without the words before it that only change how it is started. */
export interface ShellCommand {
  /** Folder it runs in, relative to where the text starts; undefined where only the shell knows. */
  readonly folder: string | undefined;
  readonly words: readonly string[];
}

/** The most characters of one text that are read. */
const maxText = 256 * 1024;
const maxDepth = 4;
const maxFolder = 4096;

/** Words before a program: keywords of the shell, and programs that start another one. */
const starters = new Set([
  ...['if', 'then', 'else', 'elif', 'while', 'until', 'do', '!', '{', '}', 'sudo', 'env', 'exec', 'time', 'nice'],
]);
const shells = new Set(['sh', 'bash', 'dash']);

/** Pieces of shell: an escape, quoted texts, what separates commands, and everything between. */
const pieces =
  /\\[\s\S]|\$\{[^}\s]{0,200}\}|'[^']*'|"[^"]*"|\$\$?\(|[()`;\n]|&&?|\|\|?|(?<![^\s;&|(])#[^\n]*|[^\S\n]+|[^\s'"\\()`;&|$]+|[\s\S]/g;

/** Lists the commands of a text, in the order in which it names them. Those of `$(...)` and `sh -c` are among them. */
export function shellCommands(text: string, depth = 0): ShellCommand[] {
  const commands: ShellCommand[] = [];
  const above: (string | undefined)[] = [];
  const pending: { readonly words: string[]; readonly at: number }[] = [];
  let folder: string | undefined = '.';
  let words: string[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const add = (inner: string) => {
    if (depth >= maxDepth) return;
    for (const { folder: below, words } of shellCommands(inner, depth + 1)) {
      commands.push({ folder: join(folder, below), words });
    }
  };
  const endCommand = () => {
    endWord();
    const command = startOf(words);
    words = [];
    const [program = '', ...rest] = command;
    if (program === '') return;
    if (program === 'cd') {
      folder = join(folder, rest.find((each) => !each.startsWith('-')) ?? '');
      return;
    }
    const script = shells.has(program) ? rest[rest.findIndex((each) => /^-\w*c$/.test(each)) + 1] : undefined;
    if (script !== undefined && rest.some((each) => /^-\w*c$/.test(each))) add(script);
    else commands.push({ folder, words: command });
  };
  for (const [piece] of text
    .slice(0, maxText)
    .replaceAll(/\\\r?\n/g, ' ')
    .matchAll(pieces)) {
    if (/^\$?\$?\($/.test(piece)) {
      // The words before `$(` go on after it. What is inside is a command of its own.
      if (piece === '(') endCommand();
      else endWord();
      above.push(folder);
      if (piece !== '(') {
        pending.push({ words, at: above.length });
        words = [];
      }
    } else if (piece === ')') {
      endCommand();
      const before = pending.at(-1);
      if (before?.at === above.length) {
        pending.pop();
        words = before.words;
      }
      if (above.length > 0) folder = above.pop();
    } else if (/^(?:[`;\n]|&&?|\|\|?)$/.test(piece)) endCommand();
    else if (/^[^\S\n]+$/.test(piece) || piece.startsWith('#')) endWord();
    else if (/^'[^']*'$|^"[^"]*"$/.test(piece)) {
      const inner = piece.slice(1, -1);
      word = `${word ?? ''}${inner}`;
      if (piece.startsWith('"')) for (const [, call = ''] of inner.matchAll(/\$\(([^()]*)\)/g)) add(call);
    } else word = `${word ?? ''}${piece.startsWith('\\') ? piece.slice(1) : piece}`;
  }
  endCommand();
  return commands;
}

/** A command from its program on: without assignments, words of make and of the shell, and starters with options. */
function startOf(words: readonly string[]): readonly string[] {
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    const isStarter = starters.has(word) || (at > 0 && starters.has(words[at - 1] ?? '') && word.startsWith('-'));
    if (!isStarter && !/^[A-Za-z_]\w*=/.test(word) && !/^[@+-]+$/.test(word)) break;
  }
  return words.slice(at);
}

function join(folder: string | undefined, below: string | undefined): string | undefined {
  if (folder === undefined || below === undefined || /^\/|[$~]/.test(below)) return undefined;
  const joined = posix.join(folder, below);
  return joined.length > maxFolder ? undefined : joined;
}
