import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rateHeaders, wholeSeconds } from './rate-headers.ts'

describe('The rate headers', () => {
  it('say the same in both notations', () => {
    assert.deepEqual(rateHeaders({ admitted: true, remaining: 7, resetUs: 9_000_001 }), [
      'X-RateLimit-Limit',
      '10',
      'X-RateLimit-Remaining',
      '7',
      'X-RateLimit-Reset',
      '10',
      'RateLimit-Policy',
      '"default";q=10;w=10',
      'RateLimit',
      '"default";r=7;t=10',
    ])
  })

  it('round a wait up, so that who waits that long is admitted', () => {
    for (const [us, seconds] of [
      [1, 1],
      [999_999, 1],
      [1_000_000, 1],
      [1_000_001, 2],
      [10_000_000, 10],
    ] as const) {
      assert.equal(wholeSeconds(us), seconds)
    }
  })
})
