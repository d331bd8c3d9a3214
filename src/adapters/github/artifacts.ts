// Adapter: the artifacts that the jobs of a workflow run have left on GitHub.

import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { type GitHubOptions, openClient, type Repository } from './client.ts';

export interface Artifact {
  readonly id: number;
  readonly name: string;
  /** Bytes of its archive, according to GitHub. */
  readonly size: number;
}

/** The archive is longer than the caller of `download` allows. */
export class TooLong extends Error {}

export interface Artifacts {
  /** Lists the run's artifacts that have not expired; of several of one name, as after a job was rerun, the newest. */
  list(): Promise<Artifact[]>;
  /**
   * Writes the archive, a zip file, up to `maxBytes`.
   *
   * @throws TooLong when it is longer
   */
  download(artifact: Artifact, file: string, maxBytes: number): Promise<void>;
}

/** @throws RequestError of `@octokit/request-error`, with the status, when GitHub refuses */
export function openArtifacts({ owner, repo }: Repository, run: number, options: GitHubOptions): Artifacts {
  const octokit = openClient(options);
  return {
    async list() {
      const found = await octokit.paginate('GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts', {
        owner,
        repo,
        run_id: run,
        per_page: 100,
      });
      const own = found
        // The address names the run already; this is for a server that ignores it.
        .filter(({ expired, workflow_run }) => !expired && Number(workflow_run?.id ?? run) === run)
        .toSorted((a, b) => a.id - b.id)
        .map(({ id, name, size_in_bytes: size }) => ({ id, name, size }));
      return [...new Map(own.map((artifact) => [artifact.name, artifact])).values()];
    },
    async download({ id }, file, maxBytes) {
      const { data } = await octokit.request(
        'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}',
        {
          owner,
          repo,
          artifact_id: id,
          archive_format: 'zip',
          request: { parseSuccessResponseBody: false },
        },
      );
      let left = maxBytes;
      const limit = new Transform({
        transform(chunk: Buffer, _, done) {
          left -= chunk.length;
          done(left < 0 ? new TooLong(`it has more than ${maxBytes} bytes`) : null, chunk);
        },
      });
      const body = Readable.fromWeb(data as unknown as ReadableStream);
      await pipeline(
        body,
        limit,
        createWriteStream(file),
        ...(options.signal === undefined ? [] : [{ signal: options.signal }]),
      );
    },
  };
}
