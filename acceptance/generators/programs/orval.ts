import * as api from './generated/orval/api.js'
import { nextWindow } from './next-window.js'

const { KEY } = process.env as { KEY: string }
const options = { headers: { Authorization: `Bearer ${KEY}` } }

function resultOf<Result>(answer: { status: 200; data: { result: Result } } | { status: number }) {
  if (answer.status !== 200 || !('data' in answer)) throw new Error(JSON.stringify(answer))
  return answer.data.result
}

const objects = resultOf(await api.listObjects(undefined, options))
const [first, second] = objects.map(({ id }) => id) as [number, number]
const range = { from_time: '2024-01-01', to_time: '2024-12-31' }
const dates = { from_date: '2024-01-01', to_date: '2024-12-31' }
const { changes } = resultOf(await api.listChanges({ types: ['objects'] }, options))
const names = changes.flatMap((change) =>
  change.type === 'object' && change.op === 'put' ? change.object.name : [],
)
const routes = resultOf(await api.listRoutes(undefined, options))
const listed = {
  objects,
  names,
  object: resultOf(await api.getObject(first, options)),
  positions: resultOf(await api.listPositions(first, range, options)),
  latest: resultOf(await api.latestPositions({ ids: [second, first] }, options)),
  at: resultOf(await api.positionsAt({ time: '2024-06-01', ids: [second, first] }, options)),
  several: resultOf(await api.fleetPositions({ ids: [first], ...range }, options)),
  geofences: resultOf(await api.listGeofences(undefined, options)),
  routes,
  sites: resultOf(await api.listSites(undefined, options)),
}
await nextWindow()
console.log(
  JSON.stringify({
    ...listed,
    trips: resultOf(await api.listTrips(range, options)),
    stops: resultOf(await api.listStops(range, options)),
    days: resultOf(await api.listDays(dates, options)),
    coverage: resultOf(await api.listCoverage(dates, options)),
    visits: resultOf(await api.listVisits(range, options)),
    key: resultOf(await api.getKey(options)),
    usage: resultOf(await api.getUsage(undefined, options)),
    ping: resultOf(await api.ping()),
    adherence: resultOf(
      await api.getAdherence(routes[0]!.id, { object: first, ...range }, options),
    ),
  }),
)
