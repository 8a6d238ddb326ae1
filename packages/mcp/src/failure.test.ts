import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ConnectionError,
  FleetgateError,
  QuotaExhaustedError,
  RateLimitedError,
  UnauthorizedError,
  UnavailableError,
} from '@fleetgate/client'
import { failureText } from './failure.ts'

const NOW = Date.UTC(2026, 10, 20, 18, 47, 30)
const INFO = {
  ...{ path: '/days', status: 429, requestId: undefined, quota: undefined },
  ...{ exhausted: [7, 12], retryAfterMs: 4_200 },
}

it('a refusal is passed on with what to do, and when to try again', () => {
  for (const [error, said] of [
    [
      new RateLimitedError(INFO, { message: 'Too Many Requests' }),
      'Too Many Requests. Other requests of this organization use up its limit. Try again in 5 seconds, with fewer calls.',
    ],
    [
      new QuotaExhaustedError(INFO, { message: 'The quota is used up.' }),
      'The quota is used up. Vehicles without quota: 7, 12. The daily quota is renewed at 2026-11-21T00:00:00Z, in 5 h 13 min. Leave these vehicles out, or ask again then.',
    ],
    [
      new UnavailableError({ ...INFO, retryAfterMs: undefined }, { message: 'Not ready' }),
      'Not ready. Try again in 10 seconds.',
    ],
    [
      new UnauthorizedError(INFO, { message: 'Unauthorized' }),
      'Unauthorized. The operator must give this MCP server a valid API key.',
    ],
    [
      new FleetgateError(INFO, { message: 'Forbidden.', errorCode: 'PUBLIC.403_001' }),
      /^Forbidden\. .* fleetgate key update --operations\.$/,
    ],
    [new ConnectionError('no answer'), /does not answer\. Try again in a minute/],
  ] as const) {
    const text = failureText(error, NOW)!
    if (typeof said === 'string') assert.equal(text, said)
    else assert.match(text, said)
  }
  assert.equal(failureText(new TypeError('a bug'), NOW), undefined)
})
