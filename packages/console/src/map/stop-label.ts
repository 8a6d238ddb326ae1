import type { Stop } from '../api/types.ts'
import { duration } from '../ui/duration.ts'

/** How long it stood: until it moved on, or as far as is known. */
export function stopLabel(stop: Stop, until: number): string {
  const end = stop.to === null ? until : Date.parse(stop.to)
  const long = duration(end - Date.parse(stop.from))
  return stop.to === null ? `${long} so far` : long
}
