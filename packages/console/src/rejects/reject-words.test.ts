import assert from 'node:assert/strict'
import { it } from 'node:test'
import { REJECT_REASONS } from '../../../server/src/engine/tracking/rules/judge.ts'
import { rejectInWords } from './reject-words.ts'

const NONE = { message: 'the message of the server', hdop: null, gps_level: null }

it('each reason has plain words, without names of the API', () => {
  const reasons = Object.keys(REJECT_REASONS)
  assert.ok(reasons.length > 10)
  for (const reason of reasons) {
    const words = rejectInWords({ ...NONE, reason })
    assert.match(words, /^[A-Z][^_]+\.$/, reason)
    assert.ok(!words.includes('the message of the server'), reason)
  }
})

it('the values that decided are named', () => {
  const hdop = rejectInWords({ ...NONE, reason: 'hdop_above_maximum', hdop: 50 })
  assert.match(hdop, /the HDOP of 50 is above the maximum/)
  const message = 'the position is stored without values that cannot be read: speed, fuel'
  const unread = rejectInWords({ ...NONE, reason: 'unreadable_value', message })
  assert.match(unread, /implausible values: speed, fuel\.$/)
})
