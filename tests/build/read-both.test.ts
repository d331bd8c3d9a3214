import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readBoth } from '../../src/build/read-both.ts';
import type { Builds } from '../../src/model/build.ts';

test('reads a file of both revisions, but nothing outside the trees or through a link', async () => {
  const root = mkdtempSync(join(tmpdir(), 'bpfgate-both-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const build = (revision: 'base' | 'head') => {
    const dir = join(root, revision);
    mkdirSync(join(dir, 'src'), { recursive: true });
    writeFileSync(join(dir, 'src/both.rs'), `of ${revision}`);
    writeFileSync(join(dir, 'src/large.rs'), 'x'.repeat(1024 * 1024 + 1));
    symlinkSync(join(root, 'outside.rs'), join(dir, 'src/link.rs'));
    symlinkSync('both.rs', join(dir, 'src/same.rs'));
    return { revision, ref: revision, commit: null, tree: '', dir, seal: '', starts: {}, tools: {} };
  };
  const builds: Builds = {
    base: build('base'),
    head: build('head'),
    workDir: '/w',
    projectPath: '',
    objects: [],
    warnings: [],
  };
  writeFileSync(join(root, 'outside.rs'), 'secret');
  writeFileSync(join(root, 'head/src/new.rs'), '');

  expect(await readBoth(builds, 'src/both.rs', 'src/both.rs')).toEqual(['of base', 'of head']);
  expect(await readBoth(builds, 'src/both.rs', 'src/new.rs')).toEqual(['of base', '']);
  const unread = [
    'src/new.rs',
    'src/large.rs',
    'src/link.rs',
    'src/same.rs',
    '../outside.rs',
    'src',
    '/etc/passwd',
    'a\0b',
  ];
  for (const path of unread) {
    expect(await readBoth(builds, path, path), path).toBeNull();
  }
});
