import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request as requestTo } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import {
  ADMIN,
  assertError,
  DESCRIPTION,
  done,
  type Operator,
  startConsole,
} from '../harness/admin.ts'
import type { Json } from '../harness/fleetgate.ts'
import { comparable, owned } from '../harness/owned.ts'
import { newPerson, newProgram } from '../harness/people.ts'

const console = await startConsole()
const { operator, origin } = console
const { get, post } = operator
const HOUR_MS = 3_600_000

const [own, foreign] = [await owned(operator, 'Own'), await owned(operator, 'Foreign')]
const at = `/organizations/${own.organization}`
const MISSING = 9_007_199_254_740_991

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
const DISCLOSEE = { recipient: 'Insurer Ltd', purpose: 'Claims' }
/** The limits of an organization, and a change of each. */
const LIMITED = {
  subscription: 'suspended',
  daily_quota: 5,
  window_requests: 20,
  max_objects: 50,
  max_places: 50,
  max_vertices: 500,
  retention_days: 30,
  disclosure_days: 90,
}
const RAISED = {
  subscription: 'active',
  daily_quota: null,
  window_requests: 21,
  max_objects: 51,
  max_places: 51,
  max_vertices: 501,
  retention_days: 31,
  disclosure_days: 91,
}

const program = (more: object = {}, issuer: Operator = operator, role = 'operator') =>
  newProgram(origin, issuer, role, null, more)

const organizationToken = (role = 'administrator', issuer: Operator = operator) =>
  newProgram(origin, issuer, role, own.organization)

describe('A token', () => {
  it('issues no token that outlives it', async () => {
    const expires_at = inMs(HOUR_MS)
    const short = await program({ expires_at })
    for (const beyond of [{}, { expires_at: null }, { expires_at: inMs(HOUR_MS + 60_000) }]) {
      const body = { name: 'without end', role: 'operator', ...beyond }
      assertError(await short.ask('POST', '/tokens', { body }), 403, 'beyond_issuer', 'expires_at')
    }
    const { token } = await short.post('/tokens', { name: 'as long', role: 'operator', expires_at })
    assert.deepEqual([token.expires_at, token.issuer], [expires_at, short.id])
  })

  it('takes the tokens that it issued along when it is revoked', async () => {
    const first = await program()
    const second = await program({}, first)
    const third = await program({}, second, 'support')
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
    const namesake = await organizationToken('administrator', manager)
    for (const { id, post } of [manager, namesake]) {
      const { credential } = await post(`${at}/keys`, { name: 'x' })
      const [{ actor, target }] = (await get('/audit?limit=1')).items
      assert.deepEqual([actor, target], [`token ${id} a program`, credential.id])
    }
  })

  it('issues none that may do more than itself', async () => {
    const support = await program({}, operator, 'support')
    const viewer = await organizationToken('viewer')
    const body = { name: 'x', role: 'viewer' }
    for (const holder of [support, viewer]) {
      assertError(await holder.ask('POST', `${at}/tokens`, { body }), 403, 'beyond_role')
    }
    const manager = await organizationToken()
    for (const role of ['administrator', 'viewer']) {
      const { token } = await newProgram(origin, manager, role, own.organization)
      assert.deepEqual(
        [token.role, token.organization, token.issuer],
        [role, own.organization, manager.id],
      )
    }
    for (const role of ['operator', 'support']) {
      const wrong = { name: 'x', role }
      const refused = await manager.ask('POST', `${at}/tokens`, { body: wrong })
      assertError(refused, 400, 'invalid', 'role')
      assertError(await manager.ask('POST', '/tokens', { body: wrong }), 403, 'beyond_role')
    }
  })

  it('works only as long as the person who issued it may do as much', async () => {
    const person = await newPerson(origin, operator, 'administrator', own.organization)
    const holder = await organizationToken('administrator', person)
    const below = await organizationToken('viewer', holder)
    assert.deepEqual([holder.token.issued_by, below.token.issued_by], [person.id, person.id])
    await operator.patch(`${at}/people/${person.id}`, { role: 'viewer' })
    assertError(await holder.ask('GET', at), 401, 'signed_out')
    await below.get(at)
    await operator.patch(`${at}/people/${person.id}`, { is_disabled: true })
    assertError(await below.ask('GET', at), 401, 'signed_out')
    await operator.patch(`${at}/people/${person.id}`, { role: 'administrator', is_disabled: false })
    for (const each of [holder, below]) await each.get(at)
  })

  it('for an organization lists and revokes those of the organization', async () => {
    const manager = await organizationToken()
    const other = await organizationToken()
    const elsewhere = await newProgram(origin, operator, 'viewer', foreign.organization)
    const listed = (await manager.get(`${at}/tokens`)).items
    const ids = listed.map(({ id }: Json) => id)
    assert.ok(ids.includes(manager.id) && ids.includes(other.id) && !ids.includes(elsewhere.id))
    const missing = await manager.ask('DELETE', `${at}/tokens/${MISSING}`)
    assertError(missing, 404, 'not_found')
    const refused = await manager.ask('DELETE', `${at}/tokens/${elsewhere.id}`)
    assert.equal(comparable(refused), comparable(missing))
    await manager.delete(`${at}/tokens/${other.id}`)
    assertError(await other.ask('GET', at), 401, 'signed_out')
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
      'rows with an id that does not exist in the organization got new ids',
    ])
    assert.deepEqual(summaries[1], summaries[0])
  })

  it('for an organization changes none of what limits the organization', async () => {
    const manager = await organizationToken()
    const limits: Json = await operator.patch(at, LIMITED)
    for (const [field, value] of Object.entries(RAISED)) {
      const body = { name: 'Renamed', [field]: value }
      const answer = await manager.ask('PATCH', at, { body })
      assertError(answer, 403, 'beyond_role', field)
      assert.match(answer.json.message, new RegExp(`^${field} `))
    }
    assertError(await manager.ask('DELETE', at), 403, 'beyond_role')
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
    const { credential } = await operator.post(`${at}/keys`, {
      name: 'shared',
      scope,
      ...DISCLOSEE,
    })
    const key = `${at}/keys/${credential.id}`
    for (const raised of [{ window_share: 6 }, { window_share: null }, { objects: null }, null]) {
      const answer = await manager.ask('PATCH', key, { body: { scope: raised } })
      assertError(answer, 403, 'beyond_role', 'window_share')
    }
    const lowered = await manager.patch(key, { scope: { window_share: 4 } })
    assert.equal(lowered.scope.window_share, 4)
    assert.equal((await operator.patch(key, { scope: { window_share: 6 } })).scope.window_share, 6)
  })

  it('for an organization ends with the organization', async () => {
    const { id } = await post('/organizations', { name: 'Short' })
    const manager = await newProgram(origin, operator, 'administrator', id)
    await operator.delete(`/organizations/${id}`)
    assertError(await manager.ask('GET', '/organizations'), 401, 'signed_out')
    assert.ok(!(await get('/tokens')).items.some((each: Json) => each.id === manager.id))
  })

  it('is only issued with a role of its place, for an existing organization', async () => {
    for (const role of ['read', 'administrator', '', null]) {
      const answer = await operator.ask('POST', '/tokens', { body: { name: 'x', role } })
      assertError(answer, 400, 'invalid', 'role')
    }
    const body = { name: 'x', role: 'viewer' }
    const missing = await operator.ask('POST', `/organizations/${MISSING}/tokens`, { body })
    assertError(missing, 404, 'not_found')
  })
})
