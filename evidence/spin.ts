import { spawn } from 'node:child_process';

/** Keeps the host busy. Returns a function that stops it. */
export function spin(count: number): () => void {
  const spinners = Array.from({ length: count }, () => spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }));
  return () => {
    for (const spinner of spinners) spinner.kill('SIGKILL');
  };
}
