import {
  ChangesService,
  ObjectsService,
  OpenAPI,
  PlacesService,
  PositionsService,
  RecordsService,
  ServiceService,
} from './generated/openapi-typescript-codegen/index.js'
import { nextWindow } from './next-window.js'

const { BASE, KEY } = process.env as { BASE: string; KEY: string }
OpenAPI.BASE = BASE
OpenAPI.TOKEN = KEY

const objects = (await ObjectsService.listObjects({})).result
const [first, second] = objects.map(({ id }) => id) as [number, number]
const range = { fromTime: '2024-01-01', toTime: '2024-12-31' }
const dates = { fromDate: '2024-01-01', toDate: '2024-12-31' }
const { changes } = (await ChangesService.listChanges({ types: ['objects'] })).result
// `type` is any string in the types of this generator.
const names = changes.flatMap((change) => ('object' in change ? change.object.name : []))
const routes = (await PlacesService.listRoutes({})).result
const listed = {
  objects,
  names,
  object: (await ObjectsService.getObject({ id: first })).result,
  positions: (await PositionsService.listPositions({ id: first, ...range })).result,
  latest: (await PositionsService.latestPositions({ ids: [second, first] })).result,
  at: (await PositionsService.positionsAt({ time: '2024-06-01', ids: [second, first] })).result,
  several: (await PositionsService.fleetPositions({ ids: [first], ...range })).result,
  geofences: (await PlacesService.listGeofences({})).result,
  routes,
  sites: (await PlacesService.listSites({})).result,
}
await nextWindow()
console.log(
  JSON.stringify({
    ...listed,
    trips: (await RecordsService.listTrips(range)).result,
    stops: (await RecordsService.listStops(range)).result,
    days: (await RecordsService.listDays(dates)).result,
    coverage: (await PositionsService.listCoverage(dates)).result,
    visits: (await RecordsService.listVisits(range)).result,
    key: (await ServiceService.getKey({})).result,
    usage: (await ServiceService.getUsage({})).result,
    ping: (await ServiceService.ping()).result,
    adherence: (await RecordsService.getAdherence({ id: routes[0]!.id, object: first, ...range }))
      .result,
  }),
)
