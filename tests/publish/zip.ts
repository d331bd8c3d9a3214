// Archives as GitHub keeps artifacts.

import { once } from 'node:events';
import { ZipFile } from 'yazl';

interface ZippedFile {
  readonly content: string | Buffer;
  /** Kind and rights, as Unix has them. Default: a regular file. */
  readonly mode?: number;
}

export async function zipOf(files: Readonly<Record<string, string | Buffer | ZippedFile>>): Promise<Buffer> {
  const writer = new ZipFile();
  for (const [name, file] of Object.entries(files)) {
    const { content, mode } =
      typeof file === 'string' || Buffer.isBuffer(file) ? { content: file, mode: undefined } : file;
    // An empty file is not worth a run of zlib, of which one test has 20,000.
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
