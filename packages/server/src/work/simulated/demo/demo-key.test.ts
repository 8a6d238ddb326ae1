import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'
import { API_KEY, newSecret } from '../../../base/access/secret.ts'
import { ORGANIZATION_DEFAULTS } from '../../../base/domain/organization.ts'
import { issueDemoAccess } from './fill.ts'

const NOW = Date.UTC(2026, 10, 20, 10)
const clock = { now: () => NOW, monotonic: () => NOW * 1000 }
let opened: Awaited<ReturnType<typeof temporaryStore>>
let organization: number

before(async () => {
  opened = await temporaryStore()
  const settings = { ...ORGANIZATION_DEFAULTS, name: 'Demo' }
  organization = (await opened.store.organizations.create(settings, NOW)).id
})
after(() => opened.cleanUp())

test('the demo has the same key and token at each start', async () => {
  const { store } = opened
  const first = await issueDemoAccess(store, organization, clock)
  assert.deepEqual(await issueDemoAccess(store, organization, clock), first)
  assert.equal((await store.keys.list(organization)).length, 1)
  assert.equal((await store.feedTokens.list(organization)).length, 1)
})

test('a revoked demo key gets a successor, and keys of other sources stay', async () => {
  const { store } = opened
  const { key, feedToken } = await issueDemoAccess(store, organization, clock)
  const [existing] = await store.keys.list(organization)
  await store.keys.revoke(organization, existing!.id, NOW)
  const { secret, ...kept } = newSecret(API_KEY)
  await store.keys.issue(organization, { ...kept, name: 'demo', expiresAt: null }, NOW)
  const next = await issueDemoAccess(store, organization, clock)
  assert.equal(next.feedToken, feedToken)
  assert.equal(new Set([key, secret, next.key]).size, 3)
  assert.deepEqual(await issueDemoAccess(store, organization, clock), next)
  const revoked = (await store.keys.list(organization)).map(({ revokedAt }) => revokedAt)
  assert.deepEqual(revoked, [NOW, null, null])
})
