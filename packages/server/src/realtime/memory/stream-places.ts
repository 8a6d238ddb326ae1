import { MAX_STREAMS, type StreamPlace, type StreamPlaces } from '../realtime.ts'

/** The places of one process. */
export function memoryStreamPlaces(): StreamPlaces & {
  takeHere(holder: number, limit?: number): StreamPlace | null
} {
  const taken = new Map<number, number>()

  function add(holder: number, change: number): void {
    const count = (taken.get(holder) ?? 0) + change
    if (count === 0) taken.delete(holder)
    else taken.set(holder, count)
  }

  function takeHere(holder: number, limit = MAX_STREAMS): StreamPlace | null {
    if ((taken.get(holder) ?? 0) >= limit) return null
    add(holder, 1)
    let isFree = false
    return {
      free() {
        if (!isFree) add(holder, -1)
        isFree = true
      },
    }
  }

  return { takeHere, take: async (holder, limit) => takeHere(holder, limit) }
}
