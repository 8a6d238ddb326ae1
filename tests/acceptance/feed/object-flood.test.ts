import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import { senderOf } from '../harness/sender.ts'

const NEW_A_MINUTE = 600
const ROWS = 2_000
const AT_ONCE = 4
const TIME = '2024-06-01T08:00:00Z'

describe('A feed token that creates objects', async () => {
  const fleet = await startFleet({ full: 0, plain: 1 }, ['--geocoder', 'off'])
  const sender = await senderOf(fleet, fleet.take(), '--create-objects')
  const rowOf = (ident: string) => ({ ident, time_device: TIME, latitude: 41, longitude: 2 })
  const objects = () => fleet.json('objects', 'list', '--org', String(sender.id))

  it('creates 600 a minute, however many idents it sends at once', async () => {
    const before = (await objects()).length
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, batch) =>
        sender.post(Array.from({ length: ROWS }, (_, i) => rowOf(`flood-${batch}-${i}`))),
      ),
    )
    const stored = answers.reduce((sum, answer) => sum + answer.stored, 0)
    assert.equal(stored, NEW_A_MINUTE)
    assert.equal((await objects()).length, before + NEW_A_MINUTE)
    const rejects = answers.flatMap((answer) => answer.rejects)
    assert.equal(rejects.length, AT_ONCE * ROWS - NEW_A_MINUTE)
    assert.ok(rejects.every(({ reason }) => reason === 'limit_of_new_objects'))
    assert.match(rejects[0].message, /600 objects .* minute/)
  })

  it('is asked to send a single position again after a minute', async () => {
    const position = `id=flood-single&timestamp=${TIME}&lat=41&lon=2`
    const answer = await sender.send(`/osmand?${position}`)
    assertRefused(answer, 429, 'FEED.429_001', /^limit_of_new_objects: /)
    assert.equal(answer.headers['retry-after'], '60')
  })

  it("creates none beyond the organization's maximum", async () => {
    await fleet.json('org', 'update', String(sender.id), '--max-objects', '600')
    const { rejects } = await sender.post([rowOf('flood-late')])
    assert.equal(rejects[0].reason, 'limit_of_objects')
    assert.match(rejects[0].message, /max_objects of 600/)
    const answer = await sender.send(`/osmand?id=flood-late&timestamp=${TIME}&lat=41&lon=2`)
    assertRefused(answer, 400, 'FEED.400_002', /^limit_of_objects: /)
  })

  it('continues to send for existing objects', async () => {
    assert.equal((await sender.post([rowOf(IDENTS.van)])).stored, 1)
  })
})
