import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { fixAt, NOW, newObject, newOrganization, type StoreTest } from './fixture.ts'

export function rejectContract(it: StoreTest, rules: FoldRules): void {
  describe('Rejects', () => {
    it('are the last ten of an object, the newest first', async (store) => {
      const organization = await newOrganization(store)
      const [object, other] = [
        await newObject(store, organization, '1'),
        await newObject(store, organization, '2'),
      ]
      const poor = (hour: number) => fixAt(NOW + hour, { hdop: 50, timeServer: NOW + hour })
      const give = (id: number, hours: number[]) =>
        store.positions.append(
          organization,
          hours.map((hour) => ({ object: id, fix: poor(hour) })),
          rules,
        )
      await give(object, [1, 2, 3])
      await give(object, [4, 5, 6, 7, 8, 9, 10, 11, 12])
      await give(other, [1])
      const rejects = await store.positions.rejects(organization, object)
      assert.deepEqual(
        rejects,
        [12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((hour) => ({
          reason: 'hdop_above_maximum',
          timeServer: NOW + hour,
          fix: poor(hour),
        })),
      )
      assert.equal((await store.positions.rejects(organization, other)).length, 1)
    })
  })
}
