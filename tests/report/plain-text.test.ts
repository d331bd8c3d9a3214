import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openLog } from '../../src/adapters/log.ts';
import { toPlainLine, toPlainText } from '../../src/report/plain-text.ts';

const steering = '\u001b[2Ja\u202eb\u200bc\u0007\r\u2028d\ud800';
const shown = '\\u{1b}[2Ja\\u{202e}b\\u{200b}c\\u{7}\\u{d}\\u{2028}d\\u{d800}';

describe('control and invisible characters are escaped', () => {
  test('in one line', () => {
    expect(toPlainLine(steering)).toBe(shown);
    expect(toPlainLine('a\tb\nc')).toBe('a\\tb\\nc');
  });

  test('in several lines, with their line breaks and tabs', () => {
    expect(toPlainText(`${steering}\n\tb\r\nc`)).toBe(`${shown}\n\tb\nc`);
  });

  test('in log lines', () => {
    let written = '';
    const stream = new Writable({
      write(chunk, _, done) {
        written += chunk;
        done();
      },
    });
    const log = openLog(stream as NodeJS.WriteStream);
    log.warn(steering);
    log.progress(steering);
    expect(written).toMatch(/^bpfgate: warning: .*\nbpfgate: \[\d+ s\] .*\n$/);
    expect(written.split(shown)).toHaveLength(3);
  });
});
