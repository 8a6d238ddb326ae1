import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Answer, request } from '../harness/client.ts'
import { clock } from '../harness/clock.ts'
import { embeddedOnly, isEmbedded } from '../harness/deployment.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { type Organization, PREFIX } from '../harness/organization.ts'
import { scoped } from '../harness/scoped.ts'

const fleet = await startFleet({ full: 0, plain: 14 })

const setQuota = (organization: Organization, quota: string) =>
  fleet.run('org', 'update', String(organization.id), '--daily-quota', quota)
const latest = (organization: Organization, ...ids: number[]) =>
  organization.get(`/positions/latest?ids=${ids.join(',')}`)

describe('Limits: rate window', () => {
  it('admits ten of many simultaneous requests of all keys, and the next when Retry-After has passed', async () => {
    const organization = fleet.take()
    const { key } = await fleet.json('key', 'issue', '--org', String(organization.id))
    const other = { headers: { 'x-api-key': key } }
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => organization.get('/objects', i % 2 ? other : {})),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 10)
    const refused = await organization.get('/objects', other)
    assertRefused(refused, 429, 'ERR999', /^ThrottlerException: Too Many Requests/)
    await organization.time.pass(Number(refused.headers['retry-after']) * 1_000)
    resultOf(await organization.get('/objects'))
  })

  it('counts a 304 and a 4xx, but not a refused request', async () => {
    const organization = fleet.take()
    const { etag } = (await organization.get('/objects')).headers
    for (let i = 0; i < 3; i++) {
      await organization.get('/objects', { headers: { 'if-none-match': etag! } })
      await organization.get('/objects/x')
      await organization.get('/objects/999999999')
    }
    const refused = await organization.get('/objects')
    for (let i = 0; i < 20; i++) assertRefused(await organization.get('/objects'), 429, 'ERR999')
    await organization.time.pass(Number(refused.headers['retry-after']) * 1_000)
    resultOf(await organization.get('/objects'))
  })
})

describe('Limits: an organization with another rate window', () => {
  it('has the number of requests that the operator gives it, from the next request on', async () => {
    const organization = fleet.take()
    const set = (requests: number) =>
      fleet.run('org', 'update', String(organization.id), '--window-requests', String(requests))
    const numbers = ({ headers }: Answer) => [
      headers['x-ratelimit-limit'],
      headers['x-ratelimit-remaining'],
      headers['ratelimit-policy'],
    ]
    assert.deepEqual(numbers(await organization.get('/sites')), ['10', '9', '"default";q=10;w=10'])
    await set(15)
    const usage = await organization.get('/usage')
    assert.deepEqual(numbers(usage), ['15', '13', '"default";q=15;w=10'])
    const { limit, remaining } = resultOf(usage).window
    assert.deepEqual([limit, remaining], [15, 13])
    const burst = await Promise.all(Array.from({ length: 20 }, () => organization.get('/sites')))
    assert.equal(burst.filter(({ status }) => status === 200).length, 13)
    await set(16)
    assert.deepEqual(numbers(await organization.get('/sites')).slice(0, 2), ['16', '0'])
    await set(3)
    const refused = await organization.get('/sites')
    assertRefused(refused, 429, 'ERR999')
    assert.deepEqual(numbers(refused), ['3', '0', '"default";q=3;w=10'])
    await organization.time.pass(Number(refused.headers['retry-after']) * 1_000)
    resultOf(await organization.get('/sites'))
  })

  it('bounds the share of its keys', async () => {
    const organization = fleet.take()
    const id = String(organization.id)
    await fleet.run('org', 'update', id, '--window-requests', '12')
    const caller = await scoped(fleet, organization, '--window-share', '12')
    assert.equal((await caller.get('/sites')).headers['x-ratelimit-limit'], '12')
    await fleet.run('org', 'update', id, '--window-requests', '4')
    const lowered = (await caller.get('/sites')).headers
    assert.equal(lowered['x-ratelimit-limit'], '4')
    assert.equal(lowered['x-ratelimit-remaining'], '2')
  })
})

describe('Limits: rate headers', () => {
  const seconds = /^(\d|10)$/
  const assertHeaders = ({ headers }: Answer, remaining: number) => {
    assert.equal(headers['x-ratelimit-limit'], '10')
    assert.equal(headers['x-ratelimit-remaining'], String(remaining))
    assert.match(String(headers['x-ratelimit-reset']), seconds)
    assert.equal(headers['ratelimit-policy'], '"default";q=10;w=10')
    assert.match(String(headers.ratelimit), new RegExp(`^"default";r=${remaining};t=(\\d|10)$`))
  }

  it('are on every authenticated answer', async () => {
    const organization = fleet.take()
    const { van } = organization.objects
    const answers = [
      await organization.get('/objects'),
      await organization.get(`/objects/${van}`),
      await organization.get(`/objects/${van}/positions?${WHOLE_RANGE}`),
      await organization.get('/objects/x'),
      await organization.get('/objects/999999999'),
      await organization.get('/positions/latest'),
      await organization.get('/sites', { method: 'HEAD' }),
    ]
    answers.forEach((answer, i) => {
      assertHeaders(answer, 9 - i)
    })
    await fleet.run('org', 'update', String(organization.id), '--subscription', 'suspended')
    assertHeaders(await latest(organization, van), 2)
    await organization.get('/objects')
    await organization.get('/objects')
    const refused = await organization.get('/objects')
    assertHeaders(refused, 0)
    assert.equal(refused.headers['retry-after'], refused.headers['x-ratelimit-reset'])
  })

  it('are on no other answer', async () => {
    for (const target of [`${PREFIX}/ping`, `${PREFIX}/objects`, `${PREFIX}/nothing`, '/docs']) {
      const { headers } = await request(fleet.server.api, target)
      for (const name of ['x-ratelimit-limit', 'ratelimit', 'ratelimit-policy']) {
        assert.equal(headers[name], undefined, target)
      }
    }
  })
})

describe('Limits: quota', () => {
  it('charges history, latest and detail to one counter per object', async () => {
    const organization = fleet.take()
    const { van, truck } = organization.objects
    await setQuota(organization, '4')
    const history = await organization.get(`/objects/${van}/positions?${WHOLE_RANGE}`)
    assert.equal(history.headers['x-quota-remaining'], '3')
    assert.equal((await latest(organization, van, van)).headers['x-quota-remaining'], '2')
    resultOf(await organization.get(`/objects/${van}`))
    assert.equal((await latest(organization, van, truck)).headers['x-quota-remaining'], '0')
    const refused = await latest(organization, van)
    assertRefused(refused, 400, 'PUBLIC.400_005', new RegExp(`\\b${van}\\b`))
    const { headers: shown } = refused
    assert.deepEqual([shown['x-quota-limit'], shown['x-quota-remaining']], ['4', '0'])
    assert.equal(shown['x-quota-exhausted'], String(van))
    assert.equal(shown['retry-after'], shown['x-quota-reset'])
    assert.equal((await latest(organization, truck)).headers['x-quota-remaining'], '2')
  })

  it('charges all of the requested objects or none', async () => {
    const organization = fleet.take()
    const { van, truck, silent } = organization.objects
    await setQuota(organization, '1')
    resultOf(await latest(organization, van))
    for (let i = 0; i < 3; i++) {
      assertRefused(await latest(organization, truck, van, silent), 400, 'PUBLIC.400_005')
    }
    resultOf(await latest(organization, truck, silent))
    const refused = await latest(organization, truck, van, silent)
    for (const id of [truck, van, silent]) {
      assertRefused(refused, 400, 'PUBLIC.400_005', new RegExp(`\\b${id}\\b`))
    }
  })

  it('charges nothing for a refused request', async () => {
    const organization = fleet.take()
    const { van } = organization.objects
    await setQuota(organization, '2')
    for (const query of ['', 'from_time=x&to_time=x', `${WHOLE_RANGE}&limit=0`]) {
      const answer = await organization.get(`/objects/${van}/positions?${query}`)
      assert.equal(answer.status, 400)
      assert.equal(answer.headers['x-quota-remaining'], undefined)
    }
    assert.equal((await latest(organization, van)).headers['x-quota-remaining'], '1')
  })

  it('never refuses the detail, and charges it beyond the limit', async () => {
    const organization = fleet.take()
    const { van } = organization.objects
    await setQuota(organization, '1')
    for (let i = 0; i < 4; i++) {
      const detail = await organization.get(`/objects/${van}`)
      resultOf(detail)
      assert.equal(detail.headers['x-quota-remaining'], '0')
    }
    assertRefused(await latest(organization, van), 400, 'PUBLIC.400_005')
    await setQuota(organization, '5')
    assert.equal((await latest(organization, van)).headers['x-quota-remaining'], '0')
  })
})

describe('Limits: quota headers', () => {
  it('are on answers that are charged against a limit', async () => {
    const organization = fleet.take()
    const { van, truck } = organization.objects
    await setQuota(organization, '7')
    resultOf(await latest(organization, van))
    const { headers } = await latest(organization, truck, van)
    assert.equal(headers['x-quota-limit'], '7')
    assert.equal(headers['x-quota-remaining'], '5', 'the lowest of the objects asked')
    const toMidnight = 86_400 - ((Date.now() / 1000) % 86_400)
    const difference = Math.abs(Number(headers['x-quota-reset']) - toMidnight)
    assert.ok(difference < 30 || difference > 86_370, String(headers['x-quota-reset']))
    assert.equal((await organization.get('/objects')).headers['x-quota-limit'], undefined)
  })

  it('are absent where the quota is unlimited', async () => {
    const answer = await fleet.ask(({ objects }) => `/positions/latest?ids=${objects.van}`)
    resultOf(answer)
    for (const name of ['x-quota-limit', 'x-quota-remaining', 'x-quota-reset']) {
      assert.equal(answer.headers[name], undefined)
    }
  })
})

describe('Limits: keys', () => {
  const organization = fleet.take()
  const org = ['--org', String(organization.id)]
  const status = async (key: string) =>
    (await request(fleet.server.api, `${PREFIX}/objects`, { headers: { 'x-api-key': key } })).status

  it('are stored nowhere in the data folder, and shown by no command', embeddedOnly, async () => {
    for (const name of readdirSync(fleet.deployment.folder!)) {
      const bytes = readFileSync(join(fleet.deployment.folder!, name))
      assert.equal(bytes.includes(organization.key.slice(8)), false, name)
    }
    for (const flag of [[], ['--json']]) {
      const { stdout } = await fleet.run('key', 'list', ...org, ...flag)
      assert.equal(stdout.includes(organization.key), false)
      assert.ok(stdout.includes(organization.key.slice(-4)))
    }
  })

  it('can be several per organization, and stop working at once when revoked', async () => {
    const { id, key } = await fleet.json('key', 'issue', ...org, '--name', 'second')
    assert.deepEqual([await status(key), await status(organization.key)], [200, 200])
    await fleet.run('key', 'revoke', ...org, String(id))
    assert.deepEqual([await status(key), await status(organization.key)], [401, 200])
  })

  it('stop working at once when they expire', async () => {
    const expires = clock.now() + (isEmbedded ? 60_000 : 10_000)
    const at = new Date(expires).toISOString()
    const { key } = await fleet.json('key', 'issue', ...org, '--expires', at)
    assert.equal(await status(key), 200)
    await organization.time.pass(expires - clock.now() + 5)
    assert.equal(await status(key), 401)
  })

  it('overlap for the requested time when rotated', async () => {
    const first = await fleet.json('key', 'issue', ...org, '--name', 'rotating')
    const second = await fleet.json('key', 'rotate', ...org, String(first.id), '--overlap', '1h')
    assert.deepEqual([await status(first.key), await status(second.key)], [200, 200])
    const id = String(second.id)
    const third = await fleet.json('key', 'rotate', ...org, id, '--overlap', '0s')
    assert.deepEqual([await status(second.key), await status(third.key)], [401, 200])
  })
})

describe('Limits: wrong keys', () => {
  it('always answer 401, and neither delay nor refuse a right key', async () => {
    const organization = fleet.take()
    const wrong = Array.from({ length: 400 }, (_, i) =>
      request(fleet.server.api, `${PREFIX}/objects`, {
        headers: { 'x-api-key': `fg_live_${String(i).padStart(36, '0')}` },
      }),
    )
    const right = organization.get('/objects')
    const statuses = new Set((await Promise.all(wrong)).map((answer) => answer.status))
    assert.deepEqual([...statuses], [401])
    resultOf(await right)
    resultOf(await organization.get('/objects'))
  })
})
