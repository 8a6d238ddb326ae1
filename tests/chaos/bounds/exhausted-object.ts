import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { addDrive } from '../../../bench/drive.ts'
import { addTenants } from '../../../bench/tenants.ts'
import { openSqliteStore } from '../../../packages/server/src/data/sqlite/open.ts'
import { request } from '../../acceptance/harness/client.ts'
import { PREFIX } from '../../acceptance/harness/organization.ts'
import type { Finding, Trial } from '../part.ts'
import { startServer } from '../server.ts'

/** Halvings of the world, alternately of its width and height: the last box is 0.6 m wide and high. */
const REQUESTS = 51
/** The seconds of a request for which the window may have no place. */
const SECOND_MS = 1_000

/** Looks for an object whose quota is exhausted with smaller and smaller boxes. */
export async function exhaustedObject({ folder }: Trial): Promise<Finding[]> {
  const data = join(folder, 'exhausted')
  const store = await openSqliteStore(data)
  const [tenant] = await addTenants(store, 1)
  const { organization, object, key } = tenant!
  await addDrive(store, tenant!, 1)
  await store.organizations.update(organization, { dailyQuota: 1 }, Date.now())
  await store.close()
  const server = await startServer(['--data', data])

  async function get(path: string) {
    for (;;) {
      const headers = { 'x-api-key': key }
      const answer = await request(`http://127.0.0.1:${server.port}`, PREFIX + path, { headers })
      if (answer.status !== 429) return answer
      await wait(Number(answer.headers['retry-after']) * SECOND_MS)
    }
  }

  try {
    // The detail exhausts the quota, and shows what the search has to find.
    const { latitude, longitude } = (await get(`/objects/${object}`)).json.result
    const box = { west: -180, south: -90, east: 180, north: 90 }
    const answers = new Set<string>()
    for (let asked = 0; asked < REQUESTS; asked += 1) {
      const [low, high] =
        asked % 2 === 0 ? (['west', 'east'] as const) : (['south', 'north'] as const)
      const middle = (box[low] + box[high]) / 2
      const half = { ...box, [high]: middle }
      const path = `/positions/latest?bbox=${half.west},${half.south},${half.east},${half.north}`
      const { status, text } = await get(path)
      answers.add(`${status} ${text.replace(/"timestamp":"[^"]+"/, '')}`)
      // A refusal says that the object is in this half.
      box[status === 400 ? high : low] = middle
    }
    const metres = metresBetween(
      [(box.south + box.north) / 2, (box.west + box.east) / 2],
      [latitude, longitude],
    )
    return [
      {
        what: `an exhausted object, looked for with ${REQUESTS} boxes: different answers`,
        bar: 'one for all',
        measured: `${answers.size}; the last box was ${metres < 1_000 ? `${metres.toFixed(1)} m` : `${Math.round(metres / 1_000)} km`} from it`,
        met: answers.size === 1,
      },
    ]
  } finally {
    server.signal('SIGTERM')
    await server.ended
  }
}

const METRES_PER_DEGREE = 111_195

function metresBetween([lat, lon]: [number, number], [lat2, lon2]: [number, number]): number {
  const north = (lat - lat2) * METRES_PER_DEGREE
  const east = (lon - lon2) * METRES_PER_DEGREE * Math.cos((lat2 * Math.PI) / 180)
  return Math.hypot(north, east)
}
