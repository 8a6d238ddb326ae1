import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KeyScope } from '../../domain/key-scope.ts'
import { MAX_STREAMS } from '../../domain/limits.ts'
import { memoryStreamPlaces } from '../../live/memory/stream-places.ts'
import { takePlace } from './take-place.ts'

const TIMES = { dataFrom: null, dataUntil: null }
const UNLIMITED = { operations: null, objects: null, ...TIMES, attributes: null }
const scopeOf = (windowShare: number): KeyScope => ({ ...UNLIMITED, windowShare })
const scoped = { id: 1, organization: 1, scope: scopeOf(3) }
const plain = { id: 2, organization: 1, scope: null }

describe('The place of a stream', () => {
  it('is one of as many as the share of its key, and of its organization', async () => {
    const places = memoryStreamPlaces()
    const held = [1, 2, 3].map(() => takePlace(places, scoped))
    assert.equal(await takePlace(places, scoped), null)
    for (let count = 3; count < MAX_STREAMS; count += 1) {
      assert.ok(await takePlace(places, plain))
    }
    assert.equal(await takePlace(places, plain), null)
    ;(await held[0])!.free()
    assert.ok(await takePlace(places, plain))
  })

  it('comes back to its key if the organization holds all', async () => {
    const places = memoryStreamPlaces()
    const all = Array.from({ length: MAX_STREAMS }, () => takePlace(places, plain))
    for (let tried = 0; tried < 5; tried += 1) {
      assert.equal(await takePlace(places, scoped), null)
    }
    for (const each of all) (await each)!.free()
    for (let count = 0; count < 3; count += 1) assert.ok(await takePlace(places, scoped))
  })

  it('comes back to its key if that of the organization cannot be taken', async () => {
    const places = memoryStreamPlaces()
    const failing = {
      take: async (holder: number, limit?: number) => {
        if (holder === scoped.organization) throw new Error('a script failed')
        return places.take(holder, limit)
      },
    }
    for (let tried = 0; tried < 5; tried += 1) {
      await assert.rejects(takePlace(failing, scoped), /a script failed/)
    }
    for (let count = 0; count < 3; count += 1) assert.ok(await takePlace(places, scoped))
  })
})
