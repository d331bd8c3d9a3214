import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseResults } from '../../src/report/results-schema.ts';
import { bpfgate, cleanUpKilled, leftovers, type Options, temporaryFolder } from './bpfgate.ts';
import { commit } from './gated-project.ts';

test('a finished kernel of a killed gate is not booted again, and its numbers are kept', async () => {
  const folder = temporaryFolder();
  const [project, data] = [join(folder, 'project'), join(folder, 'data')];
  // The bench prints a number from outside the trees, so that a value shows when it was counted. One kernel hangs as
  // long as the host says.
  const say = (name: string, text: string) => {
    writeFileSync(join(data, name), text);
    // Kept counts are valid for files of these sizes and times, so both stay the same.
    utimesSync(join(data, name), 1, 1);
  };
  const script = `while grep -q yes ${data}/hang && uname -r | grep -q '^5[.]10'; do :; done
echo '{"x": {"latency": {"value": '$(cat ${data}/count)'}}}'`;
  const toml =
    '[build]\ncommand = "true"\n' +
    '[[bench]]\nname = "counted"\ncommand = "sh counted.sh"\nformat = "bmf"\nobserve = false\n';
  let builds = 0;
  mkdirSync(data);
  say('count', '100');
  say('hang', 'yes');
  commit(project, 'base', { 'bpfgate.toml': toml, 'counted.sh': script });
  commit(project, 'head', { 'other.txt': 'a change\n' });
  const run = async (kernels: string, head: string, options: Options = {}, further = ['--audit', '0']) => {
    const temporary = temporaryFolder();
    const args = [
      '--project',
      project,
      '--base',
      'base',
      '--head',
      head,
      '--kernels',
      kernels,
      '--format',
      'markdown',
      ...further,
    ];
    const out = join(folder, 'out');
    rmSync(out, { recursive: true, force: true });
    const env = { TMPDIR: temporary, BPFGATE_GUEST_READ: data };
    const outcome = await bpfgate(['run', ...args, '--out', out], { ...options, env });
    builds += (outcome.stderr.match(/building (base|head) \(/g) ?? []).length;
    if (outcome.code === null) {
      await cleanUpKilled(temporary);
      return { ...outcome, results: undefined };
    }
    expect(leftovers(temporary)).toEqual([]);
    if (outcome.code === 3) return { ...outcome, results: undefined };
    const text = readFileSync(join(out, 'results.json'), 'utf8');
    return { ...outcome, results: parseResults(text, 'results.json') };
  };

  const killed = await run('5.10,6.1', 'head', { interruptAt: /6\.1: measured/, signal: 'SIGKILL' });
  expect(killed.code).toBeNull();
  expect(killed.stderr).not.toContain('5.10: measured');
  expect(builds).toBe(2);

  // With another head, only base is reused.
  say('hang', 'not');
  commit(project, 'later', { 'other.txt': 'another change\n' });
  const later = await run('6.1', 'later');
  expect(later.stderr).toMatch(/6\.1: booting .* for head/);
  expect(later.stderr).not.toMatch(/6\.1: booting .* for base/);
  expect(builds).toBe(3);
  expect(later.results?.kernels).toMatchObject([{ id: '6.1', kept: ['base'] }]);

  say('count', '200');
  const repeated = await run('5.10,6.1', 'head');
  expect(repeated.code).toBe(0);
  // Its trees are not built again either.
  for (const name of ['base', 'head']) expect(repeated.stderr).toContain(`${name} (${name}) is already built`);
  expect(builds).toBe(3);
  expect(repeated.stderr).toMatch(
    /6\.1: benches of head are taken from a run on this machine, which counted them at 20\d\d-/,
  );
  expect(repeated.stderr).not.toContain('6.1: booting');
  expect(repeated.stderr).toContain('5.10: booting');
  expect(repeated.results?.verdict).toBe('pass');
  expect(repeated.results?.kernels).toMatchObject([
    { id: '5.10', kept: [] },
    { id: '6.1', kept: ['base', 'head'] },
  ]);
  const valuesOf = (kernel: string) =>
    repeated.results?.measurements.flatMap((each) => (each.kernel === kernel ? each.value : []));
  expect(valuesOf('6.1')).toEqual([100, 100]);
  expect(valuesOf('5.10')).toEqual([200, 200]);
  expect(repeated.stdout).toContain('base and head as an earlier run counted them');

  const fresh = await run('6.1', 'head', {}, ['--fresh']);
  expect(fresh.stderr).toContain('6.1: booting');
  expect(fresh.results?.kernels).toMatchObject([{ id: '6.1', kept: [] }]);

  // The kept counts differ from what is counted now: an audit finds this and removes them.
  const audited = await run('6.1', 'head', {}, ['--audit', '100']);
  expect(audited.code).toBe(3);
  expect(audited.stderr).toMatch(
    /audit: kernel 6\.1 counts base differently from a run on this machine at \S+: counted\/x latency was 100 then and is 200 now/,
  );
  const again = await run('6.1', 'head');
  expect(again.results?.measurements.map(({ value }) => value)).toEqual([200, 200]);
});
