import { Api } from './generated/swagger-typescript-api/api.js'
import { nextWindow } from './next-window.js'

const { BASE, KEY } = process.env as { BASE: string; KEY: string }
const api = new Api<string>({
  baseUrl: BASE,
  securityWorker: (key) => ({ headers: { Authorization: `Bearer ${key}` } }),
})
api.setSecurityData(KEY)

const objects = (await api.objects.listObjects()).data.result
const [first, second] = objects.map(({ id }) => id) as [number, number]
const range = { from_time: '2024-01-01', to_time: '2024-12-31' }
const dates = { from_date: '2024-01-01', to_date: '2024-12-31' }
const { changes } = (await api.changes.listChanges({ types: ['objects'] })).data.result
const names = changes.flatMap((change) =>
  change.type === 'object' && change.op === 'put' ? change.object.name : [],
)
const routes = (await api.routes.listRoutes()).data.result
const listed = {
  objects,
  names,
  object: (await api.objects.getObject(first)).data.result,
  positions: (await api.objects.listPositions(first, range)).data.result,
  latest: (await api.positions.latestPositions({ ids: [second, first] })).data.result,
  at: (await api.positions.positionsAt({ time: '2024-06-01', ids: [second, first] })).data.result,
  several: (await api.positions.fleetPositions({ ids: [first], ...range })).data.result,
  geofences: (await api.geofences.listGeofences()).data.result,
  routes,
  sites: (await api.sites.listSites()).data.result,
}
await nextWindow()
console.log(
  JSON.stringify({
    ...listed,
    trips: (await api.trips.listTrips(range)).data.result,
    stops: (await api.stops.listStops(range)).data.result,
    days: (await api.days.listDays(dates)).data.result,
    coverage: (await api.coverage.listCoverage(dates)).data.result,
    visits: (await api.visits.listVisits(range)).data.result,
    key: (await api.key.getKey()).data.result,
    usage: (await api.usage.getUsage()).data.result,
    ping: (await api.ping.ping()).data.result,
    adherence: (await api.routes.getAdherence(routes[0]!.id, { object: first, ...range })).data
      .result,
  }),
)
