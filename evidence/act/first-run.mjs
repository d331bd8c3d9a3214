// `npm run e2e:act-first-run -- --project c|example|go`: runs a project's first pull request with nektos/act, on a
// machine with an empty cache that this script does not prepare, from `uses:` to the comment:
// examples/workflows/single-step.yml, then gate.yml with the cache emptied again. `npm run e2e:bare` provides such a
// machine. Plain JavaScript for Node 20, because it runs before anything is installed.
//
//   --keep   leave the temporary folder

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { check, fail, finish, prepareAct, show } from './act.mjs';
import { startProject, words } from './project.mjs';

/**
 * `options`: passed to `startProject`. `same`, `slower`: a change that costs nothing, and one that costs. `isAt`:
 * whether an annotation is at its place. `row`: the regression in the table.
 */
const projects = {
  c: {
    options: { inputs: ['packages: clang libbpf-dev make'] },
    same: { file: 'Makefile', from: '', to: '# A change that costs nothing.\n' },
    slower: words,
    isAt: ({ file, line }) => file === words.file && line === lineOf('sum +='),
    row: /\| `c\/sum_words` \| \*\*\+2 /,
  },
  go: {
    options: {
      source: 'tests/e2e/fixtures/go-cilium',
      toml: '[build]\ncommand = "go build"\n[[bench]]\nname = "go"\ncommand = "./packets"\n',
      inputs: ['packages: golang-go'],
    },
    same: { file: 'main.go', from: '// Sends packets', to: '// It sends packets' },
    slower: { file: 'main.go', from: 'additions = 8', to: 'additions = 9' },
    // The library assembles the program, so no source line is known for it.
    isAt: ({ file }) => file === undefined,
    row: /\| `go\/add_threes` \| \*\*\+1 /,
  },
  example: {
    options: { source: 'example-project' },
    same: { file: 'README.md', from: '# Example project\n', to: '# Example project\n\n<!-- It costs nothing. -->\n' },
    slower: { file: 'xdp-common/Cargo.toml', from: 'default = []', to: 'default = ["slow-fibonacci"]' },
    isAt: ({ file }) => file === 'xdp-common/src/source_addr.rs',
    row: /^#### `fun_xdp` \+\d/m,
  },
};

const { values: options } = parseArgs({
  options: { keep: { type: 'boolean', default: false }, project: { type: 'string', default: '' } },
});
const chosen = projects[options.project];
if (chosen === undefined) fail(`--project ${options.project}: use ${Object.keys(projects).join(', ')}`);

const prepared = prepareAct({ keep: options.keep });
const cache = join(prepared.temporary, 'cache');
const { github, lineOf, runPullRequest } = await startProject(prepared, { ...chosen.options, parallel: 1 });
for (const workflow of ['single-step', 'gate']) {
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(cache);
  await github.set({ comments: [], checks: [] });
  await run(workflow);
}
check('every request was as GitHub describes it', github.violations().length === 0);
for (const violation of github.violations()) console.log(violation);
github.stop();
finish(4);

async function run(workflow) {
  const same = await runPullRequest(`${workflow}-same`, chosen.same, { workflow: `${workflow}.yml` });
  show(`${workflow}, a change that costs nothing`, same);
  check(`${workflow}: the first run passes`, same.exitCode === 0 && same.outputs.verdict === 'pass');
  check(`${workflow}: nothing is annotated`, same.annotations.length === 0);
  // The first comment is written only if there is a change to report.
  if (workflow === 'gate') checkTold(0, 'success');

  const slower = await runPullRequest(`${workflow}-slower`, chosen.slower, { workflow: `${workflow}.yml` });
  show(`${workflow}, a change that costs`, slower);
  check(`${workflow}: a regression fails it`, slower.exitCode !== 0 && slower.outputs.verdict === 'regression');
  check(`${workflow}: the job summary has the table`, chosen.row.test(slower.summary));
  const errors = slower.annotations.filter(({ level }) => level === 'error');
  check(`${workflow}: the regression is annotated at its place`, errors.some(chosen.isAt));
  if (workflow === 'gate') checkTold(1, 'failure');
}

function checkTold(count, conclusion) {
  const comments = github.comments();
  console.log(`\n== gate: comments\n${comments.join('\n----\n')}`);
  const areRight = comments.length === count && comments.every((comment) => chosen.row.test(comment));
  check(`gate: there ${count === 1 ? 'is one comment, with the table' : 'is no comment'}`, areRight);
  check(`gate: a check run is a ${conclusion}`, github.checks().at(-1)?.conclusion === conclusion);
}
