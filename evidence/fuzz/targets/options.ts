// The short texts of options, inputs and bpfgate.toml: globs, limits, lanes, shards, kernels. One a line.

import { InputError } from '../../../src/common/errors.ts';
import { matchesGlob } from '../../../src/common/glob.ts';
import { parseLanes } from '../../../src/inputs/lanes.ts';
import { parseLimit } from '../../../src/inputs/limit.ts';
import { parseShard, parseShards } from '../../../src/inputs/shard.ts';
import { readMissing, readPins } from '../../../src/kernels/pins.ts';
import { selectKernels } from '../../../src/kernels/select.ts';
import { check, type Target } from '../target.ts';

export const target: Target = {
  shape: 'text',
  refusals: [],
  words: ['*', '**a*', '5%', '0.5 %', 'off', '1/2', 'lts', 'latest', 'all', '5.10..6.1', ',', '6.1:tree'],
  maxBytes: 4096,
  run(input) {
    const [text = '', other = ''] = input.toString('utf8').split('\n');
    const isExact = matchesGlob(other, text);
    check(isExact === toPattern(other, text), `glob ${JSON.stringify(other)} on ${JSON.stringify(text)}`);
    const limit = parseLimit(text);
    check(limit === null || limit === 'off' || (Number.isFinite(limit) && limit >= 0), `the limit ${limit}`);
    for (const read of [
      () => check(parseLanes(text, 'lanes').length > 0, 'no lane'),
      () => {
        const shard = parseShard(text, 'shard');
        check(shard === null || (shard.index >= 1 && shard.index <= shard.count), 'a shard');
      },
      () => check(parseShards(text, 'shards') > 0, 'no shard'),
      () => check(selectKernels([text, other], readPins(), readMissing()).length > 0, 'no kernel'),
    ]) {
      try {
        read();
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
      }
    }
  },
};

/** `matchesGlob` by dynamic programming: slow, but plainly right. */
function toPattern(glob: string, text: string): boolean {
  if (glob.length * text.length > 200_000) return matchesGlob(glob, text);
  let row = [true, ...Array.from({ length: text.length }, () => false)];
  for (const unit of glob.split('')) {
    const next = [unit === '*' && (row[0] ?? false)];
    for (let at = 1; at <= text.length; at++) {
      const isOn = unit === '*' ? row[at] || next[at - 1] : row[at - 1] && text[at - 1] === unit;
      next.push(isOn ?? false);
    }
    row = next;
  }
  return row[text.length] ?? false;
}
