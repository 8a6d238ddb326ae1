import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startFleet } from '../harness/fleet.ts'
import { OPERATIONS } from '../harness/operations.ts'

/** One window has no room for all operations. */
const OPERATIONS_OF_ONE = 9
const callers = Math.ceil(OPERATIONS.length / OPERATIONS_OF_ONE)
const fleet = await startFleet({ full: 0, plain: callers })

describe('Request log', () => {
  it('is one JSON line per request, and never holds a key', async () => {
    const organizations = Array.from({ length: callers }, () => fleet.take())
    const organization = organizations[0]!
    const before = fleet.server.log.length
    for (const [index, { path }] of OPERATIONS.entries()) {
      const asking = organizations[Math.floor(index / OPERATIONS_OF_ONE)]!
      await asking.get(path(asking))
    }
    await organization.get(`/objects?x-api-key=${organization.key}`)
    const wrong = organization.key.replace('fg_live_', 'fg_live_x')
    await organization.get('/objects', { headers: { 'x-api-key': wrong } })
    await fleet.server.stop()
    const lines = fleet.server.log.slice(before)
    const text = JSON.stringify(lines)
    const keys = organizations.map(({ key }) => key)
    for (const key of [...keys, wrong]) assert.equal(text.includes(key), false)
    const statuses = lines.filter(({ status }) => status !== undefined).map(({ status }) => status)
    assert.deepEqual(
      statuses.map(Number).toSorted((a, b) => a - b),
      [...Array(OPERATIONS.length + 1).fill(200), 401],
    )
    const ofCallers = lines.filter((line) =>
      organizations.some(({ id }) => line.organization === id),
    )
    assert.equal(ofCallers.length, OPERATIONS.length + 1)
  })
})
