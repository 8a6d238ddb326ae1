import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { it } from 'node:test'
import fc from 'fast-check'
import { recordsOfBlocks } from '../../../../testing/records-in-columns.ts'
import { openMemoryStore } from '../../../data/sqlite/open.ts'
import { type DayStore, openDayStore } from './day-store.ts'

const DAY = 20_781
const DAY_MS = 86_400_000
const START = DAY * DAY_MS
const MINUTE_MS = 60_000

function open(signal = new AbortController().signal): Promise<DayStore> {
  const facts = { epoch: 'of a test', secret: createSecretKey(Buffer.alloc(32)) }
  return openDayStore((now) => openMemoryStore({ ...facts, now }), DAY, signal)
}

/** All that readers can see of a fleet. */
async function shownBy({ store, organization }: DayStore) {
  const objects = await store.objects.list(organization)
  const histories: string[] = []
  for (const { id } of objects) {
    const { blocks } = await store.positions.history(organization, id, { from: 0, to: 2e13 }, null)
    histories.push((await recordsOfBlocks(blocks)).toString('base64'))
  }
  const seen = await store.changeLog.view(organization, async (view) => ({
    asOf: view.asOf,
    changes: await view.changes(0, 100_000),
    records: await view.recordsOf('visits', [1, 2, 4, 5, 6, 7], { from: 0, to: 2e13 }, null, 9_999),
    progress: await view.progress(),
  }))
  return { objects, histories, ...seen!, states: await store.positions.states(organization) }
}

it('a fleet is the same whether its time passes at once or bit by bit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 9 * MINUTE_MS }), { minLength: 2, maxLength: 12 }),
      async (steps) => {
        const [one, other] = [await open(), await open()]
        let now = START
        for (const step of steps) {
          now += step
          await one.advance(now)
          // Reading changes nothing.
          await shownBy(one)
        }
        await other.advance(now)
        assert.deepEqual(await shownBy(one), await shownBy(other))
        await Promise.all([one.close(), other.close()])
      },
    ),
    { numRuns: 3 },
  )
})

it('nothing arrives after the end of the day', async () => {
  const fleet = await open()
  await fleet.advance(START + 2 * MINUTE_MS)
  const before = await shownBy(fleet)
  assert.ok(before.asOf > 0)
  await fleet.advance(START)
  assert.deepEqual(await shownBy(fleet), before)
  await fleet.advance(START + 2 * DAY_MS)
  const [newest] = (await shownBy(fleet)).changes.slice(-1)
  assert.ok(newest!.at < START + DAY_MS)
  await fleet.close()
})

it('a fleet that is being opened is given up when its server stops', async () => {
  const stopping = new AbortController()
  const opening = open(stopping.signal)
  stopping.abort(new Error('stopped'))
  await assert.rejects(opening, /stopped/)
})
