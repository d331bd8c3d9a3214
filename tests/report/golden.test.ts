import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { buildReport } from '../../src/report/report-model.ts';
import { renderText } from '../../src/report/text.ts';
import { fixtures } from './results-fixtures.ts';

describe.each(Object.entries(fixtures))('report of %s', (name, results) => {
  test('as text', async () => {
    await expect(renderText(buildReport(results))).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  test('as Markdown', async () => {
    await expect(renderMarkdown(buildReport(results))).toMatchFileSnapshot(`golden/${name}.md`);
  });
});
