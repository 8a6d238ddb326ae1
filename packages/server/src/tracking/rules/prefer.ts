import { textOf } from '../../domain/attributes/attribute.ts'
import { FIELD_COUNT_RANK } from '../../domain/position/field.ts'
import { DECIDING } from '../../domain/position/field-lists.ts'
import type { Fix } from '../../domain/position/fix.ts'

type Quality = (fix: Fix) => number

/** The qualities by which two fixes of one moment are compared, in this order. More is better, and unknown is worst. */
const QUALITIES: readonly Quality[] = [
  ...DECIDING.map(({ key, wins }) => ({
    rank: wins.rank,
    of: (fix: Fix) => {
      const value = fix[key]
      if (value === null) return Number.NEGATIVE_INFINITY
      return wins.by === 'less' ? -Number(value) : Number(value)
    },
  })),
  {
    rank: FIELD_COUNT_RANK,
    of: (fix: Fix) => Object.values(fix).filter((value) => value !== null).length,
  },
]
  .sort((a, b) => a.rank - b.rank)
  .map(({ of }) => of)

/**
 * Compares two fixes of one object and moment. The better quality by the fix's own account wins, then the
 * fix with more fields, then the greater one field by field. So the result does not depend on which came
 * first. Positive: `a` wins. Negative: `b` wins. 0: they are equal, apart from `timeServer`.
 */
export function prefer(a: Fix, b: Fix): number {
  for (const quality of QUALITIES) {
    const [ofA, ofB] = [quality(a), quality(b)]
    if (ofA !== ofB) return ofA > ofB ? 1 : -1
  }
  if (a.address !== b.address) return (a.address ?? '') > (b.address ?? '') ? 1 : -1
  if (a.attributes === null && b.attributes === null) return 0
  const [ofA, ofB] = [textOf(a.attributes), textOf(b.attributes)]
  return ofA === ofB ? 0 : ofA > ofB ? 1 : -1
}
