import assert from 'node:assert/strict'
import { it } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import type { PackingCounts } from '../../engine/store/position-store.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import type { PackingPass } from '../../work/tasks/refold-and-pack.ts'
import { openStoredCounts } from './stored-counts.ts'

const counts = (packed: number): PackingCounts => {
  return { blocks: 1, packed, packedBytes: 9, unpacked: 2, unpackedBytes: 8 }
}

/** Counts as many packed positions as it has counted before. */
function opened(pass: PackingPass | null = null) {
  const clock = handedClock()
  const state = {
    asked: [] as number[],
    hold: Promise.resolve(),
    failure: undefined as Error | undefined,
    pass,
  }
  const failures: unknown[] = []
  const stored = openStoredCounts({
    clock,
    store: {
      positions: {
        async packingCounts(organization) {
          state.asked.push(organization)
          await state.hold
          if (state.failure !== undefined) throw state.failure
          return counts(state.asked.length)
        },
      },
    },
    lastPacking: () => state.pass,
    failed: (error) => failures.push(error),
  })
  return { stored, state, clock, failures }
}

it('a process that does not pack counts when somebody looks, once an hour', async () => {
  const { stored, state, clock } = opened()
  assert.equal(stored.known(7), null)
  const first = { ...counts(1), countedAt: clock.now() }
  assert.deepEqual(await stored.counted(7), first)
  clock.advanceUs(3_599_000_000)
  assert.deepEqual(await stored.counted(7), first)
  assert.deepEqual(stored.known(7), first)
  clock.advanceUs(1_000_000)
  assert.deepEqual(await stored.counted(7), { ...counts(2), countedAt: clock.now() })
  assert.deepEqual(state.asked, [7, 7])
})

it('a count that takes long is shown to the next one who looks, and made once', async () => {
  const { stored, state } = opened()
  const { promise, resolve } = Promise.withResolvers<void>()
  state.hold = promise
  assert.deepEqual(await Promise.all([stored.counted(7), stored.counted(7)]), [null, null])
  resolve()
  assert.equal((await stored.counted(7))?.packed, 1)
  assert.deepEqual(state.asked, [7])
})

it('a process that packs shows the counts of its last pass', async () => {
  const { stored, state, clock } = opened()
  const endedAt = clock.now() - 1
  state.pass = { counts: new Map([[7, counts(50)]]), failures: 0, durationUs: 1, endedAt }
  assert.deepEqual(await stored.counted(7), { ...counts(50), countedAt: endedAt })
  assert.equal((await stored.counted(8))?.packed, 1)
  assert.deepEqual(state.asked, [8])
})

it('a process whose packing has failed or takes long counts once an hour too', async () => {
  const { stored, state, clock } = opened()
  const endedAt = clock.now() - 3_600_000
  state.pass = { counts: new Map([[7, counts(50)]]), failures: 0, durationUs: 1, endedAt }
  const first = { ...counts(1), countedAt: clock.now() }
  assert.deepEqual(await stored.counted(7), first)
  assert.deepEqual(await stored.counted(7), first)
  assert.deepEqual(stored.known(7), first)
  assert.deepEqual(state.asked, [7])
  state.pass = { ...state.pass, endedAt: clock.now() + 1 }
  assert.equal(stored.known(7)?.packed, 50)
})

it('a count that fails is made again for the next one who looks', async () => {
  const { stored, state, failures } = opened()
  state.failure = new StoreUnavailable('away')
  assert.equal(await stored.counted(7), null)
  state.failure = new Error('broken')
  assert.equal(await stored.counted(7), null)
  assert.deepEqual(failures, [state.failure])
  state.failure = undefined
  assert.equal((await stored.counted(7))?.packed, 3)
})
