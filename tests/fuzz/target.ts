// What is fuzzed: a parser with what may come of it. Each file in targets/ is one, with a folder of its name in corpus/.

export type ErrorClass = new (...args: never[]) => Error;

export interface Target {
  /**
   * Reads the input and checks what comes of it; anything thrown that is not of `refusals` is a finding.
   *
   * @param input what the parser is given, which is what a file, a pipe or a request holds
   */
  readonly run: (input: Buffer) => void | Promise<void>;
  /** The errors that this parser may throw. */
  readonly refusals: readonly ErrorClass[];
  /** Whether inputs are made of lines, JSON or only bytes: what else is done to them than to bytes. */
  readonly shape: 'text' | 'json' | 'json-lines' | 'bytes';
  /** Words that inputs are likely to hold; the strings of the parser's source are found without being named. */
  readonly words?: readonly string[];
  /** Of an input, in bytes. Default 65,536, and sixteen times that where one is repeated to be long. */
  readonly maxBytes?: number;
  /** Milliseconds that every KiB may take, beside 250 for all. Default 2. */
  readonly msPerKiB?: number;
}

/** @throws Error that says what is wrong, which is a finding */
export function check(isRight: boolean, what: string): asserts isRight {
  if (!isRight) throw new Error(`the value is wrong: ${what}`);
}
