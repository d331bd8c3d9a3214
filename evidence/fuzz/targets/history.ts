// A file of the history on its branch, to which lines are added, and the folder of a project in it.

import { addLines, folderOf } from '../../../src/history/history-files.ts';
import { formatLine, type HistoryLine } from '../../../src/history/history-line.ts';
import { check, type Target } from '../target.ts';

const line: HistoryLine = {
  schema: 'bpfgate.history/1',
  commit: 'aa'.repeat(20),
  date: '2026-11-22T00:00:00Z',
  kernel: '6.1',
  release: '6.1.176',
  run: 7,
  fingerprint: '0123456789ab',
  bpfgate: '0.1.0',
  lane: 'instructions',
  benchmark: 'micro/a',
  measure: 'latency',
  unit: 'instructions',
  better: 'lower',
  value: 5,
  interval: 'exact',
};

const added = formatLine(line);

export const target: Target = {
  shape: 'json-lines',
  refusals: [],
  // Each line that is no JSON costs an exception.
  msPerKiB: 8,
  words: [added, 'aa'.repeat(20), 'history'],
  run(input) {
    const text = input.toString('utf8');
    const once = addLines(text, [line]);
    check(once.split('\n').includes(added), 'the line is not there');
    check(addLines(once, [line]) === once, 'recording it again changes the file');
    check(once.endsWith('\n'), 'the last line does not end');
    const others = text.split('\n').filter((each) => each !== '');
    check(once.split('\n').length - 1 <= others.length + 1, 'more lines than were there and were added');
    const folder = folderOf(text.slice(0, 2000));
    check(/^history(\/[\w%-][\w.%-]*)*$/.test(folder), `the folder ${JSON.stringify(folder)}`);
    check(!folder.split('/').some((part) => part === '.git' || part === '..' || part === '.'), `the folder ${folder}`);
  },
};
