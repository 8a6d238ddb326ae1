import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { OPERATIONS } from '../harness/operations.ts'
import { PREFIX } from '../harness/organization.ts'

const fleet = await startFleet({ full: 0, plain: 1 })

describe('Every operation: 401', () => {
  const organization = fleet.take()
  const altered = organization.key.slice(0, -1) + (organization.key.endsWith('A') ? 'B' : 'A')
  const wrong: [name: string, headers: Record<string, string>][] = [
    ['no key', {}],
    ['an empty key', { 'x-api-key': '' }],
    ['a key that was altered', { 'x-api-key': altered }],
    ['something else', { 'x-api-key': 'x'.repeat(4000) }],
    ['an empty Bearer', { authorization: 'Bearer ' }],
    ['a wrong Bearer', { authorization: `Bearer ${altered}` }],
    ['a Basic authorization', { authorization: `Basic ${btoa(`x:${organization.key}`)}` }],
  ]
  for (const { name, path } of OPERATIONS) {
    it(name, async () => {
      for (const [what, headers] of wrong) {
        const answer = await request(fleet.server.api, PREFIX + path(organization), { headers })
        assertRefused(answer, 401, 'ERR999', 'Unauthorized')
        assert.equal(answer.headers['www-authenticate'], 'Bearer', what)
        assert.equal(answer.headers['x-ratelimit-limit'], undefined, what)
      }
    })
  }
})
