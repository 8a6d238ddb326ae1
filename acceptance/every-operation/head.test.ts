import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { OPERATIONS } from '../harness/operations.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()
const VARYING = [
  'date',
  'x-request-id',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit',
  'content-length',
]

describe('Every operation: HEAD', () => {
  for (const { name, path } of OPERATIONS) {
    it(`${name} answers with the headers of a GET and no body`, async () => {
      const head = await fleet.ask(path, { method: 'HEAD' })
      const get = await fleet.ask(path)
      assert.equal(head.status, 200)
      assert.equal(head.bytes.length, 0)
      assert.equal(head.headers['content-type'], get.headers['content-type'])
      assert.equal(head.headers['cache-control'], get.headers['cache-control'])
      assert.equal(head.headers.vary, get.headers.vary)
    })
  }

  it('answers an error without its body', async () => {
    const answer = await fleet.ask(() => '/objects/999999999', { method: 'HEAD' })
    assert.deepEqual([answer.status, answer.bytes.length], [404, 0])
    const ping = await request(fleet.server.api, '/public/v1/ping', { method: 'HEAD' })
    assert.deepEqual([ping.status, ping.bytes.length], [200, 0])
  })

  it('has the same headers as a GET of the same object', async () => {
    const organization = fleet.full[0]!
    const path = `/objects/${organization.objects.van}`
    const [get, head] = [
      await organization.get(path),
      await organization.get(path, { method: 'HEAD' }),
    ]
    const stable = ({ headers }: { headers: object }) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !VARYING.includes(name)))
    assert.deepEqual(stable(head), stable(get))
  })
})
