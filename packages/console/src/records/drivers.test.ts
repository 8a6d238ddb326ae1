import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Track } from '../api/types.ts'
import { driverAt, driversOf } from './drivers.ts'

test('only the attribute of the driver names drivers', () => {
  const track = {
    texts: [
      { name: 'driver_door', label: 'Door', changes: [[0, 'open']] },
      {
        name: 'driver',
        label: 'Driver',
        changes: [
          [10, 'Ann'],
          [20, 'Ben'],
          [30, 'Ann'],
        ],
      },
    ],
  } as unknown as Track
  assert.deepEqual(driversOf(track), ['Ann', 'Ben'])
  assert.equal(driverAt(track, new Date(25).toISOString()), 'Ben')
  assert.equal(driverAt(track, new Date(5).toISOString()), null)
  assert.equal(driverAt(track, null), 'Ann')
})
