import { isWithin } from '../../base/domain/time/time.ts'
import type { Withheld } from './rules/judge.ts'
import type { FoldTarget } from './tables.ts'

/** Why an object stores no fix of a moment. Everything that takes fixes asks this first. Null: it stores them. */
export function withheldAt({ erased }: FoldTarget, time: number): Withheld | null {
  // Most objects have no such range.
  if (erased.length === 0) return null
  return erased.some((range) => isWithin(range, time)) ? 'erased' : null
}
