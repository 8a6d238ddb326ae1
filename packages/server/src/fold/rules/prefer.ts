import type { Fix } from '../../domain/position/fix.ts'

/** The qualities by which two fixes of one moment are compared, in this order. More is better. */
const QUALITIES: ((fix: Fix) => number)[] = [
  (fix) => (fix.hdop === null ? Number.NEGATIVE_INFINITY : -fix.hdop),
  (fix) => fix.gpsLevel ?? -1,
  (fix) => Object.values(fix).filter((value) => value !== null).length,
  (fix) => fix.latitude,
  (fix) => fix.longitude,
  (fix) => fix.speed ?? -1,
  (fix) => fix.angle ?? -1,
  (fix) => fix.altitude ?? Number.NEGATIVE_INFINITY,
  (fix) => fix.odometer ?? -1,
  (fix) => fix.engineHours ?? -1,
  (fix) => (fix.ignition === null ? -1 : Number(fix.ignition)),
]

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
  if (a.address === b.address) return 0
  return (a.address ?? '') > (b.address ?? '') ? 1 : -1
}
