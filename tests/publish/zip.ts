// Archives as GitHub keeps artifacts.

import { once } from 'node:events';
import { ZipFile } from 'yazl';

interface ZippedFile {
  readonly content: string | Buffer;
  /** Unix file type and permissions. Default: a regular file. */
  readonly mode?: number;
}

export async function zipOf(files: Readonly<Record<string, string | Buffer | ZippedFile>>): Promise<Buffer> {
  const writer = new ZipFile();
  for (const [name, file] of Object.entries(files)) {
    const { content, mode } =
      typeof file === 'string' || Buffer.isBuffer(file) ? { content: file, mode: undefined } : file;
    // Empty files are not compressed: one test has 20,000 of them.
    writer.addBuffer(Buffer.from(content), name, {
      compress: content.length > 0,
      ...(mode === undefined ? {} : { mode }),
    });
  }
  writer.end();
  const chunks: Buffer[] = [];
  writer.outputStream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(writer.outputStream, 'end');
  return Buffer.concat(chunks);
}
