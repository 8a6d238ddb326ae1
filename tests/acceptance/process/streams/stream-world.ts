import assert from 'node:assert/strict'
import { resultOf } from '../../harness/envelope.ts'
import type { Fleet } from '../../harness/fleet.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { admitted } from '../../harness/following/paged-reader.ts'
import { PREFIX } from '../../harness/organization.ts'
import { openRawStream, type RawStream } from '../../harness/raw-stream.ts'
import { scoped } from '../../harness/scoped.ts'
import { senderOf } from '../../harness/sender.ts'
import { checkStream, markOf, type View } from './check-stream.ts'

const ALL = [0, 1, 2]
/** The first key opens everything, the second one too, until it is revoked. The others open a part. */
export const VIEWS: readonly View[] = [
  { query: 'types=positions', key: 0, objects: ALL },
  { query: 'types=positions', key: 0, objects: ALL },
  { query: 'types=positions', key: 1, objects: ALL },
  { query: 'types=positions&include=quality,exact,attributes', key: 0, objects: ALL },
  { query: 'types=positions&limit=100', key: 0, objects: ALL, limit: 100 },
  { query: 'types=positions', key: 2, objects: [0, 1] },
  { query: 'types=positions', key: 2, objects: [0, 1] },
  { query: 'types=positions', key: 3, objects: [2] },
  { query: 'types=positions,states', key: 1, objects: ALL },
]
/** The views of the streams that `holdSome` holds. */
const HELD = [1, 2, 6]
const REVOKED = 1

const DAY_MS = 86_400_000
/** A day before the first stream. */
const START = Date.now() - DAY_MS
const DAY = `from_time=${new Date(START).toISOString()}&to_time=${new Date(START + DAY_MS).toISOString()}`
const LARGE = 8_000
/** Below the limit of a body. */
const ROWS_AT_ONCE = 4_000
/** Above what systems take for a client that does not read, times the rows. */
const LONG = 900
const HUNDREDTHS = 100

export type World = Awaited<ReturnType<typeof openWorld>>

/** An organization whose vehicles, addresses and attributes have its number, with a stream of each view. */
export async function openWorld(fleet: Fleet, unit: 'km' | 'mi', quota: number | null) {
  const limited = quota === null ? [] : ['--daily-quota', String(quota)]
  const settings = ['--create-objects', '--distance-unit', unit, ...limited]
  const own = await senderOf(fleet, fleet.take(), ...settings)
  const attributes = { fuel: own.id + 0.5 }
  const idents = ALL.map((number) => markOf(own.id, number))
  const hasQuota = quota !== null
  let sent = 0
  await own.post(idents.map((ident) => rowOf(ident, 1)))
  const org = ['--org', String(own.id)]
  await fleet.json('attributes', 'set', 'fuel', '--is-public', ...org)
  const listed: Json[] = resultOf(await own.get('/objects'))
  const ids = idents.map((ident) => listed.find((each) => each.ident === ident).id as number)
  const grant = `objects=${ids[2]};from=2020-01-01T00:00:00Z`
  const revoked = await scoped(fleet, own)
  const keys = [
    own.key,
    revoked.key,
    (await scoped(fleet, own, '--objects', `${ids[0]},${ids[1]}`)).key,
    (await scoped(fleet, own, '--grant', grant)).key,
  ]
  // All but the last one begin at once.
  const streams = await Promise.all(VIEWS.slice(0, -1).map(open))
  streams.push(await open(VIEWS.at(-1)!))

  async function open({ query, key }: View): Promise<RawStream> {
    const url = `${fleet.server.api}${PREFIX}/changes?from=now&${query}`
    const opened = await openRawStream(url, keys[key]!)
    await opened.until((block) => block.includes('"changes":[]'))
    return opened
  }

  function rowOf(ident: string, length: number): Json {
    sent += 1
    const place = { latitude: 41, longitude: 2 + sent / 1e5, speed: 50, hdop: 1 }
    const address = `${markOf(own.id)} ${'x'.repeat(length)}`
    return {
      ident,
      time_device: START + sent * 1_000,
      ...place,
      address,
      attributes,
    }
  }

  async function commit(object: number, count: number, length = 1): Promise<void> {
    for (let left = count; left > 0; left -= ROWS_AT_ONCE) {
      const size = Math.min(left, ROWS_AT_ONCE)
      await own.post(Array.from({ length: size }, () => rowOf(idents[object]!, length)))
    }
    const newest = new Date(START + sent * 1_000).toISOString()
    const due = streams.filter(
      (each, at) => each.isRead() && !each.hasEnded() && VIEWS[at]!.objects.includes(object),
    )
    await Promise.all(due.map((each) => each.until((block) => block.includes(newest))))
  }

  return {
    streams,
    /** Resolves when all streams that are read and see the object have the newest row, however long others read nothing. */
    commit,
    commitLarge: (object: number) => commit(object, LARGE, LONG),

    holdSome(): void {
      for (const at of HELD) streams[at]!.hold()
    },

    /** Revokes the key of two streams. One is held in the middle of a large page, and ends there. */
    async revoke(): Promise<void> {
      const [cut, last] = streams.filter((_, at) => VIEWS[at]!.key === REVOKED)
      const hasLeft = cut!.hasEnded()
      await fleet.json('key', 'revoke', ...org, String(revoked.keyId))
      // The server ends the streams of a key in the order in which they began.
      last!.read()
      await last!.until(() => false)
      cut!.read()
      await cut!.until(() => false)
      if (!hasLeft && !hasQuota) assert.notEqual(cut!.rest(), '')
    },

    /** Compares what came with the histories, when each stream has what it can get. Returns the number of events. */
    async check(): Promise<number> {
      for (const each of streams) each.read()
      for (const object of ALL) await commit(object, 1)
      const isOpen = streams.map((each) => !each.hasEnded())
      for (const each of streams) each.leave()
      await Promise.all(streams.map((each) => each.until(() => false)))
      await fleet.run('org', 'update', String(own.id), '--daily-quota', 'unlimited')
      const histories = new Map<number, Json[]>()
      for (const id of ids) {
        const answer = await admitted(fleet.server.api, own.key, `/objects/${id}/positions?${DAY}`)
        histories.set(id, resultOf(answer).slice(1))
      }
      const expected = { organization: own.id, unit, ids, attributes, histories, hasQuota }
      const shown = new Map<number, number>()
      let events = 0
      for (const [at, each] of streams.entries()) {
        const counted = checkStream(each, VIEWS[at]!, expected)
        events += counted.events
        for (const [id, count] of counted.entries) shown.set(id, (shown.get(id) ?? 0) + count)
        if (!isOpen[at]) continue
        for (const [id, count] of counted.positions)
          assert.equal(count, histories.get(id)!.length, VIEWS[at]!.query)
      }
      const days = Math.floor(Date.now() / DAY_MS) - Math.floor(START / DAY_MS)
      const most = quota === null ? Number.POSITIVE_INFINITY : days * quota * HUNDREDTHS
      for (const count of shown.values()) assert.ok(count <= most, `${count} of ${most} rows`)
      return events
    },
  }
}
