// Files of build tools, of which a pull request writes each: what they run and are linked with.

import {
  readAutoconf,
  readAutomake,
  readCMake,
  readDockerfile,
  readGo,
  readMakefile,
  readMeson,
  readRust,
  readScript,
} from '../../../src/inputs/build-files.ts';
import { check, type Target } from '../target.ts';

const parsers = [readMakefile, readAutomake, readScript, readCMake, readMeson, readAutoconf, readGo, readRust];

export const target: Target = {
  shape: 'text',
  refusals: [],
  words: [
    ...['\t$(CC) -lelf $<\n', 'all: x\n', 'CC ?= clang\n', '$(shell ', '$(abspath ', ': $X ', '\\\n', '&& ', 'cd a\n'],
    ...['find_program(', 'COMMAND ', 'pkg_check_modules(', 'dependency(', 'command : [', 'AC_CHECK_LIB([', '#cgo '],
    ...['//go:generate ', 'Command::new("', 'FROM x\nRUN apt-get install '],
  ],
  run(input) {
    const text = input.toString('utf8');
    for (const parse of parsers) {
      const { commands, libraries, includes } = parse(text);
      check(
        commands.every(({ words }) => words.length > 0),
        'a command has a program',
      );
      check(
        [...libraries, ...includes].every((name) => typeof name === 'string'),
        'names',
      );
    }
    check(
      readDockerfile(text).every((name) => !/\s/.test(name)),
      'packages',
    );
  },
};
