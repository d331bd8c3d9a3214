// Adapter: a client of GitHub's REST and GraphQL interfaces. Requests are paced as GitHub asks, and retried after
// server errors and after a rate limit that ends within a minute.

import { Octokit } from '@octokit/core';
import type { OctokitOptions } from '@octokit/core/types';
import { paginateRest } from '@octokit/plugin-paginate-rest';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { RequestError } from '@octokit/request-error';
import Bottleneck from 'bottleneck/light.js';
import type { Log } from '../log.ts';

export interface Repository {
  readonly owner: string;
  readonly repo: string;
}

export interface GitHubOptions {
  /** `https://api.github.com`, or a GitHub Enterprise Server's. */
  readonly apiUrl: string;
  readonly token: string;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds of a second of waiting before a retry; for tests. Default 1000. */
  readonly secondMs?: number;
}

/** GitHub may ask to wait for an hour, during which a runner costs money and nothing happens. */
const longestWaitS = 60;
const mostRetries = 3;
/** Whether to wait this long, after so many retries. */
type AskAgain = (seconds: number, count: number) => boolean;

/**
 * Retries after an error that only says when to come back; the other plugins recognize a rate limit by its words. It
 * marks the error for `retry`, which has to come after it.
 */
function waitAsAsked(octokit: Octokit, options: OctokitOptions & { askAgain?: AskAgain }): object {
  octokit.hook.error('request', (error, { request }) => {
    if (!(error instanceof RequestError) || error.status !== 429 || /\bsecondary rate\b/i.test(error.message))
      throw error;
    const seconds = Number(error.response?.headers['retry-after'] ?? Number.NaN);
    if (Number.isFinite(seconds) && options.askAgain?.(seconds, Number(request.retryCount ?? 0))) {
      error.request.request = { ...error.request.request, retries: mostRetries, retryAfter: seconds };
    }
    throw error;
  });
  return {};
}

const Client = Octokit.plugin(paginateRest, waitAsAsked, retry, throttling);

/**
 * Opens a client, whose requests throw RequestError of `@octokit/request-error`, with the status, if GitHub refuses.
 */
export function openClient({ apiUrl, token, log, signal, secondMs = 1000 }: GitHubOptions) {
  const again = (seconds: number, count: number) => {
    const isShort = seconds <= longestWaitS && count < mostRetries;
    log.progress(`GitHub asks to wait ${seconds} s${isShort ? '' : ', which is too long'}`);
    return isShort;
  };
  const pace = (seconds: number) => new Bottleneck.Group({ maxConcurrent: 1, minTime: seconds * secondMs });
  return new Client({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'bpfgate',
    askAgain: again,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    request: signal === undefined ? {} : { signal },
    retry: {
      retryAfterBaseValue: secondMs,
      retries: mostRetries,
      doNotRetry: [400, 401, 403, 404, 410, 422, 429, 451],
    },
    throttle: {
      retryAfterBaseValue: secondMs,
      // As in the plugin, except for the length of a second.
      write: pace(1),
      notifications: pace(3),
      onRateLimit: (seconds, _options, _octokit, count) => again(seconds, count),
      onSecondaryRateLimit: (seconds, _options, _octokit, count) => again(seconds, count),
    },
  });
}

/** Null if the requested thing is gone. */
export async function orNull<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof RequestError && (error.status === 404 || error.status === 410)) return null;
    throw error;
  }
}
