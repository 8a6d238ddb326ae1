import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { PREFIX } from '../harness/organization.ts'

const LANGUAGES = ['en', 'tr', 'de', 'es', 'fr', 'pt', 'ru', 'ar']

const fleet = await startFleet({ full: 0, plain: 10 })

describe('Answers: messages', () => {
  const missing = async (language?: string) => {
    const headers: Record<string, string> = {}
    if (language !== undefined) headers['accept-language'] = language
    const answer = await fleet.ask(() => '/objects/999999999', { headers })
    assertRefused(answer, 404, 'PUBLIC.404_001')
    return { language: answer.headers['content-language'], message: answer.json.message, answer }
  }

  it('exist in eight languages, each different', async () => {
    const texts = []
    for (const language of LANGUAGES) {
      const given = await missing(language)
      assert.equal(given.language, language)
      assert.match(given.answer.headers.vary!, /accept-language/i)
      texts.push(given.message)
    }
    assert.equal(texts[0], 'Object not found.')
    assert.equal(new Set(texts).size, LANGUAGES.length)
    assert.match(texts.at(-1), /\p{Script=Arabic}/u)
    assert.match(texts.at(-2), /\p{Script=Cyrillic}/u)
  })

  it('follow the best match of Accept-Language', async () => {
    const wanted = [
      ['de-AT', 'de'],
      ['pt-BR, en;q=0.9', 'pt'],
      ['ja, fr;q=0.3, es;q=0.8', 'es'],
      ['ja, ko', 'en'],
      ['*', 'en'],
      ['de;q=0, fr;q=0.1', 'fr'],
      ['DE', 'de'],
      ['', 'en'],
      [';;;=,,q', 'en'],
      ['ar-EG;q=0.7, tr;q=0.701', 'tr'],
    ] as const
    for (const [field, language] of wanted) {
      assert.equal((await missing(field)).language, language, field)
    }
  })

  it("default to the organization's language, which the caller can override", async () => {
    const organization = fleet.take()
    await fleet.run('org', 'update', String(organization.id), '--language', 'tr')
    const own = await organization.get('/objects/999999999')
    assert.equal(own.headers['content-language'], 'tr')
    const unknown = { 'accept-language': 'ja' }
    const fallback = await organization.get('/objects/999999999', { headers: unknown })
    assert.equal(fallback.headers['content-language'], 'tr')
    const english = { 'accept-language': 'en-GB' }
    const asked = await organization.get('/objects/999999999', { headers: english })
    assert.equal(asked.headers['content-language'], 'en')
  })

  it('are in English without a known caller and a requested language', async () => {
    const answer = await request(fleet.server.api, `${PREFIX}/objects`)
    assert.equal(answer.headers['content-language'], 'en')
    assertRefused(answer, 401, 'ERR999', 'Unauthorized')
  })

  it('start with ThrottlerException: Too Many Requests in every language', async () => {
    const organization = fleet.take()
    for (let sent = 0; sent < 10; sent++) await organization.get('/objects')
    const texts = []
    for (const language of LANGUAGES) {
      const answer = await organization.get('/objects', {
        headers: { 'accept-language': language },
      })
      assertRefused(answer, 429, 'ERR999', /^ThrottlerException: Too Many Requests/)
      assert.equal(answer.headers['content-language'], language)
      texts.push(answer.json.message)
    }
    assert.ok(new Set(texts).size > 1)
  })

  it('are translated for every refusal', async () => {
    const german = { headers: { 'accept-language': 'de' } }
    const organization = fleet.take()
    const { van } = organization.objects
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '1')
    const history = `/objects/${van}/positions`
    const refused = [
      await organization.get('/nothing', german),
      await organization.get('/objects', { ...german, method: 'POST' }),
      await organization.get('/objects', { headers: { 'x-api-key': 'x', ...german.headers } }),
      await organization.get('/objects/x', german),
      await organization.get(history, german),
      await organization.get(`${history}?from_time=2024-05-06`, german),
      await organization.get(`${history}?from_time=2024-05-06&to_time=x`, german),
      await organization.get(`/positions/latest?ids=x`, german),
    ]
    await organization.get(`${history}?${WHOLE_RANGE}`)
    refused.push(await organization.get(`${history}?${WHOLE_RANGE}`, german))
    await fleet.run('org', 'update', String(organization.id), '--subscription', 'suspended')
    refused.push(await organization.get(`${history}?${WHOLE_RANGE}`, german))
    for (const answer of refused) {
      assert.ok(answer.status >= 400, answer.text)
      assert.equal(answer.headers['content-language'], 'de')
      assert.doesNotMatch(answer.json.message, /\b(is|the|not|must|Unauthorized)\b/)
    }
  })
})
