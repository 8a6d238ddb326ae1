import assert from 'node:assert/strict'
import { it } from 'node:test'
import { noSignalSince } from './no-signal.ts'

it('an open record without a newer position has had no signal since then', () => {
  const row = { start_time: '2026-11-20T08:00:00.000Z', end_time: null, duration: 1_800 }
  const now = Date.parse('2026-11-20T14:30:00.000Z')
  assert.equal(noSignalSince(row, 6, now), null)
  assert.equal(noSignalSince(row, 6, now + 1), '2026-11-20T08:30:00.000Z')
  const ended = { ...row, end_time: '2026-11-20T08:30:00.000Z' }
  assert.equal(noSignalSince(ended, 6, now + 1), null)
})
