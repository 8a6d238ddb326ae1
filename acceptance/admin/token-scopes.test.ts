import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request as requestTo } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import {
  ADMIN,
  assertError,
  DESCRIPTION,
  type Described,
  done,
  OPERATIONS,
  operatorBy,
  startConsole,
} from '../harness/admin.ts'
import type { Json } from '../harness/fleetgate.ts'
import { comparable, owned, targetOf } from '../harness/owned.ts'

const console = await startConsole()
const { operator, origin } = console
const { get, post } = operator
const HOUR_MS = 3_600_000

const [own, foreign] = [await owned(operator, 'Own'), await owned(operator, 'Foreign')]
const at = `/organizations/${own.organization}`
const MISSING = 9_007_199_254_740_991

const by = (secret: string) => operatorBy(origin, { authorization: `Bearer ${secret}` })
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()

/** The settings that an organization's own token may change. */
const OWN = {
  name: 'Own organization, renamed',
  distance_unit: 'mi',
  language: 'de',
  create_objects: true,
  signal_timeout_hours: 6,
  time_zone: 'Europe/Madrid',
  maximum_gap: 90,
  future_tolerance: 20,
  maximum_age: 30,
  correct_rollover: true,
  keys_need_purpose: true,
}
/** The own settings require it of each key. */
const GRANT = { recipient: 'Insurer Ltd', purpose: 'Claims' }
/** The limits of an organization, and a change of each. */
const LIMITED = {
  subscription: 'suspended',
  daily_quota: 5,
  window_requests: 20,
  max_objects: 50,
  max_places: 50,
  max_vertices: 500,
  retention_days: 30,
}
const RAISED = {
  subscription: 'active',
  daily_quota: null,
  window_requests: 21,
  max_objects: 51,
  max_places: 51,
  max_vertices: 501,
  retention_days: 31,
}

type Body = { scope?: string; organization?: number; expires_at?: string }

/** A program with a token that the console issues. */
async function program(body: Body = {}, issuer = operator) {
  const { token, secret } = await issuer.post('/tokens', { name: 'a program', ...body })
  return { ...by(secret), token, id: token.id as number }
}

const organizationToken = (more: Body = {}) =>
  program({ scope: 'organization', organization: own.organization, ...more })

describe('A token', () => {
  it('issues no token that outlives it', async () => {
    const expires_at = inMs(HOUR_MS)
    const short = await program({ expires_at })
    for (const beyond of [{}, { expires_at: null }, { expires_at: inMs(HOUR_MS + 60_000) }]) {
      const body = { name: 'without end', ...beyond }
      assertError(await short.ask('POST', '/tokens', { body }), 403, 'beyond_issuer', 'expires_at')
    }
    const { token } = await short.post('/tokens', { name: 'as long', expires_at })
    assert.deepEqual([token.expires_at, token.issuer], [expires_at, short.id])
  })

  it('takes the tokens that it issued along when it is revoked', async () => {
    const first = await program()
    const second = await program({}, first)
    const third = await program({ scope: 'read' }, second)
    const other = await program()
    await operator.delete(`/tokens/${first.id}`)
    for (const ended of [first, second, third]) {
      assertError(await ended.ask('GET', '/organizations'), 401, 'signed_out')
    }
    await other.get('/organizations')
    const left: Json[] = (await get('/tokens')).items
    const ids = left.map(({ id }) => id)
    assert.ok(ids.includes(other.id))
    for (const { id } of [first, second, third]) assert.ok(!ids.includes(id))
    const entries: Json[] = (await get('/audit?limit=3')).items
    assert.deepEqual(
      entries.map(({ action, target }) => [action, target]).sort(),
      [first, second, third].map(({ id }) => ['token.revoke', id]).sort(),
    )
  })

  it('does nothing if it is revoked before its request body is complete', async () => {
    const holder = await program()
    const body = JSON.stringify({ name: 'too late' })
    const sent = requestTo(`${origin()}${ADMIN}${at}/keys`, {
      method: 'POST',
      headers: { ...holder.headers, 'content-length': body.length, expect: '100-continue' },
    })
    sent.flushHeaders()
    // The server has checked the token and waits for the body.
    await once(sent, 'continue')
    await operator.delete(`/tokens/${holder.id}`)
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    assert.equal(answer.statusCode, 401, await text(answer))
    const names = (await get(`${at}/keys`)).items.map(({ name }: Json) => name)
    assert.ok(!names.includes('too late'))
  })

  it('is distinguished in the audit log from another one of the same name', async () => {
    const manager = await organizationToken()
    const namesake = await program({}, manager)
    for (const { id, post } of [manager, namesake]) {
      const { credential } = await post(`${at}/keys`, { name: 'x' })
      const [{ actor, target }] = (await get('/audit?limit=1')).items
      assert.deepEqual([actor, target], [`token ${id} a program`, credential.id])
    }
  })

  it('for an organization issues tokens for that organization alone', async () => {
    const manager = await organizationToken()
    for (const [body, field] of [
      [{ scope: 'all' }, 'scope'],
      [{ scope: 'read' }, 'scope'],
      [{ scope: 'organization', organization: foreign.organization }, 'organization'],
      [{ scope: 'organization', organization: MISSING }, 'organization'],
      [{ organization: foreign.organization }, 'organization'],
    ] as const) {
      const answer = await manager.ask('POST', '/tokens', { body: { name: 'x', ...body } })
      assertError(answer, 403, 'beyond_issuer', field)
    }
    for (const body of [{}, { scope: 'organization' }, { organization: own.organization }]) {
      const { token } = await program(body, manager)
      assert.deepEqual([token.scope, token.organization], ['organization', own.organization])
    }
  })

  it('for an organization sees and revokes the tokens that it issued, and itself', async () => {
    const other = await organizationToken()
    const manager = await organizationToken()
    const issued = await program({}, manager)
    const below = await program({}, issued)
    const ids = (await manager.get('/tokens')).items.map(({ id }: Json) => id)
    assert.deepEqual(ids, [manager.id, issued.id, below.id])
    const missing = await manager.ask('DELETE', `/tokens/${MISSING}`)
    assertError(missing, 404, 'not_found')
    assert.equal(
      comparable(await manager.ask('DELETE', `/tokens/${other.id}`)),
      comparable(missing),
    )
    assert.equal(
      comparable(await issued.ask('DELETE', `/tokens/${manager.id}`)),
      comparable(missing),
    )
    await manager.delete(`/tokens/${issued.id}`)
    assertError(await below.ask('GET', at), 401, 'signed_out')
    await manager.delete(`/tokens/${manager.id}`)
    assertError(await manager.ask('GET', at), 401, 'signed_out')
  })

  it('for an organization imports a foreign id as it does a missing one: with a new id', async () => {
    const manager = await organizationToken()
    const summaries: Json[] = []
    for (const id of [foreign.sites, 2 ** 52]) {
      const name = `Imported ${id}`
      const body = JSON.stringify({ id, name, latitude: 1, longitude: 2 })
      const headers = { 'content-type': 'application/x-ndjson' }
      summaries.push(done(await manager.ask('POST', `${at}/import/sites`, { body, headers })))
      const made = (await get(`${at}/sites`)).items.find((each: Json) => each.name === name)
      assert.ok(made.id < 1_000_000, `${made.id} for ${id}`)
    }
    assert.deepEqual(summaries[0].notes, [
      'rows with an id that the organization does not have were given new ids',
    ])
    assert.deepEqual(summaries[1], summaries[0])
  })

  it('for an organization changes none of what limits the organization', async () => {
    const manager = await organizationToken()
    const limits: Json = await operator.patch(at, LIMITED)
    for (const [field, value] of Object.entries(RAISED)) {
      const body = { name: 'Renamed', [field]: value }
      const answer = await manager.ask('PATCH', at, { body })
      assertError(answer, 403, 'beyond_scope', field)
      assert.match(answer.json.message, new RegExp(`^${field} `))
    }
    assertError(await manager.ask('DELETE', at), 403, 'beyond_scope')
    const { updated_at, ...kept } = await operator.get(at)
    for (const field of Object.keys(limits)) {
      if (field !== 'updated_at') assert.equal(kept[field], limits[field], field)
    }
    assert.equal(updated_at, limits.updated_at)
  })

  it('for an organization changes each of its other settings', async () => {
    const manager = await organizationToken()
    for (const [field, value] of Object.entries(OWN)) {
      assert.equal((await manager.patch(at, { [field]: value }))[field], value)
    }
    const { properties } = DESCRIPTION.components.schemas.OrganizationPatch
    // A new setting has to be decided: put it into one of the two.
    assert.deepEqual(Object.keys(properties).sort(), Object.keys({ ...OWN, ...RAISED }).sort())
  })

  it('for an organization lowers the share of the window of a key, and does not raise it', async () => {
    const manager = await organizationToken()
    const scope = { window_share: 5 }
    const { credential } = await operator.post(`${at}/keys`, { name: 'shared', scope, ...GRANT })
    const key = `${at}/keys/${credential.id}`
    for (const raised of [{ window_share: 6 }, { window_share: null }, { objects: null }, null]) {
      const answer = await manager.ask('PATCH', key, { body: { scope: raised } })
      assertError(answer, 403, 'beyond_scope', 'window_share')
    }
    const lowered = await manager.patch(key, { scope: { window_share: 4 } })
    assert.equal(lowered.scope.window_share, 4)
    assert.equal((await operator.patch(key, { scope: { window_share: 6 } })).scope.window_share, 6)
  })

  it('for an organization ends with the organization', async () => {
    const { id } = await post('/organizations', { name: 'Short' })
    const manager = await program({ scope: 'organization', organization: id })
    await operator.delete(`/organizations/${id}`)
    assertError(await manager.ask('GET', '/organizations'), 401, 'signed_out')
    assert.ok(!(await get('/tokens')).items.some((each: Json) => each.id === manager.id))
  })

  it('is only issued with an existing scope, for an existing organization', async () => {
    for (const [body, field] of [
      [{ scope: 'write' }, 'scope'],
      [{ scope: 'organization' }, 'organization'],
      [{ scope: 'organization', organization: MISSING }, 'organization'],
      [{ scope: 'read', organization: own.organization }, 'organization'],
      [{ organization: own.organization }, 'organization'],
    ] as const) {
      const answer = await operator.ask('POST', '/tokens', { body: { name: 'x', ...body } })
      assertError(answer, 400, 'invalid', field)
    }
    const { token } = await program()
    assert.deepEqual([token.scope, token.organization, token.issuer], ['all', null, null])
  })
})

/** A body that every operation rejects: a call that the scope allows changes nothing. */
const NOTHING = JSON.stringify({ nothing: 'known' })

/** Operations on the organization itself, which a token for it may call too. */
const ORGANIZATION_TOO = [
  'listOrganizations',
  'listAudit',
  'listTokens',
  'issueToken',
  'revokeToken',
]
/** Operations that would end the token itself, or delete the data of the tests. */
const ENDING = ['signOut', 'deleteOrganization', 'deleteObject', 'deleteGeofence', 'deleteRoute']
ENDING.push('deleteSite', 'revokeKey', 'revokeFeedToken', 'recomputeObject', 'deleteWebhook')

const isAllowed: Record<string, (operation: Described) => boolean> = {
  read: ({ method }) => method === 'GET',
  organization: ({ id, path }) =>
    (path.startsWith('/organizations/{organization}') && id !== 'deleteOrganization') ||
    ORGANIZATION_TOO.includes(id),
  all: () => true,
}

describe('Every operation', () => {
  for (const scope of Object.keys(isAllowed)) {
    it(`is allowed or refused as its description says for scope '${scope}'`, async () => {
      const organization = scope === 'organization' ? own.organization : undefined
      const holder = await program({ scope, ...(organization && { organization }) })
      for (const operation of OPERATIONS.filter(({ isOpen }) => !isOpen)) {
        const { id, method, takes, scopes } = operation
        const allowed = isAllowed[scope]!(operation)
        assert.equal(scopes.includes(scope), allowed, id)
        if (allowed && ENDING.includes(id)) continue
        const body = takes === undefined ? undefined : NOTHING
        // A GET of the live stream would not end.
        const asked = id === 'watchObjects' ? 'HEAD' : method
        const answer = await holder.ask(asked, targetOf(operation, own, MISSING), { body })
        if (!allowed) assertError(answer, 403, 'beyond_scope')
        else assert.ok(![401, 403].includes(answer.status), `${id}: ${answer.text}`)
      }
    })
  }

  it('gives a token for an organization the same answer for a foreign and a missing id', async () => {
    const manager = await organizationToken()
    const missing = { ...own, organization: MISSING }
    const ofOrganizations = OPERATIONS.filter(({ path }) => path.includes('{organization}'))
    for (const operation of ofOrganizations.filter(isAllowed.organization!)) {
      const { method, takes, id } = operation
      for (const body of takes === undefined ? [undefined] : [NOTHING, '{', '{"name":"x"}']) {
        const answers = []
        for (const things of [foreign, { ...foreign, organization: MISSING }, missing]) {
          answers.push(await manager.ask(method, targetOf(operation, things, 1), { body }))
        }
        for (const answer of answers) assertError(answer, 404, 'not_found')
        assert.deepEqual(answers.map(comparable), Array(3).fill(comparable(answers[0]!)), id)
      }
    }
  })

  it('shows a token for an organization nothing of another one', async () => {
    const manager = await organizationToken()
    await program({ scope: 'organization', organization: foreign.organization })
    for (const operation of OPERATIONS.filter(({ method }) => method === 'GET')) {
      if (operation.id === 'watchObjects' || !isAllowed.organization!(operation)) continue
      const answer = await manager.ask('GET', targetOf(operation, own, 1))
      done(answer)
      assert.ok(!answer.text.includes('Foreign'), `${operation.id}: ${answer.text}`)
    }
    const ids = async (path: string) =>
      (await manager.get(path)).items.map((each: Json) => each.organization ?? each.id)
    assert.deepEqual(await ids('/organizations'), [own.organization])
    assert.deepEqual(await ids('/organizations?search=Foreign'), [])
    assert.deepEqual(await ids(`/organizations?search=${foreign.organization}`), [])
    assert.deepEqual(new Set(await ids('/audit?limit=500')), new Set([own.organization]))
    for (const other of [foreign.organization, 999_999]) {
      const nothing = await manager.get(`/audit?organization=${other}`)
      assert.deepEqual(nothing, { items: [], next: null })
    }
  })
})
