import { MAX_STREAMS, type StreamPlace, type StreamPlaces } from '../realtime.ts'

/** The places of one process. */
export function memoryStreamPlaces(): StreamPlaces & {
  takeHere(organization: number): StreamPlace | null
} {
  const taken = new Map<number, number>()

  function add(organization: number, change: number): void {
    const count = (taken.get(organization) ?? 0) + change
    if (count === 0) taken.delete(organization)
    else taken.set(organization, count)
  }

  function takeHere(organization: number): StreamPlace | null {
    if (taken.get(organization) === MAX_STREAMS) return null
    add(organization, 1)
    let isFree = false
    return {
      free() {
        if (!isFree) add(organization, -1)
        isFree = true
      },
    }
  }

  return { takeHere, take: async (organization) => takeHere(organization) }
}
