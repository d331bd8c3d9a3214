// Trend page: reads the data that the page holds, base64 of gzip, a part when it is needed.

import type { PackedLine, TrendIndex } from '../trend.ts';

/** Parts that are kept as text, those read last. */
const maxKept = 3;
const kept = new Map<number, readonly string[]>();

export async function readIndex(): Promise<TrendIndex> {
  return JSON.parse(await readElement('index'));
}

export async function readLine({ part, place }: { part: number; place: number }): Promise<PackedLine> {
  return JSON.parse((await readPart(part))[place] ?? '');
}

async function readPart(part: number): Promise<readonly string[]> {
  const lines = kept.get(part) ?? (await readElement(`part-${part}`)).split('\n');
  kept.delete(part);
  kept.set(part, lines);
  for (const oldest of [...kept.keys()].slice(0, -maxKept)) kept.delete(oldest);
  return lines;
}

async function readElement(id: string): Promise<string> {
  const bytes = Uint8Array.from(atob(document.getElementById(id)?.textContent ?? ''), (byte) => byte.charCodeAt(0));
  return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}
