/** A test that fails: `asked.test.ts` reads what is printed of it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { request } from './client.ts'

const KEY = `fg_live_${'x'.repeat(36)}`

const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json').setHeader('x-ratelimit-remaining', '9')
  response
    .setHeader('x-of-no-interest', 'hidden')
    .end(JSON.stringify({ key: KEY, rows: 'y'.repeat(1_000) }))
})
await once(server.listen(0, '127.0.0.1'), 'listening')
after(() => server.close())
const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

describe('The list', () => {
  it('asks and passes', async () => {
    assert.equal((await request(api, '/passed')).status, 200)
  })

  it('has no rows', async () => {
    const { json } = await request(api, `/objects?limit=2&key=${KEY}`)
    assert.equal(json.rows, '')
  })
})
