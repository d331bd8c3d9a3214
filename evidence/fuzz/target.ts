// Fuzz target: a parser with its allowed outcomes. Each file in targets/ is one, with a folder of its name in corpus/.

export type ErrorClass = new (...args: never[]) => Error;

export interface Target {
  /**
   * Parses the input and checks the result. A thrown error of a class that is not in `refusals` is a finding.
   *
   * @param input the content of a file, a pipe or a request
   */
  readonly run: (input: Buffer) => void | Promise<void>;
  /** The errors that this parser may throw. */
  readonly refusals: readonly ErrorClass[];
  /** The form of the inputs, which decides the changes made to them in addition to those for bytes. */
  readonly shape: 'text' | 'json' | 'json-lines' | 'bytes';
  /** Words that inputs are likely to hold; the strings of the parser's source are found automatically. */
  readonly words?: readonly string[];
  /** The maximum size of an input. Default 65,536, and sixteen times that for an input that is repeated to be long. */
  readonly maxBytes?: number;
  /** Milliseconds allowed for each KiB, in addition to 250 for the whole input. Default 2. */
  readonly msPerKiB?: number;
}

/** @throws Error that says what is wrong, which is a finding */
export function check(isRight: boolean, what: string): asserts isRight {
  if (!isRight) throw new Error(`the value is wrong: ${what}`);
}
