import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import {
  ALL_TIME,
  append,
  fixAt,
  newFleet,
  recordsOf,
} from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'
import { systemClock } from '../../../domain/time/clock.ts'
import { foldRules } from '../../../fold/rules/fold-rules.ts'
import type { Store } from '../../store.ts'

const RULES = foldRules(systemClock)

it('each slice of an expiry leaves one hidden position as the oldest', async () => {
  const { folder, store, cleanUp } = await temporaryStore()
  const database = new DatabaseSync(join(folder, 'fleetgate.db'), { readOnly: true })
  const rowsLeft = database.prepare(
    'SELECT time_device AS time, hidden IS NULL AS shown FROM positions ORDER BY time_device',
  )
  try {
    const { organization, object } = await newFleet(store)
    const fixes = Array.from({ length: 700 }, (_, index) => fixAt(index))
    await append(store, organization, object, fixes)
    const oldest: number[] = []
    for (let after: number | null = 0; after !== null; ) {
      after = await store.positions.purgeExpired(organization, 600, after)
      const rows = rowsLeft.all() as { time: number; shown: number }[]
      assert.deepEqual(
        rows.slice(0, 2).map(({ shown }) => shown),
        [0, 1],
      )
      oldest.push(rows[0]!.time)
    }
    assert.deepEqual(oldest, [250, 500, 599])
    assert.equal(rowsLeft.all().length, 101)
  } finally {
    database.close()
    await cleanUp()
  }
})

it('the remaining positions fold to the same counters, after each slice', async (t) => {
  const { store } = await temporaryStore(t)
  const { organization, object } = await newFleet(store)
  const fixes = Array.from({ length: 700 }, (_, minute) =>
    fixAt(minute * 60_000, { latitude: 30 + minute / 200, speed: 60, ignition: true }),
  )
  const batch = fixes.map((fix) => ({ object, fix }))
  await store.positions.append(organization, batch, RULES)
  const state = async () => (await store.positions.states(organization)).get(object)
  const before = 600 * 60_000
  const kept = () => recordsFrom(store, organization, object, before)
  const [stateBefore, keptBefore] = [await state(), await kept()]
  assert.ok(stateBefore!.fold!.odometer! > 300_000_000)
  for (let after: number | null = 0; after !== null; ) {
    after = await store.positions.purgeExpired(organization, before, after)
    const scope = { organization, object }
    await store.positions.requestRefold(scope)
    while ((await store.positions.refold(scope, RULES)) !== null);
    assert.deepEqual(await state(), stateBefore)
    assert.deepEqual(await kept(), keptBefore)
  }
})

it('an object that waits for a recompute is postponed', async (t) => {
  const { store } = await temporaryStore(t)
  const { organization, object } = await newFleet(store)
  await append(
    store,
    organization,
    object,
    [1, 2, 3].map((time) => fixAt(time)),
  )
  const scope = { organization, object }
  const count = () => store.positions.count(organization, object, ALL_TIME, 10)
  await store.positions.requestRefold(scope)
  assert.equal(await store.positions.purgeExpired(organization, 3, 0), null)
  assert.equal(await count(), 3)
  while ((await store.positions.refold(scope, RULES)) !== null);
  await store.positions.purgeExpired(organization, 3, 0)
  assert.equal(await count(), 1)
})

async function recordsFrom(store: Store, organization: number, object: number, from: number) {
  const range = { from, to: ALL_TIME.to }
  return recordsOf(await store.positions.history(organization, object, range, null))
}
