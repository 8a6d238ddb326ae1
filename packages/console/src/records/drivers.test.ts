import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Track } from '../api/types.ts'
import { driversOf } from './drivers.ts'

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
  const drove = (from: number, to: number | null) => {
    const end_time = to === null ? null : new Date(to).toISOString()
    return driversOf(track, { start_time: new Date(from).toISOString(), end_time })
  }
  assert.deepEqual(drove(12, 18), ['Ann'])
  assert.deepEqual(drove(12, 35), ['Ann', 'Ben'])
  assert.deepEqual(drove(20, 30), ['Ben'])
  assert.deepEqual(drove(1, 10), [])
  assert.deepEqual(drove(35, null), ['Ann'])
})
