import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startFleet } from '../harness/fleet.ts'
import { OPERATIONS } from '../harness/operations.ts'

const fleet = await startFleet({ full: 0, plain: 2 })

describe('Request log', () => {
  it('is one JSON line per request, and never holds a key', async () => {
    const organization = fleet.take()
    const before = fleet.server.log.length
    for (const { path } of OPERATIONS) await organization.get(path(organization))
    await organization.get(`/objects?x-api-key=${organization.key}`)
    const wrong = organization.key.replace('fg_live_', 'fg_live_x')
    await organization.get('/objects', { headers: { 'x-api-key': wrong } })
    await fleet.server.stop()
    const lines = fleet.server.log.slice(before)
    const text = JSON.stringify(lines)
    for (const key of [organization.key, wrong]) assert.equal(text.includes(key), false)
    const statuses = lines.filter(({ status }) => status !== undefined).map(({ status }) => status)
    assert.deepEqual(
      statuses.map(Number).toSorted((a, b) => a - b),
      [...Array(OPERATIONS.length + 1).fill(200), 401],
    )
    assert.equal(text.split(`"organization":${organization.id}`).length - 1, OPERATIONS.length + 1)
  })
})
