import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { append, fixAt, newObject, newOrganization } from '../contract/fixture.ts'
import { temporaryStore } from './temporary-store.ts'

it('of the positions that have expired each slice leaves one hidden, as the oldest', async () => {
  const { folder, store, cleanUp } = await temporaryStore()
  const database = new DatabaseSync(join(folder, 'fleetgate.db'), { readOnly: true })
  const standing = database.prepare(
    'SELECT time_device AS time, hidden IS NULL AS shown FROM positions ORDER BY time_device',
  )
  try {
    const organization = await newOrganization(store)
    const object = await newObject(store, organization)
    const fixes = Array.from({ length: 700 }, (_, index) => fixAt(index))
    await append(store, organization, object, fixes)
    const oldest: number[] = []
    for (let after: number | null = 0; after !== null; ) {
      after = await store.positions.purgeExpired(organization, 600, after)
      const rows = standing.all() as { time: number; shown: number }[]
      assert.deepEqual(
        rows.slice(0, 2).map(({ shown }) => shown),
        [0, 1],
      )
      oldest.push(rows[0]!.time)
    }
    assert.deepEqual(oldest, [250, 500, 599])
    assert.equal(standing.all().length, 101)
  } finally {
    database.close()
    await cleanUp()
  }
})
