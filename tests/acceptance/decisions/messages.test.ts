import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { PREFIX } from '../harness/organization.ts'

const fleet = await startFleet()

describe('Answers: messages', () => {
  it('follow Accept-Language, otherwise the language of the organization', async () => {
    const organization = fleet.take()
    const missing = async (language?: string) => {
      const headers: Record<string, string> =
        language === undefined ? {} : { 'accept-language': language }
      const answer = await organization.get('/objects/999999999', { headers })
      assertRefused(answer, 404, 'PUBLIC.404_001')
      assert.match(answer.headers.vary!, /accept-language/i)
      return [answer.headers['content-language'], answer.json.message]
    }
    assert.deepEqual(await missing(), ['en', 'Object not found.'])
    assert.deepEqual(await missing('ar-EG;q=0.7, de;q=0'), ['ar', 'الكائن غير موجود.'])
    await fleet.run('org', 'update', String(organization.id), '--language', 'tr')
    const turkish = await missing()
    assert.equal(turkish[0], 'tr')
    assert.deepEqual(await missing('ja'), turkish)
    assert.deepEqual(await missing('en-GB'), ['en', 'Object not found.'])
  })

  it('are in English without a known caller and a requested language', async () => {
    const answer = await request(fleet.server.api, `${PREFIX}/objects`)
    assert.equal(answer.headers['content-language'], 'en')
    assertRefused(answer, 401, 'ERR999', 'Unauthorized')
  })

  it('are translated for every refusal', async () => {
    const german = { headers: { 'accept-language': 'de' } }
    const organization = fleet.take()
    const { van } = organization.objects
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '1')
    const history = `/objects/${van}/positions?${WHOLE_RANGE}`
    const refused = [
      await organization.get('/nothing', german),
      await organization.get('/objects', { ...german, method: 'POST' }),
      await organization.get('/objects', { headers: { 'x-api-key': 'x', ...german.headers } }),
      await organization.get(`${history}&limit=0`, german),
    ]
    await organization.get(history)
    refused.push(await organization.get(history, german))
    await fleet.run('org', 'update', String(organization.id), '--subscription', 'suspended')
    refused.push(await organization.get(history, german))
    assert.deepEqual(
      refused.map(({ status }) => status),
      [404, 405, 401, 400, 400, 403],
    )
    for (const answer of refused) {
      assert.equal(answer.headers['content-language'], 'de')
      assert.doesNotMatch(answer.json.message, /\b(is|the|not|must|Unauthorized)\b/)
    }
  })
})
