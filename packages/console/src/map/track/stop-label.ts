import type { Stand } from '../../api/types.ts'
import { duration } from '../../ui/time/duration.ts'

/** How long a stop lasted: until the object moved on, or as far as known. */
export function stopLabel(stop: Stand, until: number): string {
  const end = stop.to === null ? until : Date.parse(stop.to)
  const long = duration(end - Date.parse(stop.from))
  return stop.to === null ? `${long} so far` : long
}
