// Map.groupBy, which Node 20 does not have.

/** Groups in the order of their first items; no group is empty. */
export function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): [Item, ...Item[]][] {
  return [...indexBy(items, keyOf).values()];
}

/** Groups by their keys. */
export function indexBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, [Item, ...Item[]]> {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The first of those with the same key. */
export function distinctBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return groupBy(items, keyOf).map(([first]) => first);
}
