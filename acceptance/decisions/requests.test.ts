import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, request } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { FIXES, positionRow, WHOLE_RANGE } from '../harness/fleet-data.ts'
import { type Organization, PREFIX } from '../harness/organization.ts'

const fleet = await startFleet({ full: 1, plain: 12 })

const history = (query: string): Promise<Answer> =>
  fleet.ask(({ objects }) => `/objects/${objects.van}/positions?${query}`)
const rowsOf = async (query: string) => resultOf(await history(query))
const latest = (ids: (organization: Organization) => string) =>
  fleet.ask((organization) => `/positions/latest?ids=${ids(organization)}`)

describe('Requests: history parameters', () => {
  it('are from_time, to_time and limit', async () => {
    assert.equal((await rowsOf(`${WHOLE_RANGE}&limit=3`)).length, 3)
  })

  it('have no aliases', async () => {
    for (const alias of [
      'from=2024-05-06&to=2024-05-06',
      'start_time=2024-05-06',
      'FROM_TIME=2024',
    ]) {
      assertRefused(await history(alias), 400, 'PUBLIC.400_001', /From Time is required/)
    }
    assert.equal((await rowsOf(`${WHOLE_RANGE}&max=1&count=1&LIMIT=1`)).length, 12)
  })
})

describe('Requests: order of parameter checks', () => {
  it('is the id, the start, the end, then formats', async () => {
    const cases: [target: string, code: string, message: RegExp][] = [
      ['/objects/x/positions', 'PUBLIC.400_001', /\bid\b/],
      ['/objects/1/positions', 'PUBLIC.400_001', /From Time is required/],
      ['/objects/1/positions?to_time=bad&limit=0', 'PUBLIC.400_001', /From Time is required/],
      ['/objects/1/positions?from_time=&to_time=', 'PUBLIC.400_001', /From Time is required/],
      ['/objects/1/positions?from_time=bad&limit=0', 'PUBLIC.400_002', /To Time is required/],
      [
        '/objects/1/positions?from_time=2024-05-06&to_time=',
        'PUBLIC.400_002',
        /To Time is required/,
      ],
      ['/objects/1/positions?from_time=bad&to_time=2024', 'PUBLIC.400_001', /from_time/],
    ]
    for (const [target, code, message] of cases) {
      assertRefused(await fleet.ask(() => target), 400, code, message)
    }
  })

  it('refuses a repeated parameter', async () => {
    for (const query of [
      'from_time=2024-05-06&from_time=2024-05-06&to_time=2024-05-06',
      'from_time=2024-05-06&to_time=2024-05-06&to_time=2024-05-07',
      'from_time=2024-05-06&to_time=2024-05-06&limit=1&limit=1',
      'from_time=2024-05-06&to_time=2024-05-06&from%5Ftime=2024-05-06',
    ]) {
      assertRefused(await history(query), 400, 'PUBLIC.400_001')
    }
  })
})

describe('Requests: `limit`', () => {
  for (const limit of ['0', '-1', '1.0', '1e2', '0x1', '%201', 'all', '00']) {
    it(`refuses "${limit}"`, async () => {
      assertRefused(await history(`${WHOLE_RANGE}&limit=${limit}`), 400, 'PUBLIC.400_001', /limit/)
    })
  }

  it('has no maximum by default', async () => {
    for (const limit of ['1000000', '9007199254740993', '9'.repeat(40)]) {
      assert.equal((await rowsOf(`${WHOLE_RANGE}&limit=${limit}`)).length, 12)
    }
  })

  it('covers the whole range if omitted', async () => {
    const answer = await fleet.ask(
      ({ objects }) => `/objects/${objects.longHaul}/positions?${WHOLE_RANGE}`,
    )
    assert.equal(resultOf(answer).length, FIXES.longHaul.length)
    assert.equal(answer.headers.link, undefined)
  })
})

describe('Requests: row order', () => {
  it('is time_device, ascending, regardless of arrival', async () => {
    const answer = await fleet.ask(
      ({ objects }) => `/objects/${objects.longHaul}/positions?${WHOLE_RANGE}`,
    )
    const times = resultOf(answer).map((row: { time_device: string }) => row.time_device)
    assert.deepEqual(times, times.toSorted())
    assert.equal(new Set(times).size, times.length)
  })
})

describe('Requests: `ids` of `/positions/latest`', () => {
  const newest = (organization: Organization, name: 'van' | 'truck') =>
    positionRow(FIXES[name].at(-1)!, organization.objects[name])

  it('may have spaces around the commas, leading zeros and repetitions', async () => {
    const organization = fleet.full[0]!
    const { van, truck } = organization.objects
    for (const ids of [
      `${van},${truck}`,
      `%20${van}%20,%20${truck}+`,
      `000${van},${truck},${van}`,
    ]) {
      const rows = resultOf(await organization.get(`/positions/latest?ids=${ids}`))
      assert.deepEqual(rows, [newest(organization, 'van'), newest(organization, 'truck')])
    }
  })

  it('may name at most 1,000', async () => {
    const others = (count: number) => Array.from({ length: count }, (_, i) => 900_000 + i).join(',')
    const answer = await latest(({ objects }) => `${objects.van},${others(999)}`)
    assert.equal(resultOf(answer).length, 1)
    const refused = await latest(({ objects }) => `${objects.van},${others(1000)}`)
    assertRefused(refused, 400, 'PUBLIC.400_001', /1,?000/)
  })

  it('refuses a missing, empty or malformed list', async () => {
    for (const ids of ['', ',', '1,,2', 'x']) {
      assertRefused(await latest(() => ids), 400, 'PUBLIC.400_001')
    }
  })
})

describe('Requests: `id` that is not digits', () => {
  it('is a 400; digits without an object are a 404', async () => {
    assertRefused(await fleet.ask(() => '/objects/12x'), 400, 'PUBLIC.400_001', /\bid\b/)
    for (const id of ['999999999', '9007199254740992', '9007199254740993', '7'.repeat(400)]) {
      assertRefused(await fleet.ask(() => `/objects/${id}`), 404, 'PUBLIC.404_001')
    }
  })

  it('may have leading zeros', async () => {
    const answer = await fleet.ask(({ objects }) => `/objects/${'0'.repeat(30)}${objects.van}`)
    assert.equal(resultOf(answer).name, 'Van "Nordwind", 1')
  })
})

describe('Requests: unknown query parameters', () => {
  it('are ignored', async () => {
    resultOf(await fleet.ask(() => '/objects?page=2&page=3&limit=x&%5B%5D=1&='))
    assert.equal(
      (await rowsOf(`${WHOLE_RANGE}&sort=desc&sort=asc&constructor=1&__proto__=2`)).length,
      12,
    )
  })
})

describe('Requests: health ping', () => {
  it('is GET /ping without a key', async () => {
    const answer = await request(fleet.server.api, `${PREFIX}/ping`)
    assert.deepEqual(resultOf(answer), { status: 'ok' })
  })
})

describe('Requests: methods', () => {
  const [charged, uncounted] = [fleet.take(), fleet.take()]

  it('counts and charges HEAD as GET', async () => {
    await fleet.run('org', 'update', String(charged.id), '--daily-quota', '2')
    const path = `/objects/${charged.objects.van}/positions?${WHOLE_RANGE}`
    const head = await charged.get(path, { method: 'HEAD' })
    assert.deepEqual(
      [head.status, head.headers['x-quota-remaining'], head.headers['x-ratelimit-remaining']],
      [200, '1', '9'],
    )
    const get = await charged.get(path)
    assert.deepEqual(
      [get.status, get.headers['x-quota-remaining'], get.headers['x-ratelimit-remaining']],
      [200, '0', '8'],
    )
    assert.equal((await charged.get(path, { method: 'HEAD' })).status, 400)
  })

  it('neither counts a 404 or 405, nor requires a key for it', async () => {
    for (let i = 0; i < 12; i++) {
      assertRefused(await uncounted.get('/nothing'), 404, 'ERR999')
      assertRefused(await uncounted.get('/objects', { method: 'POST' }), 405, 'ERR999')
    }
    assert.equal((await uncounted.get('/objects')).headers['x-ratelimit-remaining'], '9')
  })
})

describe('Requests: key headers', () => {
  const organization = fleet.take()
  const { key } = organization
  const send = (headers: Record<string, string | string[]>) =>
    request(fleet.server.api, `${PREFIX}/objects`, { headers })

  it('are x-api-key or a Bearer Authorization, with a case-insensitive scheme', async () => {
    for (const headers of [
      { 'x-api-key': key },
      { 'X-API-KEY': key },
      { authorization: `Bearer ${key}` },
      { authorization: `bEARER ${key}` },
    ]) {
      resultOf(await send(headers as unknown as Record<string, string>))
    }
  })

  it('must be exactly one', async () => {
    for (const headers of [
      { 'x-api-key': key, authorization: `Bearer ${key}` },
      { 'x-api-key': [key, key] },
      { authorization: [`Bearer ${key}`, `Bearer ${key}`] },
      { 'x-api-key': key, authorization: 'bearer x' },
    ]) {
      const answer = await send(headers as unknown as Record<string, string | string[]>)
      assertRefused(answer, 401, 'ERR999', 'Unauthorized')
    }
  })

  it('ignores an Authorization of another scheme beside x-api-key', async () => {
    resultOf(await send({ 'x-api-key': key, authorization: 'Basic eDp5' }))
  })

  it('does not accept a key in the URL', async () => {
    const answer = await request(
      fleet.server.api,
      `${PREFIX}/objects?x-api-key=${key}&api_key=${key}`,
    )
    assertRefused(answer, 401, 'ERR999')
  })
})

describe('Requests: description and reference page', () => {
  it('are /openapi.json and /docs, outside the prefix, without a key', async () => {
    for (const target of ['/openapi.json', '/docs']) {
      assert.equal((await request(fleet.server.api, target)).status, 200)
      assert.equal((await request(fleet.server.api, PREFIX + target)).status, 404)
    }
  })
})
