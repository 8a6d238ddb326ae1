import type { Operator } from './admin.ts'

/** The last day, of the browser's zone, on which Van 1 of the demo drove. Vans do not drive at weekends. */
export async function drivenDay(operator: Operator): Promise<string> {
  for (let ago = 1; ago < 7; ago += 1) {
    const day = new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    // Hours that are of this day in UTC and in Madrid.
    const range = `from=${day}T00:00:00Z&to=${day}T22:00:00Z`
    const track = await operator.get(`/organizations/1/objects/1/track?${range}`)
    if (track.moving_seconds > 0) return day
  }
  throw new Error('Van 1 did not drive for a week')
}
