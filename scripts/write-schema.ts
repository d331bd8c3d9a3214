// Writes the JSON Schema of results.json; with --check fails when the file on disk differs.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { formatResultsJsonSchema } from '../src/report/results-schema.ts';

const file = path.join(import.meta.dirname, '../schema/results-1.schema.json');
const text = formatResultsJsonSchema();

if (process.argv.includes('--check')) {
  const current = await readFile(file, 'utf8').catch(() => null);
  if (current !== text) {
    console.error('schema/results-1.schema.json is out of date: run `node scripts/write-schema.ts`');
    process.exitCode = 1;
  }
} else {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}
