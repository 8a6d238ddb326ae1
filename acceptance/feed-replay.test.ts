import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import geographiclib from 'geographiclib-geodesic'
import { request } from './harness/client.ts'
import { resultOf } from './harness/envelope.ts'
import { type Json, REPOSITORY } from './harness/fleetgate.ts'
import { commandLine } from './harness/make-fleet.ts'
import { newDeployment } from './harness/new-deployment.ts'
import { type Organization, organizationOf, withRoom } from './harness/organization.ts'
import type { Server } from './harness/server.ts'
import { serveHere } from './harness/server-here.ts'
import { temporaryFolder } from './harness/temporary-folder.ts'

/**
 * Sends days of a real fleet to the feed in the order of its files, where half of the rows are late by hours, and
 * imports the same rows ordered by time for comparison. Whole: three days, and the history of every bus. Quick:
 * one day of every fourth bus, with the row sent twice, and the history of every 12th of those.
 */
const WHOLE = process.env.REAL_FLEET === 'whole'
const FOLDER = join(REPOSITORY, '../shared/data/capmetro')
const DAYS = WHOLE ? ['2017-03-16', '2017-03-21', '2017-04-18'] : ['2017-03-21']
const PAIRS = WHOLE ? 12 : 1
const EVERY = WHOLE ? 1 : 12
const BATCH = 500
const KMH_PER_MPS = 3.6
const skip = existsSync(FOLDER) ? false : `${FOLDER} is not there`

type Fix = { time: number; latitude: number; longitude: number; speed: number }
type Line = Fix & { ident: string; line: string }

function readLines(): { header: string; lines: Line[] } {
  const files = DAYS.map((day) =>
    readFileSync(join(FOLDER, `${day}.csv`), 'utf8')
      .trimEnd()
      .split('\n'),
  )
  const lines = files.flatMap(([, ...rows]) =>
    rows.map((line) => {
      const [ident, timestamp, speed, , , latitude, longitude] = line.split(',')
      return {
        ident: ident!,
        line,
        time: Date.parse(timestamp!),
        speed: Number(speed) * KMH_PER_MPS,
        latitude: Number(latitude),
        longitude: Number(longitude),
      }
    }),
  )
  const chosen = WHOLE ? lines : lines.filter(({ ident }) => Number(ident) % 4 === 2)
  return { header: files[0]![0]!, lines: chosen }
}

/** The rules that decide from the file alone whether a bus moved. Metres, km/h. */
const MOVING = 5
const FASTEST = 250
const FAR = 100
const JUMP = 200

type Reckoning = { metres: number; speeds: number; jumps: number }

/**
 * The distance of a bus: the sum of the legs between fixes with movement at one end, and of legs too long and too
 * fast for a receiver's drift. Absurd speeds do not count as movement.
 */
function reckon(fixes: Fix[]): Reckoning {
  const moves = ({ speed }: Fix) => speed >= MOVING && speed <= FASTEST
  const way: Reckoning = {
    metres: 0,
    speeds: fixes.filter(({ speed }) => speed > FASTEST).length,
    jumps: 0,
  }
  for (const [index, to] of fixes.entries()) {
    const from = fixes[index - 1]
    if (from === undefined) continue
    const { s12 } = geographiclib.Geodesic.WGS84.Inverse(
      from.latitude,
      from.longitude,
      to.latitude,
      to.longitude,
    )
    const metres = s12!
    const pace = (metres / (to.time - from.time)) * 3_600
    if (metres > JUMP && pace > FASTEST) way.jumps += 1
    if (moves(from) || moves(to) || (metres >= FAR && pace >= MOVING)) way.metres += metres
  }
  return way
}

describe(`A real fleet through the feed, ${WHOLE ? 'whole' : 'small'}`, { skip }, async () => {
  if (skip !== false) return
  const folder = temporaryFolder()
  const { jsonHere } = await commandLine()
  const deployment = await newDeployment()
  const { header, lines } = readLines()
  let server: Server | undefined
  const pairs: { live: Organization; sorted: Organization; token: string }[] = []
  for (let number = 0; number < PAIRS; number++) {
    const [live, sorted] = [
      await newOrganization(`live ${number}`),
      await newOrganization(`sorted ${number}`),
    ]
    const issued = await jsonHere([
      'feed-token',
      'issue',
      '--org',
      String(live.id),
      ...deployment.args,
    ])
    pairs.push({ live, sorted, token: issued.token })
  }
  const pairOf = (ident: string) => pairs[Number(ident) % PAIRS]!
  const buses = Map.groupBy(lines, ({ ident }) => ident)

  async function newOrganization(name: string): Promise<Organization> {
    const { id } = await jsonHere([
      'org',
      'create',
      '--name',
      name,
      '--create-objects',
      ...deployment.args,
    ])
    const { key } = await jsonHere(['key', 'issue', '--org', String(id), ...deployment.args])
    const objects = { van: 0, truck: 0, longHaul: 0, silent: 0 }
    return organizationOf({ id, name, key, objects }, () => server!.api)
  }

  after(() => server?.stop())

  it('accepts every row, in the order of the files', async () => {
    server = await serveHere(deployment, ['--geocoder', 'off'])
    const total = { stored: 0, duplicate: 0, conflict: 0, rejected: 0 }
    for (const { live, token } of pairs) {
      const own = lines.filter(({ ident }) => pairOf(ident).live === live)
      for (let from = 0; from < own.length; from += BATCH) {
        const body = JSON.stringify(
          own.slice(from, from + BATCH).map(({ ident, time, latitude, longitude, speed }) => {
            return { ident, time_device: time, latitude, longitude, speed }
          }),
        )
        const answer = await request(server.feed, '/feed/v1/positions', {
          method: 'POST',
          headers: { 'x-feed-token': token },
          body,
        })
        const result = resultOf(answer)
        for (const outcome of ['stored', 'duplicate', 'conflict', 'rejected'] as const) {
          total[outcome] += result[outcome]
        }
      }
    }
    assert.deepEqual(
      total,
      WHOLE
        ? { stored: 125_929, duplicate: 1, conflict: 0, rejected: 27 }
        : { stored: 9_922, duplicate: 1, conflict: 0, rejected: 2 },
    )
  })

  it('has the same states as a sorted import', async () => {
    for (const { live, sorted } of pairs) {
      const own = lines.filter(({ ident }) => pairOf(ident).sorted === sorted)
      const file = join(folder, 'sorted.csv')
      const inOrder = own.toSorted((a, b) => a.time - b.time).map(({ line }) => line)
      writeFileSync(file, [header, ...inOrder, ''].join('\n'))
      await jsonHere([
        ...['import', 'positions', '--org', String(sorted.id), ...deployment.args],
        ...['--map', 'ident=vehicle_id,time_device=timestamp', '--speed-unit', 'mps'],
        ...['--create-objects', file],
      ])
      const [fed, imported] = [await live.get('/objects'), await sorted.get('/objects')].map(
        (answer) => resultOf(answer).map(comparable).sort(byIdent),
      )
      assert.deepEqual(fed, imported)
    }
  })

  it('has the same histories as a sorted import', async () => {
    const left = new Set([...buses.keys()].filter((_, i) => i % EVERY === 0))
    const ids = new Map<Organization, Map<string, number>>()
    for (const { live, sorted } of pairs) {
      for (const organization of [live, sorted]) {
        await withRoom([organization])
        const objects: Json[] = resultOf(await organization.get('/objects'))
        ids.set(organization, new Map(objects.map(({ ident, id }) => [ident, id])))
      }
    }
    const history = async (organization: Organization, ident: string) => {
      await withRoom([organization])
      const path = `/objects/${ids.get(organization)!.get(ident)}/positions?from_time=2017-01-01&to_time=2018-01-01`
      return resultOf(await organization.get(path)).map(comparable)
    }
    while (left.size > 0) {
      const free = await withRoom([...left].map((ident) => pairOf(ident).live))
      const ident = [...left].find((each) => pairOf(each).live === free)!
      left.delete(ident)
      const { live, sorted } = pairOf(ident)
      const [fed, imported] = [await history(live, ident), await history(sorted, ident)]
      assert.ok(fed.length > 0)
      assert.deepEqual(fed, imported, ident)
    }
  })

  it('has odometers within 1 % of an independent computation', async (context) => {
    const sum: Reckoning = { metres: 0, speeds: 0, jumps: 0 }
    let worst = 0
    for (const { live } of pairs) {
      await withRoom([live])
      for (const { ident, odometer } of resultOf(await live.get('/objects'))) {
        const fixes = buses
          .get(ident)!
          .filter(({ latitude, longitude }) => latitude !== 0 || longitude !== 0)
          .toSorted((a, b) => a.time - b.time)
          .filter(({ time }, index, all) => time !== all[index - 1]?.time)
        const way = reckon(fixes)
        for (const part of ['metres', 'speeds', 'jumps'] as const) sum[part] += way[part]
        // An answer has two decimals.
        const off = Math.max(0, Math.abs(odometer * 1000 - way.metres) - 5)
        const share = off === 0 ? 0 : off / way.metres
        assert.ok(share <= 0.01, `${ident}: ${odometer} km, reckoned ${way.metres / 1000}`)
        worst = Math.max(worst, share)
      }
    }
    const km = (sum.metres / 1000).toFixed(0)
    context.diagnostic(
      `${km} km; worst bus off by ${(worst * 100).toFixed(4)} %; ${sum.speeds} absurd speeds, ${sum.jumps} jumps`,
    )
  })
})

/** Without the fields that always differ between two objects. */
function comparable({ id: _, time_server: __, created_at: ___, ...rest }: Json): Json {
  return rest
}

function byIdent(a: Json, b: Json): number {
  return a.ident < b.ident ? -1 : 1
}
