import type { Fix } from '../domain/fix.ts'

/** What two fixes of one moment are compared by, in this order; more is better. */
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
 * Which of two fixes of one object and moment stands: that with the better quality, by its own
 * account, else that which tells more, else the greater one, field by field. So it is the same
 * whichever comes first. Positive: `a`; negative: `b`; 0: they say the same, `timeServer` aside.
 */
export function prefer(a: Fix, b: Fix): number {
  for (const quality of QUALITIES) {
    const [ofA, ofB] = [quality(a), quality(b)]
    if (ofA !== ofB) return ofA > ofB ? 1 : -1
  }
  if (a.address === b.address) return 0
  return (a.address ?? '') > (b.address ?? '') ? 1 : -1
}
