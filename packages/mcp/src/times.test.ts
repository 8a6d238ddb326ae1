import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Times } from './times.ts'

const at = (text: string) => Date.parse(text)

describe('Times of an organization', () => {
  it('a date is the whole local day, of 23 hours where clocks are set', () => {
    const madrid = new Times('Europe/Madrid')
    assert.deepEqual(madrid.span('2026-03-29', '2026-03-29'), {
      from: at('2026-03-28T23:00:00Z'),
      to: at('2026-03-29T21:59:59.999Z'),
    })
    assert.equal(madrid.date(at('2026-03-28T23:00:00Z')), '2026-03-29')
  })

  it('a time without an offset is on the local clock', () => {
    const delhi = new Times('Asia/Kolkata')
    const span = { from: at('2026-11-20T02:30:00Z'), to: at('2026-11-20T09:00:00Z') }
    assert.deepEqual(delhi.span('2026-11-20T08:00', '2026-11-20T10:00:00+01:00'), span)
    assert.deepEqual(delhi.span('2026-11-20 08:00', '2026-11-20T09:00Z'), span)
  })

  it('are shown with their offset', () => {
    const time = at('2026-11-20T02:30:00.250Z')
    assert.equal(new Times('Asia/Kolkata').shown(time), '2026-11-20T08:00:00.250+05:30')
    assert.equal(new Times('America/St_Johns').shown(time), '2026-11-19T23:00:00.250-03:30')
    assert.equal(new Times('UTC').shown('2026-11-20T02:30:00.000Z'), '2026-11-20T02:30:00+00:00')
    assert.equal(new Times('UTC').shownOrNull(null), null)
  })
})
