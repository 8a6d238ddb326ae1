import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { PREFIX } from '../harness/organization.ts'

const BASE = 'https://example.com/fleet'

describe('Requests: more rows than `limit`, where --api-url is set', () => {
  it('are linked by a full URL with the prefix of its path', async () => {
    const fleet = await startFleet({ full: 0, plain: 1 }, ['--api-url', `${BASE}/`])
    const organization = fleet.take()
    const path = `/objects/${organization.objects.van}/positions?${WHOLE_RANGE}&limit=11`
    const { link } = (await organization.get(path)).headers
    const url = /^<([^>]+)>; rel="next"$/.exec(String(link))?.[1] ?? ''
    assert.ok(url.startsWith(`${BASE}${PREFIX}/objects/`), String(link))
    const next = await organization.get(url.slice(`${BASE}${PREFIX}`.length))
    assert.equal(resultOf(next).length, 1)
  })
})
