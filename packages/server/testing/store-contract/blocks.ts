import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { FoldRules } from '../../src/domain/position/fold-state.ts'
import { DamagedPositions } from '../../src/tracking/damaged-positions.ts'
import { packAll } from '../stores/packing-store.ts'
import { fixAt, foldOn, newFleet, type StoreTest } from './fixture.ts'

/** For a store that packs when it is asked to, not by itself. */
export function damagedBlockContract(it: StoreTest, rules: FoldRules): void {
  const minute = (count: number) => count * 60_000
  const drive = Array.from({ length: 30 }, (_, index) =>
    fixAt(minute(index), { latitude: 30 + index / 200, speed: 60, ignition: true }),
  )

  describe('A damaged block', () => {
    it('is never read as positions, and disturbs no others', async (store, _reopen, {
      damageBlock,
    }) => {
      const { organization, append, history, records, count } = await newFleet(store)
      await append(drive, rules)
      const intact = await records({ from: minute(20) })
      await packAll(store, organization, 10)
      await damageBlock(minute(10))
      const readAll = async () => Array.fromAsync((await history()).blocks)
      await assert.rejects(readAll, DamagedPositions)
      assert.deepEqual(await records({ from: minute(20) }), intact)
      assert.equal(await count(), 30, 'the table counts them')
    })

    it('holds no late packet up', async (store, _reopen, { damageBlock }) => {
      const { organization, object, append, records } = await newFleet(store)
      await append(drive, rules)
      const kept = await records({ from: minute(20) })
      await packAll(store, organization, 10)
      await damageBlock(minute(10))
      const late = [fixAt(minute(5) + 1, { latitude: 30.025 }), fixAt(minute(15) + 1)]
      assert.deepEqual(await append(late, rules), ['accepted', 'accepted'])
      await store.positions.requestRefold({ organization, object })
      await foldOn(store, rules)
      assert.deepEqual(await records({ from: minute(20) }), kept)
    })

    it('goes when it has expired', async (store, _reopen, { damageBlock, rows }) => {
      const { organization, append } = await newFleet(store)
      await append(drive, rules)
      await packAll(store, organization, 10)
      await damageBlock(minute(0))
      for (let after: number | null = 0; after !== null; ) {
        after = await store.positions.purgeExpired(organization, minute(10_000), after)
      }
      assert.deepEqual(await rows(), [{ organization, time: minute(29), isShown: false }])
    })
  })
}
