/** Puts a text between single quotes, in which a shell takes nothing for more than it is. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
