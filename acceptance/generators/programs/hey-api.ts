import { client } from './generated/hey-api/client.gen.js'
import * as api from './generated/hey-api/index.js'
import { nextWindow } from './next-window.js'

const { BASE, KEY } = process.env as { BASE: string; KEY: string }
client.setConfig({ baseUrl: BASE, auth: () => KEY, throwOnError: true })

const objects = (await api.listObjects()).data!.result
const [first, second] = objects.map(({ id }) => id) as [number, number]
const path = { id: first }
const query = { from_time: '2024-01-01', to_time: '2024-12-31' }
const dates = { from_date: '2024-01-01', to_date: '2024-12-31' }
const { changes } = (await api.listChanges({ query: { types: ['objects'] } })).data!.result
const names = changes.flatMap((change) =>
  change.type === 'object' && change.op === 'put' ? change.object.name : [],
)
const routes = (await api.listRoutes()).data!.result
const listed = {
  objects,
  names,
  object: (await api.getObject({ path })).data!.result,
  positions: (await api.listPositions({ path, query })).data!.result,
  latest: (await api.latestPositions({ query: { ids: [second, first] } })).data!.result,
  at: (await api.positionsAt({ query: { time: '2024-06-01', ids: [second, first] } })).data!.result,
  several: (await api.fleetPositions({ query: { ids: [first], ...query } })).data!.result,
  geofences: (await api.listGeofences()).data!.result,
  routes,
  sites: (await api.listSites()).data!.result,
}
await nextWindow()
console.log(
  JSON.stringify({
    ...listed,
    trips: (await api.listTrips({ query })).data!.result,
    stops: (await api.listStops({ query })).data!.result,
    days: (await api.listDays({ query: dates })).data!.result,
    coverage: (await api.listCoverage({ query: dates })).data!.result,
    visits: (await api.listVisits({ query })).data!.result,
    key: (await api.getKey()).data!.result,
    usage: (await api.getUsage()).data!.result,
    ping: (await api.ping()).data!.result,
    adherence: (
      await api.getAdherence({ path: { id: routes[0]!.id }, query: { object: first, ...query } })
    ).data!.result,
  }),
)
