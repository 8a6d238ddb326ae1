import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixAt, newFleet } from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-postgres-store.ts'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { POOL_SIZES } from '../connection/connection-pool.ts'

describe('Views of the change log', () => {
  it('leave the connections of writes alone, and wait for their own until their client has gone', async () => {
    const { store, cleanUp } = await temporaryStore()
    const finish = Promise.withResolvers<void>()
    try {
      const { organization, append } = await newFleet(store)
      const looks: Promise<number | null>[] = []
      while (looks.length < POOL_SIZES.views) {
        const opened = Promise.withResolvers<void>()
        const look = store.changeLog.view(organization, async (view) => {
          opened.resolve()
          await finish.promise
          return view.asOf
        })
        looks.push(look)
        // Those that wait at the same time would share a connection.
        await opened.promise
      }

      const gone = new AbortController()
      const waiting = store.changeLog.view(organization, async () => {}, gone.signal)
      gone.abort()
      await assert.rejects(waiting, StoreUnavailable)
      const others = Array.from({ length: POOL_SIZES.writes }, () =>
        store.changeLog.view(organization, async ({ asOf }) => asOf),
      )
      await append([fixAt(10)])

      finish.resolve()
      assert.deepEqual(await Promise.all(looks), Array(POOL_SIZES.views).fill(1))
      assert.deepEqual(await Promise.all(others), Array(POOL_SIZES.writes).fill(2))
    } finally {
      finish.resolve()
      await cleanUp()
    }
  })
})
