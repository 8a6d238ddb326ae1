import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ask, assertError, operatorBy, secretOf, startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import { HANDED } from '../harness/clock.ts'
import { isEmbedded } from '../harness/deployment.ts'
import { resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { FEED_PREFIX } from '../harness/sender.ts'

const console = await startConsole()
const { operator, origin, server } = console
const { get, post, patch } = operator

/** How long a token lasts. The clock of servers cannot be handed on. */
const LIFE_MS = isEmbedded ? 60_000 : 5_000

const DEFAULTS = {
  distance_unit: 'km',
  language: 'en',
  subscription: 'active',
  create_objects: false,
  max_objects: 10_000,
  max_places: 10_000,
  max_vertices: 1_000_000,
  daily_quota: null,
  window_requests: 10,
  retention_days: null,
  disclosure_days: 400,
  signal_timeout_hours: 24,
  time_zone: 'UTC',
  maximum_gap: 60,
  future_tolerance: 10,
  maximum_age: 365,
  correct_rollover: false,
  keys_need_purpose: false,
}

/** The last use of a token is known by the minute. */
const near = (time: string) => Math.abs(Date.parse(time) - Date.now()) < 2 * 60_000
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const byKey = (key: string) =>
  request(server.api, `${PREFIX}/objects`, { headers: { 'x-api-key': key } })

describe('An organization', () => {
  it('is created with defaults for omitted fields', async () => {
    const made = await post('/organizations', { name: 'Acme' })
    const { id, created_at, updated_at, ...rest } = made
    assert.deepEqual(rest, { name: 'Acme', ...DEFAULTS })
    assert.ok(near(created_at) && created_at === updated_at)
    const { positions, ...shown } = await get(`/organizations/${id}`)
    const { counted_at: countedAt, ...counts } = positions
    assert.ok(near(countedAt))
    assert.deepEqual(counts, { packed: 0, packed_bytes: 0, unpacked: 0, unpacked_bytes: 0 })
    assert.deepEqual(shown, {
      ...made,
      objects: 0,
      objects_seen_today: 0,
      keys: 0,
      requests_today: 0,
      refused_today: 0,
      quota_used: null,
      objects_exhausted: 0,
    })
  })

  it('is updated setting by setting, and not at all if one is wrong', async () => {
    const made = await post('/organizations', { name: 'Beta', daily_quota: 5, retention_days: 30 })
    const at = `/organizations/${made.id}`
    const changed = await patch(at, { daily_quota: null, distance_unit: 'mi' })
    const { updated_at, ...rest } = changed
    const { updated_at: before, ...was } = made
    assert.deepEqual(rest, { ...was, daily_quota: null, distance_unit: 'mi' })
    assert.ok(updated_at >= before)
    // `limits.test.ts` has the limits of each.
    const wrong: [string, unknown][] = [
      ['daily_quota', -1],
      ['name', ' x'],
      ['time_zone', 'Middle/Earth'],
      ['time_zone', '+03:00'],
      ['time_zone', null],
    ]
    for (const [field, value] of wrong) {
      const body = { daily_quota: 7, [field]: value }
      assertError(await operator.ask('PATCH', at, { body }), 400, 'invalid', field)
    }
    const { name, daily_quota } = await get(at)
    assert.deepEqual([name, daily_quota], ['Beta', null])
    assert.deepEqual(await patch(at, {}), changed)
  })

  it('is found by a part of its name in any case, or by its id', async () => {
    const { id } = await post('/organizations', { name: 'Çınar Lojistik' })
    const found = async (search: string) =>
      (await get(`/organizations?search=${encodeURIComponent(search)}`)).items.map(
        (each: Json) => each.name,
      )
    assert.deepEqual(await found('çınar'), ['Çınar Lojistik'])
    assert.deepEqual(await found('LOJ'), ['Çınar Lojistik'])
    assert.deepEqual(await found(String(id)), ['Çınar Lojistik'])
    assert.deepEqual(await found('%'), [])
    assert.deepEqual(await found('.*'), [])
    const ids = (await get('/organizations')).items.map((each: Json) => each.id)
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    )
  })

  it('is deleted with everything that it owns, at once and for everybody', async () => {
    const { id } = await post('/organizations', { name: 'Gone' })
    const at = `/organizations/${id}`
    const { secret } = await post(`${at}/keys`, { name: 'k' })
    await post(`${at}/objects`, { name: 'n', ident: 'i' })
    assert.equal((await byKey(secret)).status, 200)
    await operator.delete(at)
    assert.equal((await byKey(secret)).status, 401)
    assertError(await operator.ask('GET', at), 404, 'not_found')
    assertError(await operator.ask('GET', `${at}/keys`), 404, 'not_found')
    assertError(await operator.ask('DELETE', at), 404, 'not_found')
    // The usage of the deleted organization belongs to nobody, and does not block another organization.
    const other = await post('/organizations', { name: 'Left' })
    assert.equal((await get(`/organizations/${other.id}/usage`)).days.length, 30)
  })
})

for (const [kind, noun] of [
  ['keys', 'An API key'],
  ['feed-tokens', 'A feed token'],
] as const) {
  describe(noun, async () => {
    const { id } = await post('/organizations', { name: kind })
    const at = `/organizations/${id}/${kind}`
    const only = async (wanted: number): Promise<Json> =>
      (await get(at)).items.find((each: Json) => each.id === wanted)

    async function opens(secret: string): Promise<boolean> {
      if (kind === 'keys') return (await byKey(secret)).status === 200
      const headers = { 'x-feed-token': secret }
      const options = { method: 'POST', body: '[]', headers }
      return (await request(server.feed, `${FEED_PREFIX}/positions`, options)).status !== 401
    }

    it('is shown once, works at once, and is listed without its secret', async () => {
      const { credential, secret } = await post(at, { name: 'Night report' })
      assert.match(secret, kind === 'keys' ? /^fg_live_\w{36}$/ : /^fg_feed_\w{36}$/)
      assert.ok(secret.startsWith(credential.prefix) && secret.endsWith(credential.last_four))
      assert.ok(await opens(secret))
      const listed = await only(credential.id)
      assert.ok(near(listed.last_used_at))
      const text = JSON.stringify(await get(at))
      assert.ok(!text.includes(secret) && !text.includes(secret.slice(12, -4)))
    })

    it('may expire at a moment in the future', async () => {
      const expires_at = inHours(1)
      const { credential } = await post(at, { name: 'x', expires_at })
      assert.equal(credential.expires_at, expires_at)
      for (const wrong of [inHours(-1), 'soon', 5, '2026-13-01T00:00:00Z', {}]) {
        const body = { name: 'x', expires_at: wrong }
        assertError(await operator.ask('POST', at, { body }), 400, 'invalid', 'expires_at')
      }
    })

    it('is replaced by another, at once or after an overlap', async () => {
      const old = await post(at, { name: 'old' })
      const rotate = `${at}/${old.credential.id}/rotate`
      const next = await post(rotate, { overlap_hours: 2 })
      assert.equal(next.credential.name, 'old')
      assert.ok((await opens(old.secret)) && (await opens(next.secret)))
      const ends = Date.parse((await only(old.credential.id)).expires_at)
      assert.ok(Math.abs(ends - Date.now() - 2 * 3_600_000) < 60_000)
      await post(`${at}/${next.credential.id}/rotate`, { overlap_hours: 0 })
      assert.ok(!(await opens(next.secret)))
      for (const wrong of [-1, 8_761, '1', null]) {
        const body = { overlap_hours: wrong }
        assertError(await operator.ask('POST', rotate, { body }), 400, 'invalid', 'overlap_hours')
      }
      const again = `${at}/${next.credential.id}/rotate`
      const refused = await operator.ask('POST', again, { body: { overlap_hours: 1 } })
      assertError(refused, 409, 'conflict')
    })

    it('never lasts longer because of a rotation', async () => {
      const { credential } = await post(at, { name: 'short', expires_at: inHours(1) })
      await post(`${at}/${credential.id}/rotate`, { overlap_hours: 24 })
      assert.equal((await only(credential.id)).expires_at, credential.expires_at)
    })

    it('ends at once when revoked, and remains revoked', async () => {
      const { credential, secret } = await post(at, { name: 'x' })
      const revoked = await post(`${at}/${credential.id}/revoke`)
      assert.ok(near(revoked.revoked_at))
      assert.ok(!(await opens(secret)))
      const again = await post(`${at}/${credential.id}/revoke`)
      assert.equal(again.revoked_at, revoked.revoked_at)
      const body = { overlap_hours: 1 }
      const rotated = await operator.ask('POST', `${at}/${credential.id}/rotate`, { body })
      assertError(rotated, 409, 'conflict')
    })
  })
}

describe('A token of a program', () => {
  const bearer = (secret: string) => operatorBy(origin, { authorization: `Bearer ${secret}` })

  it("works like an operator's session, and needs no Origin header", async () => {
    const { token, secret } = await post('/tokens', { role: 'operator', name: 'Deploy' })
    assert.match(secret, /^fg_oper_\w{36}$/)
    const headers = { authorization: `bearer ${secret}` }
    const made = await ask(origin(), 'POST', '/organizations', { headers, body: { name: 'By it' } })
    assert.equal(made.status, 201)
    const session = await bearer(secret).get('/session')
    assert.deepEqual(session, {
      state: 'signed_in',
      ...{ expires_at: null, account: null, must_set_up_totp: false },
      ...{ sign_on: null, takes_passwords: true },
      roles: [{ role: 'operator', organization: null, is_from_sign_on: false }],
    })
    const listed = (await get('/tokens')).items.find(({ id }: Json) => id === token.id)
    assert.ok(near(listed.last_used_at))
    assert.ok(!JSON.stringify(await get('/tokens')).includes(secret))
    const [{ actor }] = (await get('/audit?limit=1')).items
    assert.equal(actor, `token ${token.id} Deploy`)
  })

  it('ends when revoked, or at its expiry', async () => {
    const { token, secret } = await post('/tokens', { role: 'operator', name: 'x' })
    await operator.delete(`/tokens/${token.id}`)
    assertError(await bearer(secret).ask('GET', '/server'), 401, 'signed_out')
    assertError(await operator.ask('DELETE', `/tokens/${token.id}`), 404, 'not_found')
    const expires_at = new Date(Date.now() + LIFE_MS).toISOString()
    const short = await post('/tokens', { role: 'operator', name: 'short', expires_at })
    assert.equal((await bearer(short.secret).ask('GET', '/server')).status, 200)
    await HANDED.pass(LIFE_MS)
    assertError(await bearer(short.secret).ask('GET', '/server'), 401, 'signed_out')
  })

  it('is not interchangeable with other kinds of secret', async () => {
    const { id } = await post('/organizations', { name: 'Kinds' })
    const { secret: key } = await post(`/organizations/${id}/keys`, { name: 'x' })
    const { secret: feed } = await post(`/organizations/${id}/feed-tokens`, { name: 'x' })
    const { secret: token } = await post('/tokens', { role: 'operator', name: 'x' })
    const session = operator.headers.cookie!.split('=')[1]!
    const { setup } = await console.server.secrets()
    for (const secret of [key, feed, session, secretOf(setup), 'x', '', `${token}x`]) {
      for (const headers of [
        { authorization: `Bearer ${secret}` },
        { 'x-api-key': secret },
        { authorization: secret },
        ...(secret === session ? [] : [{ cookie: `fleetgate_session=${secret}` }]),
      ] as Record<string, string>[]) {
        assertError(await ask(origin(), 'GET', '/server', { headers }), 401, 'signed_out')
      }
    }
    for (const headers of [{ 'x-api-key': token }, { authorization: `Basic ${token}` }] as Record<
      string,
      string
    >[]) {
      assertError(await ask(origin(), 'GET', '/server', { headers }), 401, 'signed_out')
    }
    for (const secret of [token, session, feed]) {
      assert.equal((await byKey(secret)).status, 401)
      const headers = { 'x-feed-token': secret }
      const sent = { method: 'POST', body: '[]', headers }
      const { status } = await request(server.feed, `${FEED_PREFIX}/positions`, sent)
      assert.equal(status === 401, secret !== feed)
    }
    resultOf(await byKey(key))
  })
})

describe('The server', () => {
  it('reports its addresses and its capabilities', async () => {
    const { version, now, api_url, feed_url, map, languages, time_zones } = await get('/server')
    assert.match(version, /^\d+\.\d+\.\d+/)
    assert.ok(near(now))
    assert.deepEqual([api_url, feed_url], [server.api, server.feed])
    assert.deepEqual(map, { tiles_url: null, tiles_file: null, attribution: null })
    assert.ok(languages.includes('en'))
    assert.ok(time_zones.includes('UTC') && time_zones.includes('Europe/Madrid'))
  })

  it('serves its description to everybody, and accepts changes from nobody', async () => {
    const { headers, json } = await request(origin(), '/admin/v1/openapi.json')
    assert.match(String(headers['content-type']), /^application\/json/)
    assert.equal(json.openapi, '3.1.0')
    const deleted = await request(origin(), '/admin/v1/openapi.json', {
      method: 'DELETE',
      headers: { origin: origin() },
    })
    assert.ok([404, 405].includes(deleted.status))
  })
})
