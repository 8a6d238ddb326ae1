import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { resultOf } from './harness/envelope.ts'
import { fleetgateJson, type Json, REPOSITORY } from './harness/fleetgate.ts'
import { newDeployment } from './harness/new-deployment.ts'
import { type Organization, organizationOf, withRoom } from './harness/organization.ts'
import type { Server } from './harness/server.ts'
import { serveHere } from './harness/server-here.ts'
import { temporaryFolder } from './harness/temporary-folder.ts'

/**
 * A real fleet: three days of Capital Metro buses. Whole: the buses are spread over 20 organizations, and every
 * bus of every day is compared. Quick: one day, 2 organizations, every 24th bus.
 */
const WHOLE = process.env.REAL_FLEET === 'whole'
const FOLDER = join(REPOSITORY, '../shared/data/capmetro')
const DAYS = WHOLE ? ['2017-03-16', '2017-03-21', '2017-04-18'] : ['2017-03-21']
const ORGANIZATIONS = WHOLE ? 20 : 2
const EVERY = WHOLE ? 1 : 24
const KMH_PER_MPS = 3.6

const skip = existsSync(FOLDER) ? false : `${FOLDER} is not there`

type Bus = { lines: string[]; accepted: Map<string, Expected> }
type Expected = { time_device: string; latitude: number; longitude: number; speed: number }

/** A day's file by bus: its lines, and the expected answers in time order. */
function readDay(day: string): Map<string, { lines: string[]; accepted: Expected[] }> {
  const buses = new Map<string, Bus>()
  const [, ...lines] = readFileSync(join(FOLDER, `${day}.csv`), 'utf8')
    .trimEnd()
    .split('\n')
  for (const line of lines) {
    const [ident, timestamp, speed, , , latitude, longitude] = line.split(',')
    const bus: Bus = buses.get(ident!) ?? { lines: [], accepted: new Map() }
    buses.set(ident!, bus)
    bus.lines.push(line)
    const time_device = new Date(timestamp!).toISOString()
    if (Number(latitude) === 0 && Number(longitude) === 0) continue
    if (bus.accepted.has(time_device)) continue
    bus.accepted.set(time_device, {
      time_device,
      latitude: Number(Number(latitude).toFixed(7)),
      longitude: Number(Number(longitude).toFixed(7)),
      speed: hundredths(speed!),
    })
  }
  const inOrder = (a: Expected, b: Expected) => (a.time_device < b.time_device ? -1 : 1)
  return new Map(
    [...buses].map(([ident, bus]) => [
      ident,
      { lines: bus.lines, accepted: [...bus.accepted.values()].toSorted(inOrder) },
    ]),
  )
}

/** m/s as km/h with two decimals, computed in whole micrometres so that rounding is exact. */
function hundredths(metresPerSecond: string): number {
  const micro = Math.round(Number(metresPerSecond) * 1e6)
  return Math.round((micro * KMH_PER_MPS) / 1e4) / 100
}

describe(`The real fleet, ${WHOLE ? 'whole' : 'small'}`, { skip }, async () => {
  if (skip !== false) return
  const folder = temporaryFolder()
  const deployment = await newDeployment()
  let server: Server
  const organizations: Organization[] = []
  for (let number = 0; number < ORGANIZATIONS; number++) {
    const name = `Capital Metro ${number}`
    const { id } = await fleetgateJson(['org', 'create', '--name', name, ...deployment.args])
    const { key } = await fleetgateJson(['key', 'issue', '--org', String(id), ...deployment.args])
    const record = { id, name, key, objects: { van: 0, truck: 0, longHaul: 0, silent: 0 } }
    organizations.push(organizationOf(record, () => server.api))
  }
  const ownerOf = (ident: string) => organizations[Number(ident) % ORGANIZATIONS]!
  const days = DAYS.map((day) => ({ day, buses: readDay(day) }))
  const header = readFileSync(join(FOLDER, `${DAYS[0]}.csv`), 'utf8').split('\n', 1)[0]!

  it('is imported with every row accounted for', async () => {
    const total: Json = { read: 0, accepted: 0, duplicate: 0, conflict: 0, rejected: 0 }
    let noFix = 0
    for (const organization of organizations) {
      const files = days.map(({ day, buses }) => {
        const file = join(folder, `${organization.id}-${day}.csv`)
        const own = [...buses].filter(([ident]) => ownerOf(ident) === organization)
        writeFileSync(file, [header, ...own.flatMap(([, { lines }]) => lines), ''].join('\n'))
        return file
      })
      const summary = await fleetgateJson([
        ...['import', 'positions', '--org', String(organization.id), ...deployment.args],
        ...['--map', 'ident=vehicle_id,time_device=timestamp', '--speed-unit', 'mps'],
        ...['--create-objects', ...files],
      ])
      for (const count of Object.keys(total)) total[count] += summary[count]
      noFix += noFixOf(summary)
    }
    const lines = days.flatMap(({ buses }) => [...buses.values()].map((bus) => bus.lines.length))
    const read = lines.reduce((sum, count) => sum + count, 0)
    assert.equal(total.read, read)
    assert.equal(total.accepted + total.duplicate + total.conflict + total.rejected, read)
    assert.equal(total.rejected, noFix)
    const accepted = days.flatMap(({ buses }) => [...buses.values()].map((bus) => bus.accepted))
    assert.equal(total.accepted, accepted.flat().length)
    const expected = WHOLE
      ? { read: 125_957, duplicate: 1, conflict: 0, rejected: 27 }
      : { read: 45_386, duplicate: 1, conflict: 0, rejected: 3 }
    const { accepted: _, ...others } = total
    assert.deepEqual(others, expected)
  })

  it('is answered as in the files, bus by bus and day by day', async () => {
    server = await serveHere(deployment)
    after(() => server.stop())
    const ids = new Map<string, number>()
    for (const organization of organizations) {
      for (const { ident, id } of resultOf(await organization.get('/objects'))) ids.set(ident, id)
    }
    const asked = days.flatMap(({ day, buses }) =>
      [...buses].map(([ident, { accepted }]) => ({ day, ident, accepted })),
    )
    const chosen = asked.filter((_, i) => i % EVERY === 0)
    let compared = 0

    async function compare({ day, ident, accepted }: (typeof asked)[number]): Promise<void> {
      const organization = ownerOf(ident)
      // A service day runs past midnight UTC.
      const to = new Date(Date.parse(day) + 2 * 86_400_000).toISOString().slice(0, 10)
      const path = `/objects/${ids.get(ident)}/positions?from_time=${day}&to_time=${to}`
      const rows = resultOf(await organization.get(path))
      assert.deepEqual(rows.map(shown), accepted, `${ident} on ${day}`)
      compared += accepted.length
    }

    const left = new Set(chosen)
    while (left.size > 0) {
      const owners = new Set([...left].map(({ ident }) => ownerOf(ident)))
      const free = await withRoom([...owners])
      const next = [...left].find(({ ident }) => ownerOf(ident) === free)!
      left.delete(next)
      await compare(next)
    }
    assert.equal(
      compared,
      chosen.reduce((sum, { accepted }) => sum + accepted.length, 0),
    )
  })
})

function shown({ time_device, latitude, longitude, speed }: Json): Expected {
  return { time_device, latitude, longitude, speed }
}

/** The count of the reason `no_fix` in the summary, in either layout. */
function noFixOf(summary: Json): number {
  const reason = summary.reasons?.no_fix
  return reason?.count ?? reason ?? 0
}
