import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { momentOf, momentText } from './moments.ts'

describe('The moment of a field for date and time', () => {
  it('is the first or the last millisecond of its minute', () => {
    assert.equal(momentOf('2026-03-09T14:05', 'first', true), '2026-03-09T14:05:00.000Z')
    assert.equal(momentOf('2026-03-09T14:05', 'last', true), '2026-03-09T14:05:59.999Z')
  })

  it('does not exist until the field is complete', () => {
    assert.equal(momentOf('', 'first', true), null)
    assert.equal(momentOf('2026-03-09T', 'first', true), null)
  })

  it('comes back as it was typed, in both zones and in every year', () => {
    for (const text of ['2026-03-09T14:05', '1970-01-01T00:00', '0202-12-31T23:59']) {
      for (const utc of [true, false]) {
        for (const bound of ['first', 'last'] as const) {
          assert.equal(momentText(momentOf(text, bound, utc)!, utc), text)
        }
      }
    }
  })
})
