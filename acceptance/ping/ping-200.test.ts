import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'

const fleet = await startFleet({ full: 0, plain: 1 })

describe('GET /ping: 200', () => {
  it('answers without a key', async () => {
    const answer = await request(fleet.server.api, '/public/v1/ping')
    assert.deepEqual(resultOf(answer), { status: 'ok' })
    assert.equal(answer.headers['x-ratelimit-limit'], undefined)
  })

  it('is counted for no organization, with or without a key', async () => {
    const organization = fleet.take()
    for (let i = 0; i < 15; i++) resultOf(await organization.get('/ping'))
    const answer = await organization.get('/objects')
    resultOf(answer)
    assert.equal(answer.headers['x-ratelimit-remaining'], '9')
  })
})
