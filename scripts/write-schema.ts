// Writes the JSON Schemas of results.json and of the history's lines. With --check it fails if a file on disk differs.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { formatHistoryJsonSchema } from '../src/history/history-line.ts';
import { formatResultsJsonSchema } from '../src/report/results-schema.ts';

const folder = path.join(import.meta.dirname, '../schema');
const schemas = {
  'results-1.schema.json': formatResultsJsonSchema(),
  'history-1.schema.json': formatHistoryJsonSchema(),
};

await mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(schemas)) {
  const file = path.join(folder, name);
  if (!process.argv.includes('--check')) {
    await writeFile(file, text);
  } else if ((await readFile(file, 'utf8').catch(() => null)) !== text) {
    console.error(`schema/${name} is out of date: run \`node scripts/write-schema.ts\``);
    process.exitCode = 1;
  }
}
