import { describe, expect, test } from 'vitest';
import { unexplainedInConfiguration, unexplainedInFile } from '../../scripts/lint-workflows/ignores.ts';
import { resolveOwnUses } from '../../scripts/lint-workflows/own-uses.ts';

describe('an ignored finding in a workflow', () => {
  test.each([
    ['on: # zizmor: ignore[dangerous-triggers] it runs no code of the pull request'],
    ['- uses: ./ # zizmor: ignore[self-repository,other] nektos/act does not know it'],
    ['  # shellcheck disable=SC2086 # several words are meant'],
    ['# about zizmor: what it ignores'],
  ])('is explained on its line: %s', (line) => {
    expect(unexplainedInFile('a.yml', line)).toEqual([]);
  });

  test.each([
    ['on: # zizmor: ignore[dangerous-triggers]'],
    ['on: # zizmor: ignore[dangerous-triggers] …'],
    ['#zizmor:ignore[self-repository]  '],
    ['  # shellcheck disable=SC2086,SC2046'],
  ])('is reported without an explanation: %s', (line) => {
    expect(unexplainedInFile('a.yml', `name: a\n${line}\n`)).toEqual([
      `a.yml:2: ignored without a word on why: ${line.trim()}`,
    ]);
  });
});

describe("an ignored finding in a linter's configuration", () => {
  test('is explained by a comment above it or behind it', () => {
    const text = `# What actionlint does not know.
paths:
  a.yml:
    ignore:
      # the first
      - one
      - two # the second
rules:
  # nobody reads them
  secrets-inherit:
    ignore:
      # the third
      - b.yml:3
  template:
    # it is slow
    disable: true
`;
    expect(unexplainedInConfiguration('actionlint.yaml', text)).toEqual([]);
  });

  test('is reported without one, for each item', () => {
    const text = `paths:
  a.yml:
    ignore:
      # the first
      - one
      - two
rules:
  template:
    disable: true
  pins:
    config:
      policies: {}
`;
    expect(unexplainedInConfiguration('c.yml', text)).toEqual([
      'c.yml:6: ignored without a word on why: - two',
      'c.yml:9: ignored without a word on why: disable: true',
      'c.yml:11: ignored without a word on why: config:',
    ]);
  });
});

test("bpfgate's own actions and workflows are named by folder, others are not", () => {
  const text = `- uses: $/
- uses: $/report
- uses: OWNER/bpfgate@0000000000000000000000000000000000000000 # v0.1.0
- uses: OWNER/bpfgate/report@0000000000000000000000000000000000000000 # v0.1.0
  uses: OWNER/bpfgate/.github/workflows/gate.yml@0000000000000000000000000000000000000000
- uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
`;
  expect(resolveOwnUses(text)).toBe(`- uses: ./
- uses: ./report
- uses: ./ # v0.1.0
- uses: ./report # v0.1.0
  uses: ./.github/workflows/gate.yml
- uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
`);
});
