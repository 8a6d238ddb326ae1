import { countShares } from '../../domain/common/slots.ts'
import { MAX_STREAMS } from '../../domain/limits.ts'
import type { StreamPlace, StreamPlaces } from '../realtime.ts'

/** The places of one process. */
export function memoryStreamPlaces(): StreamPlaces & {
  takeHere(holder: number, limit?: number): StreamPlace | null
} {
  const taken = countShares<number>()

  function takeHere(holder: number, limit = MAX_STREAMS): StreamPlace | null {
    if (taken.of(holder) >= limit) return null
    taken.add(holder, 1)
    let isFree = false
    return {
      free() {
        if (!isFree) taken.add(holder, -1)
        isFree = true
      },
    }
  }

  return { takeHere, take: async (holder, limit) => takeHere(holder, limit) }
}
