// Bundles the command line and the action with their dependencies into dist/, which is committed: a checkout runs
// without an install, and a `uses:` step has nothing but the checkout.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

/** Modules of all bundles. */
const modules: string[] = [];

/** Writes licenses.txt: the packages whose code is in a bundle, each with its license text. */
const licenses: Plugin = {
  name: 'licenses',
  generateBundle(_, bundle) {
    modules.push(...Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])));
    const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
    const notices = [...new Set(folders)].map(readNotice).toSorted();
    this.emitFile({
      type: 'asset',
      fileName: 'licenses.txt',
      source: [...new Set(notices)].join(`\n${'-'.repeat(80)}\n\n`),
    });
  },
};

function readNotice(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text =
    file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim().replaceAll('\r\n', '\n')}\n`;
  return `${name} ${version}: ${license ?? 'its package.json states no license'}\n${text}`;
}

/** The script of the page that `bpfgate history` writes. */
const trendPage = defineConfig({
  input: { 'trend-page': 'src/history/page/main.ts' },
  platform: 'browser',
  plugins: [licenses],
  output: { dir: 'dist', format: 'esm', entryFileNames: '[name].js', minify: true, cleanDir: true },
});

const programs = defineConfig({
  input: {
    cli: 'src/cli.ts',
    action: 'src/action.ts',
    'plan-action': 'src/plan-action.ts',
    'report-action': 'src/report-action.ts',
    'publish-action': 'src/publish-action.ts',
    'record-action': 'src/record-action.ts',
  },
  platform: 'node',
  plugins: [licenses],
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: {
      groups: [
        // Code for artifacts and caches, loaded only when a step uses them.
        {
          name: 'github-services',
          test: /node_modules\/(@azure|@typespec|@protobuf-ts|@fastify|@nodable|fast-xml|strnum|https?-proxy-agent|agent-base|debug|ms|tslib|semver|events)\b/,
          priority: 1,
        },
        { name: 'shared', minShareCount: 2 },
      ],
    },
  },
});

// One after the other: the second adds to the folder.
export default [trendPage, programs].flat();
