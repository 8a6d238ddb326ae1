import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { assertRefused } from '../harness/envelope.ts'
import { OPERATIONS } from '../harness/operations.ts'
import { PREFIX } from '../harness/organization.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('Every operation: 405', () => {
  const organization = fleet.take()
  const targets = OPERATIONS.map(({ path }) => PREFIX + path(organization))
  for (const target of [...targets, `${PREFIX}/ping`]) {
    it(target, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
        const answer = await request(fleet.server.api, target, { method })
        assertRefused(answer, 405, 'ERR999')
        const allowed = answer.headers.allow?.split(/, */).sort()
        assert.deepEqual(allowed, ['GET', 'HEAD'], method)
        assert.equal(answer.headers['access-control-allow-origin'], undefined)
      }
    })
  }

  it('reads the body of the request and answers the next request on the connection', async () => {
    const body = 'x'.repeat(100_000)
    const answer = await request(fleet.server.api, targets[0]!, { method: 'POST', body })
    assertRefused(answer, 405, 'ERR999')
    assert.equal((await organization.get('/objects')).status, 200)
  })
})
