import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { OPERATIONS } from '../harness/operations.ts'

const WINDOW = 10
const windows = Math.ceil(OPERATIONS.length / WINDOW)
const fleet = await startFleet({ full: 0, plain: windows })

it('Every operation counts in the window, and is refused when it is full: 429', async () => {
  for (let window = 0; window < windows; window++) {
    const organization = fleet.take()
    // The last ones fill a window together with some that another organization has asked.
    const start = Math.min(window * WINDOW, OPERATIONS.length - WINDOW)
    const operations = OPERATIONS.slice(start, start + WINDOW)
    for (const [i, { name, path }] of operations.entries()) {
      const answer = await organization.get(path(organization))
      resultOf(answer)
      assert.equal(answer.headers['x-ratelimit-remaining'], String(9 - i), name)
    }
    for (const { path } of operations) {
      const refused = await organization.get(path(organization))
      assertRefused(refused, 429, 'ERR999', /^ThrottlerException: Too Many Requests/)
      assert.match(refused.headers['retry-after']!, /^([1-9]|10)$/)
    }
  }
})
