// Strangers: edits a source file of a project. Pure.

/** Where a cost is planted. */
export interface Place {
  /** Path below the project's folder. */
  readonly file: string;
  /** The text, there once, of which the planted lines come right after. It ends with its line. */
  readonly after: string;
  /** The cost, in one line. */
  readonly cost: string;
}

/** Lines that change no code, and move all below. */
const comment = ['/*', ' * What a person writes above a change: it moves all lines that', ' * are below.', ' */'];

/**
 * Adds a comment, and the cost below it.
 *
 * @param isCosting false: the comment only, which no count may show
 * @returns also the cost's line, 1-based
 */
export function plant(text: string, { file, after, cost }: Place, isCosting: boolean): { text: string; line: number } {
  const [above, below, ...more] = text.split(after);
  if (above === undefined || below === undefined || more.length > 0) {
    throw new Error(`${file} does not have ${JSON.stringify(after)} once`);
  }
  const planted = [...comment, ...(isCosting ? [cost] : [])].map((line) => `${line}\n`).join('');
  const line = `${above}${after}`.split('\n').length + comment.length;
  return { text: `${above}${after}${planted}${below}`, line };
}
