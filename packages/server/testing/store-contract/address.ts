import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { fixAt, MISSING, newFleet, type StoreTest } from './fixture.ts'

export function addressContract(it: StoreTest): void {
  describe('address', () => {
    it('keeps the later of two, from a fix or from a lookup', async (store, reopen) => {
      const { organization, object, append } = await newFleet(store)
      const note = (value: string, at: number) =>
        store.positions.address(organization, new Map([[object, { value, at }]]))
      const noted = async () =>
        (await (await reopen()).positions.states(organization, [object])).get(object)?.address
      await append([fixAt(10), fixAt(20, { address: 'sent at 20' })])
      await note('found at 10', 10)
      assert.deepEqual(await noted(), { value: 'sent at 20', at: 20 })
      await note('found at 30', 30)
      await append([fixAt(25, { address: 'sent at 25' })])
      assert.deepEqual(await noted(), { value: 'found at 30', at: 30 })
      await append([fixAt(40, { address: 'sent at 40' })])
      assert.deepEqual(await noted(), { value: 'sent at 40', at: 40 })
      const before = await store.positions.states(organization)
      await store.positions.address(organization, new Map([[MISSING, { value: 'x', at: 99 }]]))
      await store.positions.address(MISSING, new Map([[object, { value: 'x', at: 99 }]]))
      assert.deepEqual(await store.positions.states(organization), before)
    })
  })
}
