import { writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { resultOf } from '../harness/envelope.ts'
import type { Fleet, FleetOrganization } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { untilRecords } from '../trips/records-fleet.ts'

export const OBJECTS = 100
export const DAYS = 31
const DAY_MS = 86_400_000
const MINUTE = 60_000
const FIRST_DAY = Date.UTC(2026, 2, 1)
export const MONTH = 'from_time=2026-03-01&to_time=2026-03-31'
export const MONTH_OF_DAYS = 'from_date=2026-03-01&to_date=2026-03-31'

/** Makes an answer longer than what the system keeps for a connection: 4 MB on Linux. */
const NAME = 'long '.repeat(40).trim()

/** A short drive of each object on each day, on odd days back: a trip, a stop, and a part of a visit of a site. */
function positions(): string {
  const rows = ['ident,time_device,latitude,longitude,speed']
  for (let object = 0; object < OBJECTS; object += 1) {
    for (let day = 0; day < DAYS; day += 1) {
      const start = FIRST_DAY + day * DAY_MS
      const step = (minute: number, metres: number, speed: number) => {
        const time = new Date(start + minute * MINUTE).toISOString()
        const east = day % 2 === 0 ? metres : 1_200 - metres
        rows.push(`month-${object},${time},41,${2 + east / 84_000},${speed}`)
      }
      step(0, 0, 0)
      step(1, 600, 36)
      step(2, 1_200, 36)
      step(3, 1_200, 0)
    }
  }
  return rows.join('\n')
}

function objects(): string {
  const idents = Array.from({ length: OBJECTS }, (_, index) => `month-${index},${NAME}`)
  return ['ident,name', ...idents].join('\n')
}

const SITES = 'name,latitude,longitude,radius\nDepot,41,2,300'

/** An organization whose objects drove on each day of a month, and whose records are derived. */
export async function month(fleet: Fleet): Promise<FleetOrganization> {
  const organization = fleet.take()
  const files = { objects: objects(), positions: positions(), sites: SITES }
  for (const [what, rows] of Object.entries(files)) {
    const file = join(temporaryFolder(), `${what}.csv`)
    writeFileSync(file, rows)
    await fleet.run('import', what, '--org', String(organization.id), file)
  }
  await widen(fleet, organization)
  // The newest trip of each object is under way.
  await untilRecords(organization, async () => {
    const trips = resultOf(await organization.get(`/trips?${MONTH}&limit=10000`))
    return trips.filter(({ name }: Json) => name === NAME).length === OBJECTS * DAYS
  })
  return organization
}

/** Makes room for many requests. */
export async function widen(fleet: Fleet, { id }: FleetOrganization): Promise<void> {
  await fleet.json('org', 'update', String(id), '--window-requests', '1000')
}

/** Resolves when an answer begins, and reads no further. */
export function leaveUnread(
  { server }: Fleet,
  { key }: FleetOrganization,
  path: string,
): Promise<IncomingMessage> {
  const url = server.api + PREFIX + path
  return new Promise((resolve, reject) =>
    get(url, { agent: false, headers: { 'x-api-key': key } }, resolve).on('error', reject),
  )
}

/** The rest of an answer as text. Rejects if it breaks off. */
export async function readAll(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of answer.setEncoding('utf8')) text += part
  return text
}
