// `npm run e2e:act-example`: runs .github/workflows/example.yml with nektos/act on this machine, for a pull request
// with the planted regression and for one without, and checks the output that a user would see. Plain JavaScript for
// Node 20, because it runs before anything is installed.
//
//   --build  bundle dist/ again in the copy that is tested, instead of testing dist/ as it is
//   --keep   leave the temporary folder

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { check, cloneWorkingTree, finish, gitIn, makePullRequest, prepare, runAct, show } from './act.mjs';

const workflow = '.github/workflows/example.yml';
/** Kernels of the workflow. */
const kernels = '6.1';
const repository = 'example/bpfgate';

const { values: options } = parseArgs({
  options: { build: { type: 'boolean', default: false }, keep: { type: 'boolean', default: false } },
});

// The group of the tests includes Go, which builds act.
const prepared = prepare({ kernels, groups: ['--tests'], keep: options.keep });
const { temporary } = prepared;
const project = join(temporary, 'checkout');
const git = gitIn(project, temporary);
const base = cloneWorkingTree(git, { project, repository, build: options.build });

const regression = await runPullRequest('regression', {
  file: 'example-project/xdp-common/Cargo.toml',
  from: 'default = []',
  to: 'default = ["slow-fibonacci"]',
});
check('the step fails', regression.exitCode !== 0 && regression.steps.gate === 'failure');
check('the output verdict is regression', regression.outputs.verdict === 'regression');
check('the output regressions counts them', Number(regression.outputs.regressions) > 0);
check(
  'an error is annotated at a line of the eBPF program that grew, with a title',
  regression.annotations.some(
    ({ level, file, line, title }) =>
      level === 'error' &&
      file === 'example-project/xdp-common/src/source_addr.rs' &&
      Number(line) > 0 &&
      title === 'bpfgate: fun_xdp regressed',
  ),
);
check(
  'every annotated file is in the repository',
  regression.annotations.every(({ file }) => file === undefined || existsSync(join(project, file))),
);
check('the job summary has the table', /^\| .*macro\/fun_xdp.*\|$/m.test(regression.summary));
check('the job summary names the kernel', regression.summary.includes(`| ${kernels} |`));

const same = await runPullRequest('same', {
  file: 'example-project/README.md',
  from: '# Example project\n',
  to: '# Example project\n\n<!-- A change that costs nothing. -->\n',
});
check('without the regression the workflow passes', same.exitCode === 0 && same.steps.gate === 'success');
check('its output verdict is pass', same.outputs.verdict === 'pass');
check('its output regressions is 0', same.outputs.regressions === '0');
check('nothing is annotated', same.annotations.length === 0);
check('its job summary has the table', /^\| .*macro\/fun_xdp.*\|$/m.test(same.summary));

show('regression', regression);
show('same', same);
finish(2);

function runPullRequest(name, change) {
  const { event } = makePullRequest(git, { project, base, repository, temporary, name, ...change });
  const artifacts = join(temporary, 'artifacts', name);
  mkdirSync(artifacts, { recursive: true });
  return runAct(prepared, { project, workflow, event, artifacts, replaced: {} });
}
