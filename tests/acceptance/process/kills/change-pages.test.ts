import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import {
  ACCEPT,
  type ReceivedMessage,
} from '../../../../packages/server/testing/webhook-receiver.ts'
import { isEmbedded } from '../../harness/deployment.ts'
import { resultOf } from '../../harness/envelope.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { admitted, streamReader, waitingReader } from '../../harness/following/paged-reader.ts'
import { postRows } from '../../harness/sender.ts'
import type { ServerProcess } from '../../harness/server.ts'
import { stopIdle } from '../../harness/stopped-process.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { skipWithoutOpenssl, startWebhookFleet } from '../../harness/webhooks.ts'

/*
 * A commit, its announcement and a page of it are held apart by stopped processes and by clients that take nothing, and
 * a process is killed in between. On a data folder a command commits, and the one server has all readers. On servers
 * one process commits and another has the readers.
 */

const HUNDREDTHS = 100
const QUOTA = 1_000_000
const DAY_MS = 86_400_000
const START = Date.now() - DAY_MS
/** The van's positions in each commit. The webhook gets them. */
const OF_VAN = 100
const KILLS = 3
/** These come on one page. */
const LARGE = 8_000
const SMALL = 200
/** No system takes a large page with such addresses for a client that does not read. */
const ADDRESS = 'A'.repeat(1_000)
const ROWS_AT_ONCE = 2_500
const OPTIONS = { skip: skipWithoutOpenssl, timeout: 240_000 }
const RANGE = `from_time=${new Date(START).toISOString()}&to_time=${new Date(START + DAY_MS).toISOString()}`

it('kill -9 between a commit, its announcement and its page', OPTIONS, async (t) => {
  const fleet = await startWebhookFleet('--daily-quota', String(QUOTA))
  const { run, receiver } = fleet
  const { key } = await run('key', 'issue', '--name', 'readers')
  /** The process of the readers. */
  let reading = await fleet.serve()
  const get = (path: string) => admitted(reading.api, key, path)
  /** The process that commits. Undefined: commands do, and the next server is yet to be started. */
  let writing: ServerProcess | undefined = isEmbedded ? undefined : await fleet.serve()
  const objects = { van: await created('van'), truck: await created('truck') }
  const limited = ['--types', 'positions', '--ids', String(objects.van), '--from', 'now']
  await run('webhook', 'create', '--url', receiver.url, ...limited)
  // Now is the moment of its first message.
  await receiver.until(() => receiver.received.length === 1)
  const { cursor } = resultOf(await get('/changes?from=now&types=positions'))
  /** Streams with the same view. Those of `idle` take nothing at times. */
  const idle = [streamReader(key, cursor), streamReader(key, cursor)]
  const fast = streamReader(key, cursor)
  const busy = [fast, waitingReader(key, cursor)]
  /** The stream of the process that commits. It is opened after the first commit. */
  const near = streamReader(key, cursor)
  for (const each of [...idle, ...busy]) await each.open(reading)
  t.after(() => {
    for (const each of all()) each.close()
  })
  let committed = 0
  let commits = 0
  /** The rows of pages that were charged, and did not come whole, by object. */
  const lost = { van: 0, truck: 0 }

  const all = () => (isEmbedded ? [...idle, ...busy] : [...idle, ...busy, near])

  async function created(ident: string): Promise<number> {
    const row = { ident, time_device: START - 1_000, latitude: 41, longitude: 29 }
    await postRows(reading.feed, fleet.token, [row])
    const list = resultOf(await get('/objects'))
    return list.find((each: Json) => each.ident === ident).id
  }

  /** Resolves when the positions are acknowledged: first those of the van, then those of the truck. */
  async function commit(count: number): Promise<void> {
    const rows = Array.from({ length: count }, (_, i) => {
      const ident = i < OF_VAN ? 'van' : 'truck'
      const time_device = START + (committed + i) * 1_000
      const place = { latitude: 41, longitude: 29 + (committed + i) / 1e5 }
      return { ident, time_device, ...place, address: count === LARGE ? ADDRESS : 'A' }
    })
    committed += count
    commits += 1
    if (writing === undefined) return importRows(rows)
    for (let from = 0; from < count; from += ROWS_AT_ONCE)
      await postRows(writing.feed, fleet.token, rows.slice(from, from + ROWS_AT_ONCE))
  }

  async function importRows(rows: Json[]): Promise<void> {
    const file = join(temporaryFolder(), 'positions.csv')
    const lines = rows.map((row) => Object.values(row).join())
    writeFileSync(file, [Object.keys(rows[0]!).join(), ...lines, ''].join('\n'))
    assert.equal((await run('import', 'positions', file)).accepted, rows.length)
  }

  /** Commits while the process of the readers is stopped, so that all of it comes together. */
  async function commitMeanwhile(count: number): Promise<void> {
    await stopIdle(reading, fleet.deployment)
    await commit(count)
  }

  const goOn = () => process.kill(reading.pid, 'SIGCONT')

  /** Its readers continue at another process. On a data folder that has to be started first. */
  async function killReading(): Promise<void> {
    await reading.kill()
    reading = writing ?? (await fleet.serve())
    if (writing !== undefined) writing = await fleet.serve()
    for (const each of [...idle, ...busy]) await each.open(reading)
  }

  async function killWriting(): Promise<void> {
    await writing!.kill()
    writing = await fleet.serve()
  }

  const delivered = () => positionsIn(receiver.received)

  /** Every reader gets all that was committed, and the webhook all of the van. */
  async function readAll(): Promise<void> {
    if (writing !== undefined) await near.open(writing)
    await Promise.all(all().map((each) => each.read(committed)))
    await receiver.until(() => delivered().length >= commits * OF_VAN)
  }

  await t.test('loses and repeats nothing after a commit, before its announcement', async () => {
    await commitMeanwhile(SMALL)
    if (isEmbedded) await killReading()
    else {
      await killWriting()
      goOn()
    }
    await readAll()
  })

  await t.test('loses and repeats nothing after an announcement, before another page', async () => {
    if (isEmbedded) {
      await commitMeanwhile(LARGE)
      goOn()
      for (const each of busy) await each.read(committed)
      // The page that the others take is in their way.
      await commit(SMALL)
      for (const each of busy) await each.read(committed)
      await killBetweenPages()
    } else {
      await commitMeanwhile(SMALL)
      await near.read(committed)
      await killWriting()
      goOn()
    }
    await readAll()
  })

  await t.test(
    'loses and repeats nothing while a page is written to its streams and to a webhook',
    async () => {
      const held: (() => void)[] = []
      receiver.behave((response, message) => void held.push(() => ACCEPT(response, message)))
      const before = receiver.received.length
      // The system takes more for a connection that has read a large page.
      for (const each of [...idle, fast]) await each.open(reading)
      await commitMeanwhile(LARGE)
      goOn()
      for (const each of isEmbedded ? busy : [...busy, near]) await each.read(committed)
      await receiver.until(() => receiver.received.length > before)
      await killBetweenPages()
      receiver.behave(ACCEPT)
      for (const accept of held) accept()
      await readAll()
    },
  )

  /** Kills the process of the readers while two of them have a part of a large page. It was charged for each of them. */
  async function killBetweenPages(): Promise<void> {
    await reading.kill()
    for (const each of idle) {
      assert.equal(await each.drain(), 0, 'the page had come whole')
      lost.van += OF_VAN
      lost.truck += LARGE - OF_VAN
    }
    await killReading()
  }

  await t.test(
    'has shown each position once to each reader, as a history does, and charged what it sent',
    async () => {
      for (const [name, id] of Object.entries(objects)) {
        const rows: Json[] = resultOf(await get(`/objects/${id}/positions?${RANGE}`))
        const shown = all().map((each) => each.positions.filter((position) => position.id === id))
        if (name === 'van') shown.push(delivered())
        for (const each of shown) {
          assert.equal(each.length, rows.length)
          for (const [at, row] of each.entries()) assert.deepEqual(row, rows[at])
        }
        const latest = await get(`/positions/latest?ids=${id}`)
        if (!isSameDay()) continue
        const charged = (rows.length * shown.length + lost[name as keyof typeof lost]) / HUNDREDTHS
        // A kill may come between the charge of a webhook's page and the delivery.
        const again = name === 'van' ? (KILLS * OF_VAN) / HUNDREDTHS : 0
        // The history and this answer cost a unit each.
        const used = QUOTA - 2 - Number(latest.headers['x-quota-remaining'])
        assert.ok(used >= charged && used <= charged + again, `${used} units, not ${charged}`)
      }
    },
  )
})

/** Charges are of a UTC day. */
const isSameDay = () => Math.floor(Date.now() / DAY_MS) === Math.floor((START + DAY_MS) / DAY_MS)

/** The positions of messages, each message once. */
function positionsIn(received: readonly ReceivedMessage[]): Json[] {
  const distinct = new Map(received.map((message) => [message.id, message]))
  const changes: Json[] = Array.from(distinct.values(), ({ data }) => data.changes ?? []).flat()
  return changes.flatMap(({ position }) => position ?? [])
}
