import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('Daily per-object quota exhausted: 400', async () => {
  const organization = fleet.take()
  const { van, truck, silent } = organization.objects
  await fleet.run('org', 'update', String(organization.id), '--daily-quota', '1')
  resultOf(await organization.get(`/objects/${van}/positions?${WHOLE_RANGE}`))

  it('refuses the history, and names the object', async () => {
    const answer = await organization.get(`/objects/${van}/positions?${WHOLE_RANGE}`)
    assertRefused(answer, 400, 'PUBLIC.400_005', new RegExp(`\\b${van}\\b`))
    const { headers } = answer
    assert.deepEqual([headers['x-quota-limit'], headers['x-quota-remaining']], ['1', '0'])
    assert.equal(headers['retry-after'], headers['x-quota-reset'])
    assert.ok(Number(headers['retry-after']) > 0 && Number(headers['retry-after']) <= 86_400)
    assert.equal(headers['x-quota-exhausted'], String(van))
  })

  it('refuses the latest positions whole, and names the exhausted objects only', async () => {
    const answer = await organization.get(`/positions/latest?ids=${truck},${van}`)
    assertRefused(answer, 400, 'PUBLIC.400_005', new RegExp(`\\b${van}\\b`))
    assertRefused(answer, 400, 'PUBLIC.400_005', new RegExp(`^(?!.*\\b${truck}\\b)`))
  })

  it('charges nothing for refused requests', async () => {
    resultOf(await organization.get(`/positions/latest?ids=${truck},${silent}`))
  })

  it('never refuses the detail', async () => {
    resultOf(await organization.get(`/objects/${van}`))
  })
})
