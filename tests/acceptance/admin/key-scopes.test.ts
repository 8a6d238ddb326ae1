import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertError, startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'

const { operator, server } = await startConsole()
const { get, post, patch } = operator

const at = `/organizations/${(await post('/organizations', { name: 'Scoped' })).id}`
const newObject = async (ident: string): Promise<number> =>
  (await post(`${at}/objects`, { name: ident, ident })).id
const [one, two] = [await newObject('scoped 1'), await newObject('scoped 2')]
const WHOLE = {
  operations: null,
  objects: null,
  data_from: null,
  data_until: null,
  window_share: null,
}
const newest = async (): Promise<Json> => (await get('/audit?limit=1')).items[0]

describe('The scope of a key in the admin API', () => {
  it('is given to a new key, changed, removed, listed, and audited', async () => {
    const given = { operations: ['detail', 'objects'], objects: [two, one], window_share: 4 }
    const { credential, secret } = await post(`${at}/keys`, { name: 'Broker', scope: given })
    const issued = { ...WHOLE, ...given, operations: ['objects', 'detail'], objects: [one, two] }
    assert.deepEqual(credential.scope, issued)
    assert.deepEqual((await newest()).changes.window_share, { from: null, to: 4 })

    const ask = (path: string) =>
      request(server.api, PREFIX + path, { headers: { 'x-api-key': secret } })
    assert.equal((await ask(`/objects/${two}`)).status, 200)
    const key = `${at}/keys/${credential.id}`
    const scope = { objects: [one], data_until: '2026-12-31' }
    const changed = await patch(key, { scope })
    const until = '2026-12-31T23:59:59.999Z'
    assert.deepEqual(changed.scope, { ...WHOLE, objects: [one], data_until: until })
    assert.equal((await ask(`/objects/${two}`)).status, 404)
    const { action, target, changes } = await newest()
    assert.deepEqual([action, target], ['key.update', credential.id])
    assert.deepEqual(changes.objects, { from: [one, two], to: [one] })
    assert.deepEqual(changes.data_until, { from: null, to: until })

    assert.equal((await patch(key, { scope: null })).scope, null)
    assert.equal((await ask(`/objects/${two}`)).status, 200)
    const { items } = await get(`${at}/keys`)
    assert.deepEqual(
      items.map((each: Json) => each.scope),
      [null],
    )
  })

  it('has several grants instead of objects, times and attributes', async () => {
    const grants = [
      { objects: [two, one], from: '2026-11-20', until: '2026-11-21T08:00:00Z' },
      { from: '2026-12-01' },
    ]
    const { credential } = await post(`${at}/keys`, { name: 'Shipper', scope: { grants } })
    const from = '2026-11-20T00:00:00.000Z'
    const until = '2026-11-21T08:00:00.000Z'
    const all = { objects: null, until: null, attributes: null }
    assert.deepEqual(credential.scope, {
      operations: null,
      grants: [
        { objects: [one, two], from, until, attributes: null },
        { ...all, from: '2026-12-01T00:00:00.000Z' },
      ],
      window_share: null,
    })
    const key = `${at}/keys/${credential.id}`
    for (const [scope, rule] of [
      [{ grants, objects: [one] }, /cannot be combined/],
      [{ grants: [{ ...grants[0], until: '2026-11-01' }] }, /later than its until, in grant 1/],
      [{ grants: [{}, { objects: [] }] }, /grant 2: objects/],
      [{ grants: [{ share: 1 }] }, /grant 1: share is not a known field/],
      [{ grants: [grants[0], { objects: [987_654] }] }, /it has no 987654/],
    ] as const) {
      const { status, json } = await operator.ask('PATCH', key, { body: { scope } })
      assert.deepEqual([status, json.code], [400, 'invalid'])
      assert.match(json.message, rule)
    }
    const only = await patch(key, { scope: { grants: grants.slice(0, 1) } })
    assert.deepEqual(only.scope.objects, [one, two])
    assert.equal(only.scope.data_until, until)
  })

  it('is not given to a test key, which has a scenario instead', async () => {
    const { credential, secret } = await post(`${at}/keys`, { name: 'CI', scenario: 'limited' })
    assert.match(secret, /^fg_test_/)
    assert.deepEqual([credential.scope, credential.scenario], [null, 'limited'])
    assert.deepEqual((await newest()).changes, { scenario: { to: 'limited' } })
    const headers = { 'x-api-key': secret }
    assert.equal((await request(server.api, `${PREFIX}/objects`, { headers })).status, 429)
    const scope = { operations: ['objects'] }
    const both = await operator.ask('POST', `${at}/keys`, {
      body: { name: 'CI', scenario: 'slow', scope },
    })
    assertError(both, 400, 'invalid', 'scope')
    // No object of the organization, but one of the simulated fleet.
    const simulated = await operator.ask('POST', `${at}/keys`, {
      body: { name: 'CI', scenario: 'slow', scope: { objects: [1] } },
    })
    assertError(simulated, 400, 'invalid', 'scope')
    const unknown = await operator.ask('POST', `${at}/keys`, {
      body: { name: 'CI', scenario: 'perfect' },
    })
    assertError(unknown, 400, 'invalid', 'scenario')
    const later = await operator.ask('PATCH', `${at}/keys/${credential.id}`, { body: { scope } })
    assertError(later, 409, 'conflict')
    const token = await post(`${at}/feed-tokens`, { name: 'x' })
    assert.equal(token.credential.scenario, null)
  })

  it('is refused with the field and the rule', async () => {
    const foreign = (await post('/organizations', { name: 'Other' })).id
    const other = await post(`/organizations/${foreign}/objects`, { name: 'a', ident: 'a' })
    for (const [scope, field] of [
      [{ objects: [other.id] }, 'objects'],
      [{ objects: ['1'] }, 'objects'],
      [{ window_share: 11 }, 'window_share'],
      [{ data_from: 'soon' }, 'data_from'],
      [{ data_from: '2026-12-31', data_until: '2026-12-30' }, 'data_from'],
      ['all', 'scope'],
    ] as const) {
      const refused = await operator.ask('POST', `${at}/keys`, { body: { name: 'a', scope } })
      assertError(refused, 400, 'invalid', field)
    }
    const { credential } = await post(`${at}/keys`, { name: 'a' })
    const name = await operator.ask('PATCH', `${at}/keys/${credential.id}`, { body: { name: 'b' } })
    assertError(name, 400, 'invalid', 'name')
    const missing = await operator.ask('PATCH', `${at}/keys/9999999`, { body: { scope: null } })
    assertError(missing, 404, 'not_found')
    const token = await operator.ask('POST', `${at}/feed-tokens`, {
      body: { name: 'a', scope: null },
    })
    assertError(token, 400, 'invalid', 'scope')
  })
})
