import {
  ObjectsService,
  OpenAPI,
  PlacesService,
  PositionsService,
  ServiceService,
} from './generated/openapi-typescript-codegen/index.js'

const { BASE, KEY } = process.env as { BASE: string; KEY: string }
OpenAPI.BASE = BASE
OpenAPI.TOKEN = KEY

const objects = (await ObjectsService.listObjects({})).result
const [first, second] = objects.map(({ id }) => id) as [number, number]
const range = { fromTime: '2024-01-01', toTime: '2024-12-31' }
console.log(
  JSON.stringify({
    objects,
    object: (await ObjectsService.getObject({ id: first })).result,
    positions: (await PositionsService.listPositions({ id: first, ...range })).result,
    latest: (await PositionsService.latestPositions({ ids: [second, first] })).result,
    geofences: (await PlacesService.listGeofences({})).result,
    routes: (await PlacesService.listRoutes({})).result,
    sites: (await PlacesService.listSites({})).result,
    ping: (await ServiceService.ping()).result,
  }),
)
