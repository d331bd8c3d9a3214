// Adapter: progress and warnings on stderr; stdout is left to the result.

import { breakCommands, toPlainText } from '../report/plain-text.ts';

/** Log of the stages. One call is one line. */
export interface Log {
  /** Reports a step that takes a while and has begun or continued. */
  progress(message: string): void;
  /** Reports something that a person should know and may want to fix. */
  warn(message: string): void;
}

export interface TerminalLog extends Log {
  /** Removes the live line before other output. */
  clear(): void;
}

/** Prepares a project's text for a terminal; in a workflow's step also for GitHub's runner, which reads it. */
export function toTerminal(text: string, env: NodeJS.ProcessEnv = process.env): string {
  const plain = toPlainText(text);
  return env.GITHUB_ACTIONS === 'true' ? breakCommands(plain) : plain;
}

/**
 * Opens a log: on a terminal a live line with the seconds since the start, otherwise plain lines. Messages quote names
 * and output of a project and its guests, which must not control the terminal.
 */
export function openLog(stream: NodeJS.WriteStream = process.stderr): TerminalLog {
  const start = Date.now();
  const live = stream.isTTY === true;
  let shown = false;
  const clear = () => {
    if (shown) stream.write('\r\u001b[2K');
    shown = false;
  };
  return {
    clear,
    progress(message) {
      const seconds = Math.round((Date.now() - start) / 1000);
      const line = `bpfgate: [${seconds} s] ${toTerminal(message)}`;
      if (!live) {
        stream.write(`${line}\n`);
        return;
      }
      clear();
      stream.write(line.slice(0, (stream.columns ?? 80) - 1));
      shown = true;
    },
    warn(message) {
      clear();
      stream.write(`bpfgate: warning: ${toTerminal(message)}\n`);
    },
  };
}
