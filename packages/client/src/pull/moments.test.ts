import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { momentOf, spanOf } from './moments.ts'

const iso = (written: string, end?: boolean) => {
  const time = momentOf(written, end)
  return time === undefined ? undefined : new Date(time).toISOString()
}

describe('A time of the command line', () => {
  it('is a date: its first millisecond, or its last', () => {
    assert.equal(iso('2026-11-20'), '2026-11-20T00:00:00.000Z')
    assert.equal(iso('2026-11-20', true), '2026-11-20T23:59:59.999Z')
  })

  it('is an ISO 8601 datetime, in UTC where it has no offset', () => {
    assert.equal(iso('2026-11-20T10:00', true), '2026-11-20T10:00:00.000Z')
    assert.equal(iso('2026-11-20 10:00:30'), '2026-11-20T10:00:30.000Z')
    assert.equal(iso('2026-11-20T10:00:30.2Z'), '2026-11-20T10:00:30.200Z')
    assert.equal(iso('2026-11-20T10:00:30.250+03:00'), '2026-11-20T07:00:30.250Z')
    assert.equal(iso('2026-11-20T10:00-0530'), '2026-11-20T15:30:00.000Z')
  })

  it('is nothing else, nor one that there is not', () => {
    const wrong = ['yesterday', '', '2026-02-30', '2026-13-01', '2026-11-20T24:00', '2026-11-20T10']
    for (const written of [...wrong, '2026-11-20T10:61', '1763632800', '2026-11-20Z']) {
      assert.equal(momentOf(written), undefined, written)
    }
  })
})

describe('A time span of the command line', () => {
  it('has a unit', () => {
    const spans = { '3d': 259_200_000, '12h': 43_200_000, '30m': 1_800_000, '10s': 10_000 }
    for (const [written, ms] of Object.entries(spans)) assert.equal(spanOf(written), ms)
    assert.equal(spanOf('500ms'), 500)
    assert.equal(spanOf('0'), 0)
    for (const written of ['3', '-3d', '1.5h', 'd', '3 d', '', '99999999999999d']) {
      assert.equal(spanOf(written), undefined, written)
    }
  })
})
