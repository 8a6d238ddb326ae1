import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { OPERATIONS } from '../harness/operations.ts'

const fleet = await startFleet({ full: 0, plain: OPERATIONS.length })

describe('Every operation: 429', () => {
  for (const { name, path } of OPERATIONS) {
    it(`${name}: ten are admitted, the eleventh is not`, async () => {
      const organization = fleet.take()
      for (let sent = 1; sent <= 10; sent++) {
        const answer = await organization.get(path(organization))
        resultOf(answer)
        assert.equal(answer.headers['x-ratelimit-remaining'], String(10 - sent))
      }
      const refused = await organization.get(path(organization))
      assertRefused(refused, 429, 'ERR999', /^ThrottlerException: Too Many Requests/)
      assert.match(refused.headers['retry-after']!, /^([1-9]|10)$/)
    })
  }
})
