// Adapter: progress and warnings on stderr; stdout is left to the result.

import { breakCommands, toPlainText } from '../report/plain-text.ts';

/** Where stages say what they are doing. One call is one line. */
export interface Log {
  /** A step that takes a while has begun or gone on. */
  progress(message: string): void;
  /** Something a person should know and may want to mend. */
  warn(message: string): void;
}

export interface TerminalLog extends Log {
  /** Removes the live line, before anything else is printed. */
  clear(): void;
}

/** A project's text for a terminal; in a step of a workflow, for GitHub's runner as well, which reads what is printed. */
export function toTerminal(text: string, env: NodeJS.ProcessEnv = process.env): string {
  const plain = toPlainText(text);
  return env.GITHUB_ACTIONS === 'true' ? breakCommands(plain) : plain;
}

/**
 * A live line with the seconds since the start on a terminal, plain lines otherwise. Messages quote names and output of a
 * project and its guests, which must not steer the terminal.
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
