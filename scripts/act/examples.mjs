// Which script runs which of examples/workflows under nektos/act. tests/examples.test.ts sees that none is left out.

/** Script of package.json to the names of the examples. */
export const examplesUnderAct = {
  'e2e:act': ['gate', 'forks'],
  'e2e:act-workflows': ['single-step', 'matrix', 'sharded', 'self-hosted', 'nightly', 'record'],
};
