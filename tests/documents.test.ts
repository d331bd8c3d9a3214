// Links between documents: the file is there, and has the heading.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../src/adapters/package-root.ts';

const pages = execFileSync('git', ['ls-files', '--', '*.md', ':!tests'], { cwd: packageRoot, encoding: 'utf8' })
  .split('\n')
  .filter((page) => page !== '' && existsSync(join(packageRoot, page)));
const read = (page: string) => readFileSync(join(packageRoot, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');

/** The anchors that GitHub gives to a page's headings. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(pages)('%s: each link leads to a file and a heading', (page) => {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : relative(packageRoot, join(packageRoot, dirname(page), path));
    if (!existsSync(join(packageRoot, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});
