import type { Box } from '../../domain/record.ts'
import type { Zone } from './zone.ts'

/** Whether a segment with this box may have a position in a zone. */
export function mayMeet(segment: Box, { box }: Zone): boolean {
  if (segment.south > box.north || segment.north < box.south) return false
  // The longitudes of the zone may go on beyond 180, on either side.
  return [-360, 0, 360].some(
    (turn) => segment.west + turn <= box.east && segment.east + turn >= box.west,
  )
}
