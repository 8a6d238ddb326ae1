/**
 * Lists of any length. `Math.min(...numbers)` and `list.push(...more)` put each item on the stack, which overflows from
 * about 120,000 items on, so `lint/spread.grit` refuses them.
 */

/** The least number. Infinity if there are none. */
export function minOf(numbers: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY
  for (const number of numbers) if (number < least) least = number
  return least
}

/** The greatest number. -Infinity if there are none. */
export function maxOf(numbers: Iterable<number>): number {
  let greatest = Number.NEGATIVE_INFINITY
  for (const number of numbers) if (number > greatest) greatest = number
  return greatest
}

/** Appends all items to a list. */
export function addAll<T>(list: T[], more: Iterable<T>): void {
  for (const item of more) list.push(item)
}
