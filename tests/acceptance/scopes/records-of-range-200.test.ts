import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { resultOf } from '../harness/envelope.ts'
import { openEvents } from '../harness/events.ts'
import type { Fleet } from '../harness/fleet.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { applyPage, newReplica, RECORD_TYPES, type Replica } from '../harness/following/replica.ts'
import { scoped } from '../harness/scoped.ts'
import { senderOf } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { DAY, MINUTE, RANGE as OF_DAY, SITE, untilRecords } from '../trips/records-fleet.ts'

/*
 * A copy that a key with a range keeps by /changes, while late positions move records out of the range and into it.
 */

const fleet: Fleet = await startFleet()
const HOUR = 60 * MINUTE
const NOON = DAY + 12 * HOUR
const moment = (time: number) => new Date(time).toISOString()
const SCOPE = ['--data-from', moment(NOON), '--data-until', moment(NOON + 4 * HOUR)]

/** Rows each two minutes from `from` to `to`, in minutes from noon. Objects drive east at 36 km/h. */
function rows(ident: string, from: number, to: number, isDriving: boolean): Json[] {
  const count = Math.floor((to - from) / 2) + 1
  return Array.from({ length: count }, (_, index) => {
    const minute = from + index * 2
    const time_device = moment(NOON + minute * MINUTE)
    const longitude = isDriving ? 3 + (minute * 600) / 84_000 : 2
    return { ident, time_device, latitude: 41, longitude, speed: isDriving ? 36 : 0 }
  })
}
const stand = (ident: string, from: number, to: number) => rows(ident, from, to, false)
const drive = (ident: string, from: number, to: number) => rows(ident, from, to, true)

type Rows = (ident: string) => Json[]

/** Late positions, and the kinds of the records that the key sees before and after them. */
type Case = { rows: Rows; late: Rows; before: string[]; after: string[] }

const CASES: Readonly<Record<string, Case>> = {
  'a stop that begins earlier': {
    rows: (ident) => stand(ident, 10, 30),
    late: (ident) => stand(ident, -10, -10),
    ...{ before: ['stop', 'visit'], after: [] },
  },
  'a trip that begins earlier': {
    rows: (ident) => [...drive(ident, 10, 30), ...atEndOf(30, stand(ident, 32, 60))],
    late: (ident) => drive(ident, -10, 8),
    ...{ before: ['trip', 'stop'], after: ['stop'] },
  },
  'a stop that ends later': {
    rows: (ident) => stand(ident, 100, 200),
    late: (ident) => stand(ident, 230, 260),
    ...{ before: ['stop', 'visit'], after: [] },
  },
  'a trip that ends later': {
    rows: (ident) => drive(ident, 200, 238),
    late: (ident) => drive(ident, 240, 250),
    ...{ before: ['trip'], after: [] },
  },
  'a stop that begins earlier and ends later': {
    rows: (ident) => stand(ident, 10, 230),
    late: (ident) => [...stand(ident, -10, -10), ...stand(ident, 250, 260)],
    ...{ before: ['stop', 'visit'], after: [] },
  },
  'two trips that become one': {
    rows: (ident) => [...drive(ident, -100, -80), ...drive(ident, 10, 40)],
    late: (ident) => drive(ident, -78, 8),
    ...{ before: ['trip'], after: [] },
  },
  'a trip that becomes two': {
    rows: (ident) => [...drive(ident, -20, -2), ...behind(40, drive(ident, 40, 80))],
    late: (ident) => atEndOf(-2, stand(ident, 0, 38)),
    ...{ before: [], after: ['trip', 'stop'] },
  },
  'two trips before the range that become one': {
    rows: (ident) => [...drive(ident, -300, -280), ...drive(ident, -200, -150)],
    late: (ident) => drive(ident, -278, -202),
    ...{ before: [], after: [] },
  },
  'a trip under way': {
    rows: (ident) => drive(ident, 100, 120),
    late: () => [],
    ...{ before: ['trip'], after: ['trip'] },
  },
}

/** Rows that drive on from a stop of so many minutes. */
function behind(minutes: number, driving: Json[]): Json[] {
  return driving.map((row) => ({ ...row, longitude: row.longitude - (minutes * 600) / 84_000 }))
}

/** Rows that stand where an object is after driving up to a minute. */
function atEndOf(minute: number, standing: Json[]): Json[] {
  return standing.map((row) => ({ ...row, longitude: 3 + (minute * 600) / 84_000 }))
}

describe('A copy by a key with a range of time', async () => {
  const sender = await senderOf(fleet, fleet.take(), '--create-objects', '--window-requests', '900')
  const file = join(temporaryFolder(), 'sites.csv')
  writeFileSync(file, `${Object.keys(SITE).join()}\n${Object.values(SITE).join()}\n`)
  await fleet.run('import', 'sites', '--org', `${sender.id}`, file)
  const caller = await scoped(fleet, sender, ...SCOPE)
  const cases = Object.values(CASES)
  /** A stop that is derived after all that was sent before. */
  const mark = (when: string) => sender.post(stand(when, 10, 12))
  await sender.post(cases.flatMap(({ rows }, index) => rows(identOf(index))))
  await mark('before')
  const lists = async () => {
    const all = RECORD_TYPES.map((type) => caller.get(`/${type}s?${OF_DAY}&limit=1000`))
    return (await Promise.all(all)).map(resultOf)
  }
  const until = (when: 'before' | 'after') =>
    untilRecords(sender, async () => {
      const shown = kindsByIdent(await lists())
      if (!shown(when).includes('stop')) return false
      return cases.every((each, index) => isDeepStrictEqual(shown(identOf(index)), each[when]))
    })
  await until('before')

  const [polled, streamed] = [newReplica(), newReplica()]
  const strangers: Json[] = []
  const start = 'from=history&types=objects,trips,stops,visits'
  const poll = async (query: string) => {
    const page = resultOf(await caller.get(`/changes?${query}`))
    const known = new Set(RECORD_TYPES.flatMap((type) => [...polled.records[type].keys()]))
    strangers.push(...page.changes.filter(({ op, id }: Json) => op === 'delete' && !known.has(id)))
    applyPage(polled, page, Date.now())
    return page
  }
  let { cursor } = await poll(start)
  const headers = { 'x-api-key': caller.key, accept: 'text/event-stream' }
  const withAttributes = `${start}&include=attributes`
  const stream = await openEvents(
    `${fleet.server.api}/public/v1/changes?${withAttributes}`,
    headers,
  )
  assert.ok('next' in stream)
  const first = await stream.next()
  applyPage(streamed, first!.data, Date.now())
  const copies = { polled, streamed }
  const assertSame = async (copy: Replica) => {
    const kept = RECORD_TYPES.map((type) => [...copy.records[type].values()])
    assert.deepEqual(kept.map(byId), (await lists()).map(byId))
  }
  for (const copy of Object.values(copies)) await assertSame(copy)

  // The stream is the first to ask for the fleet of an organization that has changed.
  await fleet.run('org', 'update', `${sender.id}`, '--time-zone', 'Europe/Paris')
  await mark('newcomer')
  applyPage(streamed, (await stream.next())!.data, Date.now())
  await sender.post(cases.flatMap(({ late }, index) => late(identOf(index))))
  await mark('after')
  await until('after')
  for (let hasMore = true; hasMore; )
    ({ cursor, has_more: hasMore } = await poll(`cursor=${cursor}`))
  while (streamed.order.asOf < polled.order.asOf) {
    applyPage(streamed, (await stream.next())!.data, Date.now())
  }
  stream.close()

  for (const [way, copy] of Object.entries(copies)) {
    const kept = kindsByIdent(RECORD_TYPES.map((type) => [...copy.records[type].values()]))
    for (const [index, [name, { after }]] of Object.entries(CASES).entries()) {
      it(`is right about ${name}, ${way}`, () => assert.deepEqual(kept(identOf(index)), after))
    }
    it(`equals the lists, ${way}`, () => assertSame(copy))
  }

  it('has the trips under way of later ranges', async () => {
    const later = await caller.get('/trips?from_time=2026-05-05&to_time=2026-05-06')
    const kept = [...polled.records.trip.values()].filter(({ open }) => open)
    assert.deepEqual(byId(resultOf(later)), byId(kept))
  })

  it('has the rest of a change whose first part has left the range meanwhile', async () => {
    const from = resultOf(await caller.get('/changes?from=now&types=stops'))
    const idents = ['first', 'second']
    await sender.post(idents.flatMap((ident) => stand(ident, 20, 40)))
    const stopsOf = async (ident: string) =>
      (await lists())[1]!.filter((row: Json) => row.ident === ident).length
    await untilRecords(sender, async () => (await stopsOf('second')) === 1)
    const begun = resultOf(await caller.get(`/changes?cursor=${from.cursor}&limit=1`))
    await sender.post(stand('first', -20, -20))
    await untilRecords(sender, async () => (await stopsOf('first')) === 0)
    const rest = resultOf(await caller.get(`/changes?cursor=${begun.cursor}`))
    const named = (page: Json) => page.changes.map(({ op, stop }: Json) => stop?.ident ?? op)
    assert.deepEqual(named(begun), ['first'])
    // They may be derived in two changes.
    assert.deepEqual(named(rest).toSorted(), ['delete', 'second'])
  })

  it('gets no id of a record that it never had', () => assert.deepEqual(strangers, []))
})

const identOf = (index: number) => `case-${index}`
const byId = (rows: Json[]) => rows.toSorted((a, b) => a.id - b.id)

/** The kinds of the records of an object, in the order of lists. */
function kindsByIdent(lists: Json[][]): (ident: string) => string[] {
  return (ident) =>
    RECORD_TYPES.flatMap((type, index) =>
      lists[index]!.filter((row) => row.ident === ident).map(() => type),
    )
}
