import { expect, test } from 'vitest';
import { cargoSubcommand, tuneCriterionCommand } from '../../src/plan/criterion-command.ts';

const cargo = '--message-format=json --output-format quiet --plotting-backend disabled';
const criterion = '--sample-size 10 --warm-up-time 0.005 --measurement-time 0.005 --nresamples 100';

test.each([
  ['cargo criterion', `cargo criterion --bench '*' ${cargo} -- ${criterion}`],
  ['cargo criterion --bench micro', `cargo criterion --bench micro ${cargo} -- ${criterion}`],
  ['  cargo   criterion --bench=micro  ', `cargo criterion --bench=micro ${cargo} -- ${criterion}`],
  ['cargo +nightly criterion --benches', `cargo +nightly criterion --benches ${cargo} -- ${criterion}`],
  [
    `RUST_LOG="info b" A=1 cargo criterion -p 'x y' fib`,
    `RUST_LOG="info b" A=1 cargo criterion -p 'x y' fib --bench '*' ${cargo} -- ${criterion}`,
  ],
  [
    'cargo criterion --bench micro --message-format json --plotting-backend=plotters',
    `cargo criterion --bench micro --message-format json --plotting-backend=plotters --output-format quiet -- ${criterion}`,
  ],
  [
    'cargo criterion --bench micro -- --sample-size=20 --nresamples 2000 fib',
    `cargo criterion --bench micro ${cargo} -- --sample-size=20 --nresamples 2000 fib --warm-up-time 0.005 --measurement-time 0.005`,
  ],
  [
    'cargo criterion --bench micro -- --quick',
    `cargo criterion --bench micro ${cargo} -- --quick --warm-up-time 0.005 --measurement-time 0.005 --nresamples 100`,
  ],
])('%s', (command, tuned) => {
  expect(tuneCriterionCommand(command)).toBe(tuned);
  expect(tuneCriterionCommand(tuned), 'tuning twice changes nothing').toBe(tuned);
});

test.each([
  'cd xdp && cargo criterion',
  'cargo criterion | tee log',
  'cargo criterion; true',
  'cargo criterion $FLAGS',
  'cargo criterion `cat flags`',
  'cargo criterion "$(cat flags)"',
  'cargo criterion # all of them',
  'cargo criterion\ntrue',
  "cargo criterion 'open",
  'sh -c "cargo criterion"',
  './cargo criterion',
  'cargo bench',
  '',
])('leaves %j as it is', (command) => {
  expect(tuneCriterionCommand(command)).toBe(command);
});

test.each([
  ['cargo criterion', 'criterion'],
  ['A=1 cargo +stable bench --bench x', 'bench'],
  ['cargo', 'other'],
  ['make bench', 'other'],
  ['cd x && cargo bench', 'complex'],
])('%j runs %s', (command, subcommand) => {
  expect(cargoSubcommand(command)).toBe(subcommand);
});
