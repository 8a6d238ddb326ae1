import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { describe, it } from 'node:test'
import { jsonHere } from '../../../packages/server/testing/command-line/run-here.ts'
import {
  ADA,
  ask,
  assertError,
  cookieOf,
  done,
  EMAIL,
  operatorBy,
  PASSWORD,
  secretOf,
  startConsole,
} from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import { INSTANT } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { LISTED, owned } from '../harness/owned.ts'

const console = await startConsole()
const { operator, origin, deployment } = console
const { get, post, patch } = operator
/** Every secret that was shown during the tests. */
const { setup } = await console.server.secrets()
const secrets = [secretOf(setup), operator.headers.cookie!.split('=')[1]!]
const FROM_HERE = { address: { to: '127.0.0.1' } }
const newest = async (limit = 1): Promise<Json[]> => (await get(`/audit?limit=${limit}`)).items

/** The audit entry that a change writes, without its id and time. */
async function left(change: () => Promise<unknown>): Promise<Json> {
  const [before] = await newest()
  await change()
  const [{ id, at, ...entry }, previous] = await newest(2)
  assert.equal(previous?.id ?? null, before?.id ?? null, 'one change, one entry')
  assert.match(at, INSTANT)
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000)
  return entry
}

describe('The audit log', async () => {
  it('starts with the first operator', async () => {
    const entries = await newest(3)
    assert.deepEqual(
      entries.map(({ action, actor, changes }) => ({ action, actor, changes })),
      [
        { action: 'session.sign_in', actor: ADA, changes: FROM_HERE },
        {
          action: 'invitation.accept',
          actor: ADA,
          changes: { roles: { to: 'operator' }, ...FROM_HERE },
        },
      ],
    )
  })

  it('records a change: actor, action, target, old and new value', async () => {
    const { id } = await post('/organizations', { name: 'Acme' })
    const change = { daily_quota: 5, language: 'en', name: 'Acme 2' }
    assert.deepEqual(await left(() => patch(`/organizations/${id}`, change)), {
      actor: ADA,
      action: 'organization.update',
      ...{ organization: id, target: id, name: 'Acme 2' },
      changes: { daily_quota: { from: null, to: 5 }, name: { from: 'Acme', to: 'Acme 2' } },
    })
  })

  it('has one entry for each change of anything', async () => {
    const { organization, object, geofences } = await owned(operator, 'Audited')
    const at = `/organizations/${organization}`
    const { credential } = await post(`${at}/keys`, { name: 'k' })
    const { credential: feed } = await post(`${at}/feed-tokens`, { name: 'f' })
    const { token } = await post('/tokens', { role: 'operator', name: 't' })
    const password = { current: PASSWORD, next: `${PASSWORD} 2` }
    const named = { name: 'another' }
    const accuracy = { maximum_hdop: 4 }
    for (const [method, path, body, action] of [
      ['POST', `${at}/keys`, named, 'key.issue'],
      ['PATCH', `${at}/keys/${credential.id}`, { scope: { window_share: 3 } }, 'key.update'],
      ['POST', `${at}/keys/${credential.id}/rotate`, { overlap_hours: 1 }, 'key.rotate'],
      ['POST', `${at}/keys/${credential.id}/revoke`, undefined, 'key.revoke'],
      ['POST', `${at}/feed-tokens`, named, 'feed_token.issue'],
      ['POST', `${at}/feed-tokens/${feed.id}/rotate`, { overlap_hours: 1 }, 'feed_token.rotate'],
      ['POST', `${at}/feed-tokens/${feed.id}/revoke`, undefined, 'feed_token.revoke'],
      ['POST', `${at}/objects`, { ...named, ident: 'i' }, 'object.create'],
      ['PATCH', `${at}/objects/${object}`, { accuracy }, 'object.update'],
      ['DELETE', `${at}/objects/${object}`, undefined, 'object.delete'],
      ['POST', `${at}/sites`, { ...named, ...LISTED.sites }, 'site.create'],
      ['PATCH', `${at}/geofences/${geofences}`, named, 'geofence.update'],
      ['DELETE', `${at}/geofences/${geofences}`, undefined, 'geofence.delete'],
      ['POST', '/tokens', { ...named, role: 'support' }, 'token.issue'],
      ['DELETE', `/tokens/${token.id}`, undefined, 'token.revoke'],
      ['PUT', '/password', password, 'person.change_password'],
      ['DELETE', at, undefined, 'organization.delete'],
    ] as const) {
      const entry = await left(async () => {
        const made = done(await operator.ask(method, path, { body }))
        if (made?.secret !== undefined) secrets.push(made.secret)
      })
      assert.deepEqual([entry.action, entry.actor], [action, ADA])
    }
  })

  it('records neither a no-op nor a refused change', async () => {
    const { id } = await post('/organizations', { name: 'Same' })
    const { id: object } = await post(`/organizations/${id}/objects`, { name: 'a', ident: 'a' })
    const [before] = await newest()
    await patch(`/organizations/${id}`, { name: 'Same' })
    await patch(`/organizations/${id}/objects/${object}`, { ident: 'a', accuracy: {} })
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
    await post(`/organizations/${id}/objects/${object}/preview`, { accuracy: {}, ...range })
    const body = { name: 'b', daily_quota: -1 }
    assertError(await operator.ask('PATCH', `/organizations/${id}`, { body }), 400, 'invalid')
    const twice = { name: 'b', ident: 'a' }
    const taken = await operator.ask('POST', `/organizations/${id}/objects`, { body: twice })
    assertError(taken, 409, 'conflict')
    assertError(await operator.ask('DELETE', `/organizations/${id}999`), 404, 'not_found')
    assert.deepEqual(await newest(), [before])
  })

  it('records a token by its id and name, and the command line as an actor', async () => {
    const { secret, token } = await post('/tokens', { role: 'operator', name: 'Night job' })
    secrets.push(secret)
    const program = operatorBy(origin, { authorization: `Bearer ${secret}` })
    const entry = await left(() => program.post('/organizations', { name: 'By a token' }))
    assert.deepEqual(
      [entry.actor, entry.action],
      [`token ${token.id} Night job`, 'organization.create'],
    )
    const place = deployment.args
    const org = await jsonHere(['org', 'create', '--name', 'By hand', ...place])
    const [made] = await newest()
    assert.deepEqual(
      [made.actor, made.action, made.target],
      [`command line, user ${userInfo().username}`, 'organization.create', org.id],
    )
    const { key } = await jsonHere(['key', 'issue', '--org', String(org.id), ...place])
    secrets.push(key)
    assert.deepEqual(
      [(await newest())[0].action, (await newest())[0].organization],
      ['key.issue', org.id],
    )
  })

  it('is paged, also of one organization, and outlives the organization', async () => {
    const { id } = await post('/organizations', { name: 'Pages' })
    for (let i = 0; i < 5; i++) await patch(`/organizations/${id}`, { daily_quota: i })
    await operator.delete(`/organizations/${id}`)
    const all = (await get(`/organizations/${id}/audit`)).items
    assert.equal(all.length, 7)
    const paged: Json[] = []
    let next: number | null = null
    do {
      const page: Json = await get(
        `/organizations/${id}/audit?limit=3${next === null ? '' : `&before=${next}`}`,
      )
      paged.push(...page.items)
      next = page.next
    } while (next !== null)
    assert.deepEqual(paged, all)
    assert.deepEqual(
      all.map((each: Json) => each.id),
      all.map((each: Json) => each.id).sort((a: number, b: number) => b - a),
    )
  })

  it('holds no secret, and neither does the log', async () => {
    const { server } = console
    const body = { email: EMAIL, password: `${PASSWORD} 2` }
    const headers = { origin: origin() }
    secrets.push(
      cookieOf(await ask(origin(), 'POST', '/session', { headers, body })).split('=')[1]!,
    )
    const listed = JSON.stringify(await get('/audit?limit=500'))
    assert.match(listed, /organization\.create/)
    const reset = await jsonHere(['people', 'reset', EMAIL, ...deployment.args])
    secrets.push(secretOf(reset.link))
    for (const secret of secrets) {
      await request(origin(), `/admin/v1/${secret}?token=${secret}`, {
        headers: { cookie: secret },
      })
      await request(origin(), `/setup?${secret}`)
      await request(server.api, `/public/v1/objects?key=${secret}`)
      const token = { token: secret, password: 'short' }
      assertError(await ask(origin(), 'POST', '/setup', { headers, body: token }), 400, 'invalid')
    }
    await server.stop()
    const all = [listed, JSON.stringify(server.log)].join('\n')
    const own = [...secrets, PASSWORD, `${PASSWORD} 2`]
    for (const secret of own) assert.ok(!all.includes(secret), secret.slice(0, 8))
    assert.doesNotMatch(all, /scrypt\$/)
  })
})
