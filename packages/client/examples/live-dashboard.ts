/** Prints each vehicle that has moved: a page of changes says which ones to draw again. */
import { Fleetgate } from '@fleetgate/client'

const fleet = new Fleetgate({
  baseUrl: 'https://fleet.example.com',
  apiKey: process.env.FLEETGATE_API_KEY!,
})
const replica = fleet.replica({ skipExhausted: true })

for await (const { changes } of replica.follow()) {
  const moved = changes.flatMap((change) => (change.type === 'state' ? change.state.id : []))
  for (const { name, latitude, longitude, speed } of await replica.positions.latest(moved)) {
    if (latitude !== null) console.log(`${name}: ${latitude}, ${longitude} at ${speed ?? '?'}`)
  }
}
