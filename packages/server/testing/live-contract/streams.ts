import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { MAX_STREAMS } from '../../src/domain/limits.ts'
import type { Realtime } from '../../src/live/realtime.ts'
import type { RealtimeTest } from './fixture.ts'

const takeAll = (realtime: Realtime, organization = 1) =>
  Promise.all(Array.from({ length: MAX_STREAMS }, () => realtime.streams.take(organization)))

export function streamContract(name: string, it: RealtimeTest): void {
  describe(`${name}: slots for streams`, () => {
    it('are as many as an organization may hold, even if all are taken at once', async ({
      realtime,
    }) => {
      const taken = await Promise.all(
        Array.from({ length: 3 * MAX_STREAMS }, () => realtime.streams.take(1)),
      )
      assert.equal(taken.filter((place) => place !== null).length, MAX_STREAMS)
      assert.ok(await realtime.streams.take(2))
    })

    it('can be taken again once they are free, each once', async ({ realtime }) => {
      const [first] = await takeAll(realtime)
      first!.free()
      first!.free()
      assert.ok(await realtime.streams.take(1))
      assert.equal(await realtime.streams.take(1), null)
    })

    it('are fewer if a limit is given, and of one holder', async ({ realtime }) => {
      const [first] = [await realtime.streams.take(1, 2), await realtime.streams.take(1, 2)]
      assert.equal(await realtime.streams.take(1, 2), null)
      assert.ok(await realtime.streams.take(2, 2))
      first!.free()
      assert.ok(await realtime.streams.take(1, 2))
    })
  })
}
