import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertError, startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'

const { operator, server } = await startConsole()
const { get, post, patch } = operator
const at = `/organizations/${(await post('/organizations', { name: 'Disclosing' })).id}`
const DISCLOSEE = { recipient: 'Insurer Ltd', purpose: 'Claims' }
const newest = async (): Promise<Json> => (await get('/audit?limit=1')).items[0]
const keyOf = async (id: number): Promise<Json> =>
  (await get(`${at}/keys`)).items.find((each: Json) => each.id === id)

it('a recipient and a purpose are optional, kept by a rotation, changed and audited', async () => {
  const bare = (await post(`${at}/keys`, { name: 'Bare' })).credential
  assert.deepEqual([bare.recipient, bare.purpose, bare.lacks_purpose], [null, null, false])
  const { credential } = await post(`${at}/keys`, { name: 'Claims', ...DISCLOSEE })
  const to = { recipient: { from: null, to: 'Insurer Ltd' }, purpose: { from: null, to: 'Claims' } }
  assert.deepEqual((await newest()).changes, to)
  const scope = { operations: ['detail'] }
  await patch(`${at}/keys/${credential.id}`, { scope })
  const rotated = await post(`${at}/keys/${credential.id}/rotate`, { overlap_hours: 1 })
  const { id } = rotated.credential
  const changed = await patch(`${at}/keys/${id}`, { recipient: 'Broker & Sons' })
  assert.deepEqual([changed.recipient, changed.purpose], ['Broker & Sons', 'Claims'])
  assert.deepEqual(changed.scope.operations, ['detail'])
  const { action, target, changes } = await newest()
  assert.deepEqual([action, target], ['key.update', id])
  assert.deepEqual(changes, { recipient: { from: 'Insurer Ltd', to: 'Broker & Sons' } })
  assert.equal((await keyOf(credential.id)).recipient, 'Insurer Ltd', 'the old key stays as it is')
  assert.equal((await patch(`${at}/keys/${id}`, { recipient: null })).recipient, null)
  for (const [body, field] of [
    [{}, 'scope'],
    [{ recipient: '' }, 'recipient'],
    [{ purpose: 'a'.repeat(201) }, 'purpose'],
    [{ purpose: 7 }, 'purpose'],
  ] as const) {
    const refused = await operator.ask('PATCH', `${at}/keys/${id}`, { body })
    assertError(refused, 400, 'invalid', field)
  }
  const token = await operator.ask('POST', `${at}/feed-tokens`, {
    body: { name: 'a', ...DISCLOSEE },
  })
  assertError(token, 400, 'invalid', 'recipient')
})

it('an organization may require both of every key that opens data', async () => {
  const before = await post(`${at}/keys`, { name: 'Before' })
  const old = `${at}/keys/${before.credential.id}`
  await patch(at, { keys_need_purpose: true })
  const issue = (body: Json) => operator.ask('POST', `${at}/keys`, { body: { name: 'a', ...body } })
  assertError(await issue({}), 400, 'invalid', 'recipient')
  assertError(await issue({ recipient: 'Insurer Ltd' }), 400, 'invalid', 'purpose')
  assertError(await issue({ purpose: 'Claims' }), 400, 'invalid', 'recipient')
  assert.equal((await issue(DISCLOSEE)).status, 201)
  assert.equal((await issue({ scenario: 'standard' })).status, 201, 'a test key shows no data')
  await post(`${at}/feed-tokens`, { name: 'feed' })

  const headers = { 'x-api-key': before.secret }
  assert.equal((await request(server.api, `${PREFIX}/objects`, { headers })).status, 200)
  assert.equal((await keyOf(before.credential.id)).lacks_purpose, true)
  const rotation = { body: { overlap_hours: 0 } }
  assertError(await operator.ask('POST', `${old}/rotate`, rotation), 409, 'conflict', 'recipient')
  assert.equal((await patch(old, { scope: { window_share: 3 } })).lacks_purpose, true)
  const half = await operator.ask('PATCH', old, { body: { purpose: 'Claims' } })
  assertError(half, 400, 'invalid', 'recipient')
  assert.equal((await patch(old, DISCLOSEE)).lacks_purpose, false)
  const cleared = await operator.ask('PATCH', old, { body: { purpose: null } })
  assertError(cleared, 400, 'invalid', 'purpose')
  const next = (await post(`${old}/rotate`, { overlap_hours: 1 })).credential
  assert.deepEqual([next.recipient, next.purpose], ['Insurer Ltd', 'Claims'])
})
