import { LOCALE } from '../../language/locale.ts'
import type { Sorting } from './LongTable.tsx'

/** The sorting that the address names: a column, with `-` before it where the highest comes first. */
export function sortingOf<Key extends string>(
  text: string | null,
  keys: readonly Key[],
  first: Sorting<Key>,
): Sorting<Key> {
  const descending = text?.startsWith('-') ?? false
  const by = keys.find((key) => key === text?.slice(descending ? 1 : 0))
  return by === undefined ? first : { by, descending }
}

/** Null for the sorting without one in the address. */
export function textOf<Key extends string>(
  { by, descending }: Sorting<Key>,
  first: Sorting<Key>,
): string | null {
  const isFirst = by === first.by && descending === first.descending
  return isFirst ? null : `${descending ? '-' : ''}${by}`
}

const words = new Intl.Collator(LOCALE, { numeric: true, sensitivity: 'base' })

/** The order of two values. A row without a value comes last in both directions: `sign` is 1 or -1. */
export function compared(
  left: string | number | null,
  right: string | number | null,
  sign: number,
): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  if (typeof left === 'number' && typeof right === 'number') return sign * (left - right)
  return sign * words.compare(String(left), String(right))
}
