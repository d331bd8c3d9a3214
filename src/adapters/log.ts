// Adapter: progress and warnings on stderr; stdout is left to the result.

/** Where stages say what they are doing. One call is one line. */
export interface Log {
  /** A step that takes a while has begun or gone on. */
  progress(message: string): void;
  /** Something a person should know and may want to mend. */
  warn(message: string): void;
}

export const stderrLog: Log = {
  progress: (message) => void process.stderr.write(`bpfgate: ${message}\n`),
  warn: (message) => void process.stderr.write(`bpfgate: warning: ${message}\n`),
};
