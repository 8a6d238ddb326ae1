import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SOON_DAYS, stateOf } from './state.ts'

const NOW = Date.parse('2026-03-09T12:00:00Z')

it('A key is about to expire for as long as the overview lists it', () => {
  const after = (days: number) => new Date(NOW + days * 86_400_000).toISOString()
  const key = (expires_at: string | null) => ({ expires_at, revoked_at: null })
  assert.equal(stateOf(key(after(SOON_DAYS - 0.01)), NOW), 'ending')
  assert.equal(stateOf(key(after(SOON_DAYS + 0.01)), NOW), 'active')
  assert.equal(stateOf(key(after(-1)), NOW), 'expired')
  assert.equal(stateOf(key(null), NOW), 'active')
})
