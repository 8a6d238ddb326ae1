/** Prints the trips of a day from a replica with records. */
import { Fleetgate } from '@fleetgate/client'

const fleet = new Fleetgate({
  baseUrl: 'https://fleet.example.com',
  apiKey: process.env.FLEETGATE_API_KEY!,
})
const replica = fleet.replica({ records: true })
await replica.sync()

for await (const trip of replica.trips({ from: '2026-11-20', to: '2026-11-20' })) {
  const { name, distance, start_address, end_address } = trip
  console.log(`${name}: ${distance ?? '?'} from ${start_address ?? '?'} to ${end_address ?? '?'}`)
}
