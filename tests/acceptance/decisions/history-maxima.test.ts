import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { type ObjectName, WHOLE_RANGE } from '../harness/fleet-data.ts'
import { PREFIX } from '../harness/organization.ts'

const BASE = 'https://example.com/fleet'
const MAXIMA = ['--max-history-rows', '100', '--max-history-days', '7']

const fleet = await startFleet({ full: 0, plain: 3 }, [...MAXIMA, '--api-url', `${BASE}/`])

const history = (name: ObjectName, query: string) =>
  fleet.ask(({ objects }) => `/objects/${objects[name]}/positions?${query}`)

describe('Requests: `limit`, with maxima set by the operator', () => {
  it('refuses a limit above the maximum, and names the maximum', async () => {
    const answer = await history('van', `${WHOLE_RANGE}&limit=101`)
    assertRefused(answer, 400, 'PUBLIC.400_001', /\b100\b/)
    const page = await history('longHaul', `${WHOLE_RANGE}&limit=100`)
    assert.equal(resultOf(page).length, 100)
  })

  it('refuses a range with more rows instead of truncating it', async () => {
    assertRefused(await history('longHaul', WHOLE_RANGE), 400, 'PUBLIC.400_001', /\b100\b/)
    assert.equal(resultOf(await history('van', WHOLE_RANGE)).length, 12)
  })

  it('refuses a longer range than the maximum, and names the maximum', async () => {
    const eight = await history('van', 'from_time=2024-05-01&to_time=2024-05-08')
    assertRefused(eight, 400, 'PUBLIC.400_001', /\b7\b/)
    resultOf(await history('van', 'from_time=2024-05-01&to_time=2024-05-07'))
  })

  it('charges nothing for a refused request', async () => {
    const organization = fleet.take()
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '2')
    const path = `/objects/${organization.objects.longHaul}/positions?${WHOLE_RANGE}`
    assertRefused(await organization.get(path), 400, 'PUBLIC.400_001')
    assertRefused(await organization.get(`${path}&limit=200`), 400, 'PUBLIC.400_001')
    const answer = await organization.get(`${path}&limit=1`)
    assert.equal(answer.headers['x-quota-remaining'], '1')
  })

  it('does not say whether a range of an exhausted object has more rows', async () => {
    const organization = fleet.take()
    const { longHaul } = organization.objects
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '1')
    const path = `/objects/${longHaul}/positions?${WHOLE_RANGE}`
    resultOf(await organization.get(`${path}&limit=1`))
    const rested = `/objects/${longHaul}/positions?from_time=2024-05-03&to_time=2024-05-03`
    for (const each of [path, rested]) {
      const named = new RegExp(`\\b${longHaul}\\b`)
      assertRefused(await organization.get(each), 400, 'PUBLIC.400_005', named)
    }
  })
})

describe('Requests: more rows than `limit`, where --api-url is set', () => {
  it('are linked by a full URL with the prefix of its path', async () => {
    const { headers } = await history('van', `${WHOLE_RANGE}&limit=11`)
    assert.ok(String(headers.link).startsWith(`<${BASE}${PREFIX}/objects/`), String(headers.link))
  })
})
