/**
 * Prints each entry into a geofence or site. A visit comes again with each position inside, so the program keeps the ids
 * that it has seen. Without `open`, it would also report visits that were over when their positions arrived.
 */
import { Fleetgate } from '@fleetgate/client'

const fleet = new Fleetgate({
  baseUrl: 'https://fleet.example.com',
  apiKey: process.env.FLEETGATE_API_KEY!,
})
const startedAt = new Date().toISOString()
const seen = new Set<number>()

for await (const { changes } of fleet.changes({ from: 'now', types: ['visits'] })) {
  for (const change of changes) {
    if (change.type !== 'visit' || change.op !== 'put') continue
    const { id, name, place_name, start_time, open } = change.visit
    if (open && start_time >= startedAt && !seen.has(id)) {
      console.log(`${start_time} ${name} entered ${place_name}`)
    }
    seen.add(id)
  }
}
