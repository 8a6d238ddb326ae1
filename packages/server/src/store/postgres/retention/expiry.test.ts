import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { handedClock } from '../../../../testing/handed-clock.ts'
import { ALL_TIME, fixAt, newFleet, recordsOf } from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-postgres-store.ts'
import { foldRules } from '../../../fold/rules/fold-rules.ts'

const RULES = foldRules(handedClock(Date.UTC(2026, 10, 20) * 1_000))
const MINUTE_MS = 60_000

/** An object that has driven for this many minutes from the epoch on. */
async function driven(t: TestContext, minutes: number) {
  const { url, store, cleanUp } = await temporaryStore()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.after(async () => {
    await client.end()
    await cleanUp()
  })
  const { organization, object } = await newFleet(store)
  const fixes = Array.from({ length: minutes }, (_, minute) =>
    fixAt(minute * MINUTE_MS, { latitude: 30 + minute / 200, speed: 60, ignition: true }),
  )
  const batch = fixes.map((fix) => ({ object, fix }))
  await store.positions.append(organization, batch, RULES)
  const scope = { organization, object }
  return {
    purge: (before: number, after: number) =>
      store.positions.purgeExpired(organization, before * MINUTE_MS, after),
    requestRefold: () => store.positions.requestRefold(scope),
    async refoldAll() {
      while ((await store.positions.refold(scope, RULES)) !== null);
    },
    state: async () => (await store.positions.states(organization)).get(object),
    records: async (from: number) =>
      recordsOf(
        await store.positions.history(
          organization,
          object,
          { from: from * MINUTE_MS, to: ALL_TIME.to },
          null,
        ),
      ),
    /** The minutes of its rows, and whether they are hidden. */
    async rows() {
      const { rows } = await client.query<{ time: string; shown: boolean }>(
        'SELECT time_device AS time, hidden IS NULL AS shown FROM positions ORDER BY time_device',
      )
      return rows.map(({ time, shown }) => ({ minute: Number(time) / MINUTE_MS, shown }))
    },
  }
}

describe('The expiry of positions', () => {
  it('leaves one hidden as the oldest, and all counters, after each slice', async (t) => {
    const { purge, requestRefold, refoldAll, state, records, rows } = await driven(t, 2_700)
    const [stateBefore, kept] = [await state(), await records(2_600)]
    const oldest: number[] = []
    for (let after: number | null = 0; after !== null; ) {
      after = await purge(2_600, after)
      const [first, second, ...others] = await rows()
      assert.deepEqual([first!.shown, second!.shown], [false, true])
      assert.ok(others.every(({ shown }) => shown))
      oldest.push(first!.minute)
      await requestRefold()
      await refoldAll()
      assert.deepEqual(await state(), stateBefore)
      assert.deepEqual(await records(2_600), kept)
    }
    assert.deepEqual(oldest, [1_000, 2_000, 2_599])
    assert.equal((await rows()).length, 101)
  })

  it('postpones an object that waits for a recompute', async (t) => {
    const { purge, requestRefold, refoldAll, rows } = await driven(t, 5)
    await requestRefold()
    assert.equal(await purge(3, 0), null)
    assert.equal((await rows()).length, 5)
    await refoldAll()
    await purge(3, 0)
    assert.deepEqual(await rows(), [
      { minute: 2, shown: false },
      { minute: 3, shown: true },
      { minute: 4, shown: true },
    ])
  })
})
