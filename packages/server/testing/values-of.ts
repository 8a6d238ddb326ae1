/** The values of one field, in order. */
export function valuesOf<Item, Key extends keyof Item>(
  items: Iterable<Item>,
  key: Key,
): Item[Key][] {
  return Array.from(items, (item) => item[key])
}
