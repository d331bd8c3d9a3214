// Lists in messages. Pure.

/** `a, b, c, d, e and 3 more` */
export function listNames(names: readonly string[], most = 5): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
