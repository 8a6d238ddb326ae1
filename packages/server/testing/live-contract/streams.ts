import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { QueuedSlot, Realtime } from '../../src/data/live/realtime.ts'
import type { RealtimeTest } from './fixture.ts'

const LIMIT = 2

const lineUp = (realtime: Realtime, count: number, organization = 1) =>
  Promise.all(Array.from({ length: count }, () => realtime.streams.lineUp(organization, LIMIT)))
const taken = (slots: readonly QueuedSlot[]) => Promise.all(slots.map((slot) => slot.isTaken()))

export function streamContract(name: string, it: RealtimeTest): void {
  describe(`${name}: slots for streams and whole answers`, () => {
    it('are as many as are asked for, even if all line up at once', async ({ realtime }) => {
      const slots = await lineUp(realtime, 5)
      assert.deepEqual(await taken(slots), [true, true, false, false, false])
      assert.deepEqual(await taken(await lineUp(realtime, 1, 2)), [true])
      const [more] = [await realtime.streams.lineUp(1, 6)]
      assert.ok(await more!.isTaken())
    })

    it('go to those who wait in the order of arrival, over all processes', async ({
      realtime,
      restart,
    }) => {
      // The slots of a process in memory end with it.
      const other = realtime.snapshots.isShared ? await restart() : realtime
      const slots: QueuedSlot[] = []
      for (const each of [realtime, other, other, realtime, other, realtime]) {
        slots.push(await each.streams.lineUp(1, LIMIT))
      }
      assert.deepEqual(await taken(slots), [true, true, false, false, false, false])
      slots[1]!.free()
      await becomes([true, false, false, false], slots.slice(2))
      // One that leaves the line lets those after it move up.
      slots[3]!.free()
      slots[0]!.free()
      await becomes([true, true, false], [slots[2]!, slots[4]!, slots[5]!])
      slots[2]!.free()
      await becomes([true, true], slots.slice(4))
    })

    it('are freed once, whoever frees them again', async ({ realtime }) => {
      const [first, , third, fourth] = await lineUp(realtime, 4)
      first!.free()
      first!.free()
      await becomes([true, false], [third!, fourth!])
    })

    it('leave nothing when all are free', async ({ realtime }) => {
      for (let round = 0; round < 3; round += 1) {
        const slots = await lineUp(realtime, 4)
        await becomes([true, true, false, false], slots)
        for (const slot of slots) slot.free()
      }
    })
  })
}

/** Another process learns a moment later that a slot is free. */
async function becomes(expected: boolean[], slots: readonly QueuedSlot[]): Promise<void> {
  for (let tried = 0; tried < 1_000; tried += 1) {
    if (JSON.stringify(await taken(slots)) === JSON.stringify(expected)) return
    await new Promise(setImmediate)
  }
  assert.deepEqual(await taken(slots), expected)
}
