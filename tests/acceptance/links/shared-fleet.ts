import { startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import type { Json } from '../harness/fleetgate.ts'

/*
 * A fleet of two vans with three positions each, and links to the first one.
 */

const console = await startConsole()
export const { operator, server } = console
export const organization: number = (await operator.post('/organizations', { name: 'Sharing' })).id
export const at = `/organizations/${organization}`

const HOUR_MS = 3_600_000
/** The time of the first position, the second and the third one. */
export const TIMES = [3, 2, 1].map((hours) => instantOf(Date.now() - hours * HOUR_MS))

export const [shown, hidden] = await Promise.all(
  ['Van 1', 'Van 2'].map(
    async (name): Promise<number> =>
      (await operator.post(`${at}/objects`, { name, ident: name })).id,
  ),
)
await importPositions('Van 1', TIMES)
await importPositions('Van 2', TIMES, { latitude: 42 })

/** Imports positions that go east, one for each time. `step`: degrees between two of them. */
export async function importPositions(
  ident: string,
  times: readonly string[],
  { latitude = 41, step = 0.01 } = {},
): Promise<void> {
  const rows = times.map((time, index) => [ident, time, latitude, 2 + index * step, 50, 90].join())
  await operator.ask('POST', `${at}/import/positions?file=a.csv`, {
    body: ['ident,time_device,latitude,longitude,speed,angle', ...rows, ''].join('\n'),
  })
}

export function instantOf(time: number): string {
  return new Date(time).toISOString()
}

export const until = instantOf(Date.now() + HOUR_MS)

/** Creates a link to the first van. Returns it with the path of its page. */
export async function newLink(more: Json = {}): Promise<{ link: Json; path: string }> {
  const body = { name: 'Delivery', grants: [{ objects: [shown] }], expires_at: until, ...more }
  const { link, url } = await operator.post(`${at}/links`, body)
  return { link, path: new URL(url).pathname }
}

export function open(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return request(server.api, path, { headers, method })
}

export async function linkOf(id: number): Promise<Json> {
  return (await operator.get(`${at}/links`)).items.find((each: Json) => each.id === id)
}
