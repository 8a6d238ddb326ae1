import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { OPERATIONS } from '../harness/operations.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'
import { FORMATS, withFormat } from './formats.ts'

const fleet = await sharedFleet()

describe('format=: 406', () => {
  const organization = fleet.take()

  for (const { name, path, formats } of OPERATIONS) {
    it(`${name} names the formats that it has`, async () => {
      const other = Object.keys(FORMATS).find((format) => !formats.includes(format)) ?? 'xlsx'
      const answer = await fleet.ask((asked) => withFormat(path(asked), other))
      assertRefused(answer, 406, 'PUBLIC.406_001')
      assert.ok(answer.json.message.includes(`"${other}"`), answer.json.message)
      assert.ok(answer.json.message.includes(formats.join(', ')), answer.json.message)
    })
  }

  it('comes before what is wrong with other parameters, and charges nothing', async () => {
    const answer = await organization.get('/objects/x/positions?format=CSV')
    assertRefused(answer, 406, 'PUBLIC.406_001')
    assert.equal(answer.headers['x-quota-remaining'], undefined)
  })
})

describe('format=: 400', () => {
  const organization = fleet.take()

  it('refuses a repeated format', async () => {
    const { van } = organization.objects
    const path = `/objects/${van}/positions?${WHOLE_RANGE}`
    const answer = await organization.get(`${path}&format=csv&format=json`)
    assertRefused(answer, 400, 'PUBLIC.400_001')
    assert.ok(answer.json.message.includes('format'))
  })
})
