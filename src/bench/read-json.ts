// Bench: JSON that a tool printed, checked against its schema. Pure.

import { z } from 'zod';
import { BenchError } from '../common/errors.ts';
import { ownOutputHint } from './measurement.ts';

/** @throws BenchError when the text is no JSON, or of another form */
export function readJson<T>(
  schema: z.ZodType<T>,
  json: string,
  file: string,
  tool: string,
  hint: string = ownOutputHint,
): T {
  try {
    return schema.parse(JSON.parse(json));
  } catch (cause) {
    const [issue] = cause instanceof z.ZodError ? cause.issues : [];
    const why = issue === undefined ? 'it is cut or no JSON' : `\`${issue.path.join('.')}\`: ${issue.message}`;
    throw new BenchError(`${file} printed damaged results of ${tool}: ${why}`, { cause, hint });
  }
}
