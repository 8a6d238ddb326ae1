import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { jsonHere } from '../../../packages/server/testing/command-line/run-here.ts'
import { operatorBy, startConsole, useLink } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { newLink } from '../harness/owned.ts'
import { postRows } from '../harness/sender.ts'

const console = await startConsole()
const { operator, server, origin, deployment } = console
const { get, post, patch } = operator
const { id } = await post('/organizations', { name: 'Given', create_objects: true })
const at = `/organizations/${id}`
const today = new Date().toISOString().slice(0, 10)

const desk = async (): Promise<Json[]> => (await get(`${at}/desk`)).items
const oneOf = async (kind: string, name: string) =>
  (await desk()).find((each) => each.kind === kind && each.name === name)

const ACTIVE = { ended_at: null, expires_at: null, from: null, until: null, objects: null }
const UNREAD = { requests: 0, rows: 0, last_read: null }
const NOBODY = { recipient: null, purpose: null }

describe('The desk of an organization', () => {
  it('has a key with its recipient, its grants and what was read', async () => {
    const { secret: token } = await post(`${at}/feed-tokens`, { name: 'feed' })
    const row = { time_device: Date.now(), latitude: 41, longitude: 29 }
    await postRows(
      server.feed,
      token,
      ['van', 'truck'].map((ident) => ({ ...row, ident })),
    )
    const [van, truck] = (await get(`${at}/objects`)).items.map((each: Json) => each.id)
    const grants = [
      { objects: [van], from: '2026-11-01', until: '2026-11-02' },
      { objects: [van, truck], from: '2026-11-05', until: '2100-01-01' },
    ]
    const disclosee = { recipient: 'Insurer Ltd', purpose: 'Claims' }
    const issued = { name: 'Claims', ...disclosee, scope: { grants } }
    const { credential } = await post(`${at}/keys`, issued)
    const times = { from: '2026-11-01T00:00:00.000Z', until: '2100-01-01T23:59:59.999Z' }
    const way = { kind: 'key', id: credential.id, name: 'Claims', since: credential.created_at }
    assert.deepEqual(await oneOf('key', 'Claims'), {
      ...{ ...ACTIVE, ...UNREAD, ...times, ...disclosee, ...way, objects: 2 },
    })
    const { secret } = await post(`${at}/keys`, { name: 'All' })
    const headers = { 'x-api-key': secret }
    for (let times = 0; times < 2; times += 1) {
      await request(server.api, `${PREFIX}/positions/latest?ids=${van},${truck}`, { headers })
    }
    const { requests, rows, last_read, objects } = (await oneOf('key', 'All'))!
    assert.deepEqual([requests, rows, last_read, objects], [4, 4, today, null])
  })

  it('keeps a key that ended for 30 days, and leaves out test keys', async () => {
    await post(`${at}/keys`, { name: 'Test', scenario: 'standard' })
    assert.equal(await oneOf('key', 'Test'), undefined)
    const { credential } = await post(`${at}/keys`, { name: 'Old' })
    assert.equal((await oneOf('key', 'Old'))!.ended_at, null)
    const revoked = await post(`${at}/keys/${credential.id}/revoke`)
    assert.equal((await oneOf('key', 'Old'))!.ended_at, revoked.revoked_at)
  })

  it('has a link, which counts each read of what it shows', async () => {
    const { link, url } = await post(`${at}/links`, { name: 'Customer', ...newLink() })
    const { pathname } = new URL(url)
    assert.equal((await request(server.api, `${pathname}.json`)).status, 200)
    const shown = (await oneOf('link', 'Customer'))!
    assert.deepEqual(
      [shown.id, shown.expires_at, shown.since, shown.requests],
      [link.id, link.expires_at, link.created_at, shown.rows],
    )
    assert.ok(shown.requests > 0)
    const { items } = await get(`${at}/disclosures?source=link&source_id=${link.id}`)
    assert.deepEqual(
      new Set(items.map(({ source_name }: Json) => source_name)),
      new Set(['Customer']),
    )
  })

  it('has webhooks', async () => {
    // The path may hold a secret.
    const name = 'https://example.com'
    const { webhook } = await post(`${at}/webhooks`, { url: `${name}/hook`, ids: [1] })
    const way = { kind: 'webhook', id: webhook.id, name, since: webhook.created_at }
    assert.deepEqual(await oneOf('webhook', name), {
      ...{ ...ACTIVE, ...UNREAD, ...NOBODY, ...way, objects: 1 },
    })
    const { off_at } = await patch(`${at}/webhooks/${webhook.id}`, { on: false })
    assert.equal((await oneOf('webhook', name))!.ended_at, off_at)
  })

  it('has the people of the organization, and those of the deployment who read', async () => {
    const invite = async (place: string, role: string, name: string) => {
      const email = `${name}@example.com`
      const { secret } = await post(`${place}/invitations`, { role, email })
      return operatorBy(origin, { cookie: await useLink(origin(), secret, { name }) })
    }
    await invite(at, 'viewer', 'Vic')
    const support = await invite('', 'support', 'Sue')
    const vic = (await oneOf('person', 'Vic'))!
    assert.deepEqual(vic, {
      ...{ ...ACTIVE, ...UNREAD, ...NOBODY, kind: 'person', id: vic.id, name: 'Vic' },
      since: vic.since,
    })
    assert.equal(await oneOf('person', 'Sue'), undefined)
    await support.get(`${at}/objects`)
    assert.deepEqual((await oneOf('person', 'Sue'))!.rows, 2)
    await patch(`${at}/people/${vic.id}`, { is_disabled: true })
    assert.notEqual((await oneOf('person', 'Vic'))!.ended_at, null)
  })

  it('has the tokens of the organization, and those of the deployment that read', async () => {
    await post('/tokens', { name: 'wide', role: 'support' })
    const { token } = await post(`${at}/tokens`, { name: 'own', role: 'viewer' })
    const way = { kind: 'token', id: token.id, name: 'own', since: token.created_at }
    assert.deepEqual(await oneOf('token', 'own'), { ...ACTIVE, ...UNREAD, ...NOBODY, ...way })
    assert.equal(await oneOf('token', 'wide'), undefined)
  })

  it('is the same on the command line', async () => {
    assert.deepEqual(
      await jsonHere(['desk', '--org', String(id), ...deployment.args]),
      await desk(),
    )
  })
})
