import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { foldWith } from '../../../testing/fold-with.ts'
import { ORGANIZATION_DEFAULTS, type Organization } from '../../base/domain/organization.ts'
import { bareFix } from '../../base/domain/position/fix.ts'
import { type ObjectState, UNSEEN } from '../../base/domain/position/object-state.ts'
import { type WatchedFleet, watchedFleet } from './watched-fleet.ts'

const NOW = Date.UTC(2026, 10, 22, 12)
const HOUR_MS = 3_600_000
const FOLD = foldWith({ engineHours: null, odometer: null, mileage: null })
const DATES = { createdAt: NOW, updatedAt: NOW }
const ACME: Organization = {
  ...{ id: 1, name: 'Acme', ...ORGANIZATION_DEFAULTS, ...DATES },
  signalTimeoutHours: 1,
}

/** A moving object with a packet that came as it was taken. */
function stateAt(time: number, longitude = 2): ObjectState {
  const lastFix = { ...bareFix(time, time, 41, longitude), speed: 80.4672 }
  return { ...UNSEEN, lastFix, timeServer: time, fold: { ...FOLD, motion: 'moving' } }
}

function put(fleet: WatchedFleet, states: [number, ObjectState][], now = NOW, of = ACME) {
  const ids = states.map(([id]) => id)
  return fleet.update(ids, new Map(states), of, now)
}

describe('A watched fleet', () => {
  it('tells of new and moved objects, and of no others', () => {
    const fleet = watchedFleet()
    const first = put(fleet, [
      [1, stateAt(NOW)],
      [2, stateAt(NOW)],
      [3, UNSEEN],
    ])
    assert.deepEqual(
      first.moved.map(([id]) => id),
      [1, 2],
    )
    const same = { ...stateAt(NOW), address: { value: 'Gran Via', at: NOW } as never }
    const second = put(fleet, [
      [1, same],
      [2, stateAt(NOW + 1, 2.5)],
    ])
    assert.deepEqual(second, { moved: [[2, 2.5, 41, null, 80.47, 'moving', NOW + 1]], gone: [] })
    assert.deepEqual(
      fleet.all().map(([id, longitude]) => [id, longitude]),
      [
        [1, 2],
        [2, 2.5],
      ],
    )
  })

  it('tells once of objects that exist no longer or have lost their position', () => {
    const fleet = watchedFleet()
    put(fleet, [
      [1, stateAt(NOW)],
      [2, stateAt(NOW)],
    ])
    const removed = fleet.update([1, 2, 3], new Map([[2, UNSEEN]]), ACME, NOW)
    assert.deepEqual(removed, { moved: [], gone: [1, 2] })
    assert.deepEqual(fleet.update([1, 2, 3], new Map(), ACME, NOW).gone, [])
  })

  it('tells of all objects whose speed reads differently in another unit', () => {
    const fleet = watchedFleet()
    put(fleet, [[1, stateAt(NOW)]])
    const { moved } = put(fleet, [[1, stateAt(NOW)]], NOW, { ...ACME, distanceUnit: 'mi' })
    assert.equal(moved[0]![4], 50)
  })

  it('knows when the next object falls silent, and tells of it without a packet', () => {
    const fleet = watchedFleet()
    assert.equal(fleet.signalUntil(), Number.POSITIVE_INFINITY)
    put(fleet, [
      [1, stateAt(NOW)],
      [2, stateAt(NOW - 10)],
      [3, stateAt(NOW - 2 * HOUR_MS)],
    ])
    assert.equal(fleet.signalUntil(), NOW - 10 + HOUR_MS)
    const at = (now: number) =>
      fleet.update([], new Map(), ACME, now).moved.map((row) => [row[0], row[5]])
    assert.deepEqual(at(NOW - 10 + HOUR_MS), [])
    assert.deepEqual(at(NOW - 9 + HOUR_MS), [[2, 'no_signal']])
    assert.equal(fleet.signalUntil(), NOW + HOUR_MS)
    assert.deepEqual(at(NOW + 1 + HOUR_MS), [[1, 'no_signal']])
    assert.equal(fleet.signalUntil(), Number.POSITIVE_INFINITY)
    const back = put(fleet, [[1, stateAt(NOW + HOUR_MS)]], NOW + HOUR_MS)
    assert.equal(back.moved[0]![5], 'moving')
  })
})
