// Maps scripts to the example workflows that they run under nektos/act. tests/examples.test.ts checks that all are.

/** Names of the examples, by script of package.json. */
export const examplesUnderAct = {
  'e2e:act': ['gate', 'forks'],
  'e2e:act-workflows': ['single-step', 'matrix', 'sharded', 'self-hosted', 'nightly', 'record'],
};
