/** Puts a text between single quotes, in which a shell interprets nothing. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
