// History: the shape of a line, one value of one commit on one kernel, checked when it is written.

import { z } from 'zod';
import { lanes } from '../model/inputs.ts';
import { toPlainJson } from '../report/plain-text.ts';

export const historySchemaName = 'bpfgate.history/1';

/** The schema of a line. Unknown keys are dropped, so that a line from a later 1.x version can be read. */
export const historyLineSchema = z
  .object({
    schema: z.literal(historySchemaName),
    commit: z
      .string()
      .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
      .describe('Id of the commit that was measured'),
    date: z.iso
      .datetime()
      .describe('When it was committed (the committer, not the author), in UTC: where the value stands on a time axis'),
    kernel: z.string().describe('Minor version, such as 6.1, with the origin where it is not the default: 6.1:source'),
    release: z.string().describe('Upstream release, such as 6.1.176'),
    fingerprint: z
      .string()
      .regex(/^[0-9a-f]{12}$/)
      .describe(
        'Hash of everything that shapes a value but the programs: kernel, emulator, tools. Values of different ones are not to be compared, nor joined in a plot',
      ),
    bpfgate: z.string().describe('Version of bpfgate that measured'),
    lane: z.enum(lanes),
    benchmark: z.string().describe('`<bench>/<benchmark or program>`; of the verifier lane `<object>/<program>`'),
    renamedFrom: z
      .string()
      .optional()
      .describe('What it is called in the lines of the commit that it was compared with, where that is not benchmark'),
    measure: z.string(),
    unit: z.string(),
    better: z.enum(['lower', 'higher']),
    value: z.number(),
    interval: z
      .union([z.literal('exact'), z.tuple([z.number(), z.number()])])
      .nullable()
      .describe(
        'Where the true value lies, in unit: of a count that is not exact what the method cannot tell apart; null of what is only reported, such as load-time',
      ),
    finding: z
      .object({
        id: z.string().describe('The same as in results.json'),
        subject: z.string(),
        place: z.string().nullable().describe('`file:line` that grew most, or where the subject is; null if not known'),
      })
      .optional()
      .describe(
        'Cause of a change from the commit that it was compared with, or of an inconclusive comparison; absent without either',
      ),
    run: z.int().positive().describe('Id of the workflow run: `<repository>/actions/runs/<run>`'),
  })
  .describe('A value of one commit on one kernel');

export type HistoryLine = z.infer<typeof historyLineSchema>;

/** The JSON Schema of a line, as text that ends in a newline. */
export function formatHistoryJsonSchema(): string {
  const schema = z.toJSONSchema(historyLineSchema, { io: 'input', target: 'draft-2020-12' });
  return `${JSON.stringify({ title: historySchemaName, ...schema }, null, 2)}\n`;
}

/** Writes a date as lines have it, in UTC. */
export function toSeconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Parses JSON of a line; undefined if it is damaged. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One line without its newline. */
export function formatLine(line: HistoryLine): string {
  return toPlainJson(historyLineSchema.parse(line));
}
