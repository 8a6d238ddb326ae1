import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startFleet } from '../harness/fleet.ts'
import { OPERATIONS } from '../harness/operations.ts'

const fleet = await startFleet({ full: 0, plain: 2 })

describe('Request log', () => {
  it('is one JSON line per request, and never holds a key', async () => {
    // One window has no room for all operations.
    const [organization, other] = [fleet.take(), fleet.take()]
    const before = fleet.server.log.length
    for (const [index, { path }] of OPERATIONS.entries()) {
      const asking = index % 2 === 0 ? organization : other
      await asking.get(path(asking))
    }
    await organization.get(`/objects?x-api-key=${organization.key}`)
    const wrong = organization.key.replace('fg_live_', 'fg_live_x')
    await organization.get('/objects', { headers: { 'x-api-key': wrong } })
    await fleet.server.stop()
    const lines = fleet.server.log.slice(before)
    const text = JSON.stringify(lines)
    for (const key of [organization.key, other.key, wrong]) assert.equal(text.includes(key), false)
    const statuses = lines.filter(({ status }) => status !== undefined).map(({ status }) => status)
    assert.deepEqual(
      statuses.map(Number).toSorted((a, b) => a - b),
      [...Array(OPERATIONS.length + 1).fill(200), 401],
    )
    const lineCount = ({ id }: { id: number }) => text.split(`"organization":${id}`).length - 1
    assert.equal(lineCount(organization) + lineCount(other), OPERATIONS.length + 1)
  })
})
