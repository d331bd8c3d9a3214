import { expect, test } from 'vitest';
import { cargoSubcommand } from '../../src/plan/cargo-command.ts';
import { printSamples, startedOfCriterion, tuneCriterionCommand } from '../../src/plan/criterion-command.ts';

const cargo = '--message-format=json --output-format quiet --plotting-backend disabled';
const settings = '--sample-size 10 --warm-up-time 0.005 --measurement-time 0.005 --nresamples 100';

const tune = (command: string) => tuneCriterionCommand(command, { purpose: 'count', wholeSeconds: false });

test.each([
  ['cargo criterion', `cargo criterion --bench '*' ${cargo} -- ${settings}`],
  ['cargo criterion --bench micro', `cargo criterion --bench micro ${cargo} -- ${settings}`],
  ['  cargo   criterion --bench=micro  ', `cargo criterion --bench=micro ${cargo} -- ${settings}`],
  ['cargo +nightly criterion --benches', `cargo +nightly criterion --benches ${cargo} -- ${settings}`],
  [
    `RUST_LOG="info b" A=1 cargo criterion -p 'x y' fib`,
    `RUST_LOG="info b" A=1 cargo criterion -p 'x y' fib --bench '*' ${cargo} -- ${settings}`,
  ],
  [
    'cargo criterion --bench micro --message-format json --plotting-backend=plotters',
    `cargo criterion --bench micro --message-format json --plotting-backend=plotters --output-format quiet -- ${settings}`,
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
  expect(tune(command)).toBe(tuned);
  expect(tune(tuned), 'tuning twice changes nothing').toBe(tuned);
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
  '',
])('leaves %j unchanged', (command) => {
  expect(tune(command)).toBe(command);
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

test('`cargo bench` has its saved samples printed, whatever else it prints', () => {
  expect(tune('A=1 cargo bench --bench micro -- --nresamples 20')).toMatch(
    /^A=1 cargo bench --bench micro -- --nresamples 20 --sample-size 10 .*0\.005 --noplot$/,
  );
  expect(tune('cargo bench')).toMatch(/^cargo bench --bench '\*' -- --sample-size 10 /);
  expect(printSamples('cargo bench')).toMatch(/ && cargo bench && find "\$CRITERION_HOME"/);
});

test('profiling gets a longer time', () => {
  const settings = { purpose: 'profile', wholeSeconds: false } as const;
  expect(tuneCriterionCommand('cargo bench --bench micro', settings)).toBe(
    'cargo bench --bench micro -- --sample-size 10 --warm-up-time 0.005 --measurement-time 0.25 --nresamples 100 --noplot',
  );
});

test('Criterion 0.3 is given whole seconds', () => {
  const settings = { purpose: 'profile', wholeSeconds: true } as const;
  expect(tuneCriterionCommand('cargo criterion --benches', settings)).toContain(
    '--warm-up-time 1 --measurement-time 1 ',
  );
});

const criterion = { path: 'crate/benches/micro.rs', text: 'criterion_main!(benches);' };
const inFolder = { path: 'benches/parse/main.rs', text: 'use criterion::Criterion;' };
const shared = { path: 'benches/parse/inputs.rs', text: 'pub const LENGTH: usize = 3;' };
const other = { path: 'benches/xdp.rs', text: '// no criterion here\nfn main() {}' };

test.each([
  ['cargo bench', [criterion, inFolder, shared], 'all'],
  ['cargo bench', [criterion, other], 'some'],
  ['cargo bench --bench micro', [criterion, other], 'all'],
  ['cargo bench --bench=micro --bench parse', [criterion, inFolder, other], 'all'],
  ['cargo bench --bench xdp --bench micro', [criterion, other], 'some'],
  ['cargo bench --bench xdp', [criterion, other], 'none'],
  ['cargo bench --bench elsewhere', [criterion], 'none'],
  ['cargo bench --bench', [criterion], 'none'],
  ['cargo bench --lib', [criterion], 'none'],
  ['cargo criterion', [criterion], 'none'],
  ['cd crate && cargo bench', [criterion], 'none'],
  ['cargo bench', [], 'none'],
] as const)('%s: of what it starts %#', (command, sources, started) => {
  expect(startedOfCriterion(command, sources)).toBe(started);
});
