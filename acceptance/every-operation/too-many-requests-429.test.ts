import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { OPERATIONS } from '../harness/operations.ts'

const fleet = await startFleet({ full: 0, plain: 2 })

it('Every operation counts in the window, and is refused when it is full: 429', async () => {
  const [one, other] = [fleet.take(), fleet.take()]
  const halves = [
    [one, OPERATIONS.slice(0, 10)],
    [other, OPERATIONS.slice(-10)],
  ] as const
  for (const [organization, operations] of halves) {
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
