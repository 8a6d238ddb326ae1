import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { type Organization, organizationOf, withRoom } from '../harness/organization.ts'
import type { Server } from '../harness/server.ts'
import { serveHere } from '../harness/server-here.ts'
import { fixesOf, importLines, readLines, skip, WHOLE } from './bus-lines.ts'
import type { BusFix } from './bus-rows.ts'

/**
 * Sends days of a real fleet to the feed in the order of its files, where half of the rows are late by hours, and
 * imports the same rows ordered by time for comparison. Whole: three days, and the history of every bus. Quick:
 * one day of every fourth bus, with the row sent twice, and the history of every 12th of those.
 */
const PAIRS = WHOLE ? 12 : 1
const EVERY = WHOLE ? 1 : 12
const BATCH = 500
const TOTAL = WHOLE
  ? { stored: 125_929, duplicate: 1, conflict: 0, rejected: 27 }
  : { stored: 9_922, duplicate: 1, conflict: 0, rejected: 2 }

describe(`A real fleet through the feed, ${WHOLE ? 'whole' : 'small'}`, { skip }, async () => {
  if (skip !== false) return
  const { jsonHere } = await commandLine()
  const deployment = await newDeployment()
  const lines = readLines(4, 2)
  let server: Server | undefined
  const pairs: { live: Organization; sorted: Organization; token: string }[] = []
  for (let number = 0; number < PAIRS; number++) {
    const [live, sorted] = [
      await newOrganization(`live ${number}`),
      await newOrganization(`sorted ${number}`),
    ]
    const of = ['--org', String(live.id), ...deployment.args]
    const { token } = await jsonHere(['feed-token', 'issue', ...of])
    pairs.push({ live, sorted, token })
  }
  const pairOf = (ident: string) => pairs[Number(ident) % PAIRS]!
  const linesFor = (pair: (typeof pairs)[number]) =>
    lines.filter(({ ident }) => pairOf(ident) === pair)

  async function newOrganization(name: string): Promise<Organization> {
    const settings = [
      '--name',
      name,
      '--create-objects',
      '--maximum-age',
      '36500',
      ...deployment.args,
    ]
    const { id } = await jsonHere(['org', 'create', ...settings])
    const { key } = await jsonHere(['key', 'issue', '--org', String(id), ...deployment.args])
    const objects = { van: 0, truck: 0, longHaul: 0, silent: 0 }
    return organizationOf({ id, name, key, objects }, () => server!.api)
  }

  after(() => server?.stop())

  it('accepts every row, in the order of the files', async () => {
    server = await serveHere(deployment, ['--geocoder', 'off'])
    const total = { stored: 0, duplicate: 0, conflict: 0, rejected: 0 }
    for (const pair of pairs) {
      const own = linesFor(pair)
      for (let from = 0; from < own.length; from += BATCH) {
        const rows = own.slice(from, from + BATCH).map(({ time, text: _, isFix: __, ...row }) => {
          return { ...row, time_device: time }
        })
        const answer = await request(server.feed, '/feed/v1/positions', {
          method: 'POST',
          headers: { 'x-feed-token': pair.token },
          body: JSON.stringify(rows),
        })
        const result = resultOf(answer)
        for (const outcome of Object.keys(TOTAL) as (keyof typeof TOTAL)[]) {
          total[outcome] += result[outcome]
        }
      }
    }
    assert.deepEqual(total, TOTAL)
  })

  it('is imported with every row accounted for', async () => {
    const total: Json = { read: 0, accepted: 0, duplicate: 0, conflict: 0, rejected: 0 }
    let noFix = 0
    for (const pair of pairs) {
      const inOrder = linesFor(pair).toSorted((a, b) => a.time - b.time)
      const summary = await importLines(deployment, pair.sorted.id, inOrder)
      for (const count of Object.keys(total)) total[count] += summary[count]
      noFix += summary.reasons.no_fix?.count ?? 0
    }
    const { stored: accepted, ...others } = TOTAL
    assert.deepEqual(total, { read: lines.length, accepted, ...others })
    assert.equal(noFix, total.rejected)
  })

  it('has the same states as a sorted import', async () => {
    for (const { live, sorted } of pairs) {
      const [fed, imported] = [await live.get('/objects'), await sorted.get('/objects')].map(
        (answer) => resultOf(answer).map(comparable).sort(byIdent),
      )
      assert.deepEqual(fed, imported)
    }
  })

  it('has the histories of the files, as a sorted import has', async () => {
    const buses = fixesOf(lines)
    const left = new Set([...buses.keys()].filter((_, i) => i % EVERY === 0))
    const ids = new Map<Organization, Map<string, number>>()
    for (const organization of pairs.flatMap(({ live, sorted }) => [live, sorted])) {
      await withRoom([organization])
      const objects: Json[] = resultOf(await organization.get('/objects'))
      ids.set(organization, new Map(objects.map(({ ident, id }) => [ident, id])))
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
      assert.deepEqual(fed, imported, ident)
      const shown = fed.map(({ time_device, latitude, longitude, speed }: Json) => {
        return { time_device, latitude, longitude, speed }
      })
      assert.deepEqual(shown, buses.get(ident)!.map(shownOf), ident)
    }
  })
})

/** A fix as the API shows it: degrees with seven decimals, km/h with two. */
function shownOf({ time, latitude, longitude, speed }: BusFix) {
  return {
    time_device: new Date(time).toISOString(),
    latitude: Number(latitude.toFixed(7)),
    longitude: Number(longitude.toFixed(7)),
    speed: Math.round(Math.round(speed * 1e6) / 1e4) / 100,
  }
}

/** Without the fields that always differ between two objects. */
function comparable({ id: _, time_server: __, created_at: ___, ...rest }: Json): Json {
  return rest
}

function byIdent(a: Json, b: Json): number {
  return a.ident < b.ident ? -1 : 1
}
