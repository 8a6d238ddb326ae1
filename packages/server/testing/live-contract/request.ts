import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { RATE_WINDOW } from '../../src/base/domain/limits.ts'
import { keep, type RealtimeTest, stateAt, TODAY, take } from './fixture.ts'

const { requests } = RATE_WINDOW

export function requestContract(name: string, it: RealtimeTest): void {
  describe(`A request to ${name}`, () => {
    const due = { objects: [7, 8], limit: 2, day: TODAY }

    it('is admitted, charged and given the states in one call', async ({ realtime }) => {
      await keep(realtime, 1, { 8: 80 })
      const { rate, charge, states } = await realtime.ask(1, { charge: due, shown: [7, 8] })
      assert.equal(rate.remaining, requests - 1)
      assert.deepEqual(charge, { charged: true, used: 100 })
      assert.deepEqual(states?.kept, [undefined, stateAt(80)])
      const bare = await realtime.ask(1, { charge: null, shown: [] })
      assert.equal(bare.rate.remaining, requests - 2)
      assert.equal(bare.charge, null)
      assert.deepEqual(bare.states?.kept, [])
    })

    it('charges nothing if the window refuses', async ({ realtime }) => {
      for (let i = 0; i < requests; i++) await take(realtime)
      const { rate, charge } = await realtime.ask(1, { charge: due, shown: [7] })
      assert.deepEqual([rate.admitted, charge], [false, null])
      const next = await realtime.quota.charge(1, due)
      assert.deepEqual(next, { charged: true, used: 100 })
    })

    it('counts in the window if the quota refuses, and gets the states', async ({ realtime }) => {
      await keep(realtime, 1, { 7: 70 })
      for (let i = 0; i < 2; i++) await realtime.quota.charge(1, { ...due, objects: [8] })
      const { rate, charge, states } = await realtime.ask(1, { charge: due, shown: [7] })
      assert.equal(rate.remaining, requests - 1)
      assert.deepEqual(charge, { charged: false, exhausted: [8], left: [0] })
      assert.deepEqual(states?.kept, [stateAt(70)])
      const other = await realtime.quota.charge(1, { ...due, objects: [7] })
      assert.deepEqual(other, { charged: true, used: 100 })
    })
  })
}
