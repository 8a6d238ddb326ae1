import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { draftOf, type PlaceDraft, unfinished } from './place-draft.ts'

describe('A geofence that is drawn', () => {
  const leftOf = (ring: PlaceDraft['ring']) =>
    unfinished('geofences', { ...draftOf('geofences', null), ring })

  it('needs three different corners', () => {
    assert.match(
      leftOf([
        [2.1, 41.3],
        [2.2, 41.4],
        [2.1, 41.3],
      ])!,
      /at least three corners/,
    )
    assert.equal(
      leftOf([
        [2.1, 41.3],
        [2.2, 41.4],
        [2.2, 41.3],
      ]),
      null,
    )
  })

  it('must have a width', () => {
    const world: PlaceDraft['ring'] = [
      [-180, -60],
      [180, -60],
      [180, 60],
      [-180, 60],
    ]
    assert.match(
      leftOf(world)!,
      /^All corners are on the 180° meridian, so the geofence has no width/,
    )
  })

  it('must not cross itself, and the message says where it does', () => {
    const bow: PlaceDraft['ring'] = [
      [2.1, 41.3],
      [2.2, 41.4],
      [2.2, 41.3],
      [2.1, 41.4],
    ]
    assert.equal(leftOf(bow), 'The outline crosses itself near 41.35000, 2.15000. Move a corner.')
  })
})
