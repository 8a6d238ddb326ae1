import createClient from 'openapi-fetch'
import type { paths } from './generated/openapi-fetch/schema.js'
import { nextWindow } from './next-window.js'

const { BASE, KEY } = process.env as { BASE: string; KEY: string }
const client = createClient<paths>({ baseUrl: BASE, headers: { Authorization: `Bearer ${KEY}` } })

const objects = (await client.GET('/objects')).data!.result
const [first, second] = objects.map(({ id }) => id) as [number, number]
const path = { id: first }
const query = { from_time: '2024-01-01', to_time: '2024-12-31' }
const dates = { from_date: '2024-01-01', to_date: '2024-12-31' }
const { changes } = (await client.GET('/changes', { params: { query: { types: ['objects'] } } }))
  .data!.result
const names = changes.flatMap((change) =>
  change.type === 'object' && change.op === 'put' ? change.object.name : [],
)
const routes = (await client.GET('/routes')).data!.result
const listed = {
  objects,
  names,
  object: (await client.GET('/objects/{id}', { params: { path } })).data!.result,
  positions: (await client.GET('/objects/{id}/positions', { params: { path, query } })).data!
    .result,
  latest: (await client.GET('/positions/latest', { params: { query: { ids: [second, first] } } }))
    .data!.result,
  at: (
    await client.GET('/positions/at', {
      params: { query: { time: '2024-06-01', ids: [second, first] } },
    })
  ).data!.result,
  several: (await client.GET('/positions', { params: { query: { ids: [first], ...query } } })).data!
    .result,
  geofences: (await client.GET('/geofences')).data!.result,
  routes,
  sites: (await client.GET('/sites')).data!.result,
}
await nextWindow()
console.log(
  JSON.stringify({
    ...listed,
    trips: (await client.GET('/trips', { params: { query } })).data!.result,
    stops: (await client.GET('/stops', { params: { query } })).data!.result,
    days: (await client.GET('/days', { params: { query: dates } })).data!.result,
    coverage: (await client.GET('/coverage', { params: { query: dates } })).data!.result,
    visits: (await client.GET('/visits', { params: { query } })).data!.result,
    key: (await client.GET('/key')).data!.result,
    usage: (await client.GET('/usage')).data!.result,
    ping: (await client.GET('/ping')).data!.result,
    adherence: (
      await client.GET('/routes/{id}/adherence', {
        params: { path: { id: routes[0]!.id }, query: { object: first, ...query } },
      })
    ).data!.result,
  }),
)
