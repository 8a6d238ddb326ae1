import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import type { Credential } from '../../base/domain/credential.ts'
import { ORGANIZATION_DEFAULTS } from '../../base/domain/organization.ts'
import { DAY_MS, utcDay } from '../../base/domain/time/time.ts'
import type { KeyStore, KeyUse, NewKey } from '../../engine/store/key-store.ts'
import { type Store, StoreUnavailable } from '../../engine/store/store.ts'
import { memorySnapshots } from '../live/memory/memory-realtime.ts'
import { type Directory, openDirectory } from './directory.ts'
import { openKeyRing } from './key-ring.ts'

const NOW = Date.UTC(2026, 10, 20)
const MINUTE_MS = 60_000

const newKey = (name: string, expiresAt: number | null = null): NewKey => ({
  name,
  hash: `hash of ${name}`,
  prefix: 'fg_live_abcd',
  lastFour: 'wxyz',
  expiresAt,
})

describe('The key ring', () => {
  let opened: Awaited<ReturnType<typeof temporaryStore>>
  let directory: Directory
  let other: Store
  let organization: number

  beforeEach(async () => {
    opened = await temporaryStore()
    other = await opened.reopen()
    organization = (await other.organizations.create({ name: 'A', ...ORGANIZATION_DEFAULTS }, NOW))
      .id
    directory = await openDirectory(opened.store, memorySnapshots(), handedClock())
  })
  afterEach(async () => {
    await directory.close()
    await opened.cleanUp()
  })

  async function find(name: string, now = NOW): Promise<Credential | undefined> {
    await directory.catchUp()
    return directory.keys.find(`hash of ${name}`, now)
  }

  it('ends a key at the very millisecond of its expiry', async () => {
    await other.keys.issue(organization, newKey('a', NOW + 1_000), NOW)
    assert.ok(await find('a', NOW + 999))
    assert.equal(await find('a', NOW + 1_000), undefined)
  })

  it('counts the valid keys of an organization', async () => {
    const { id } = await other.keys.issue(organization, newKey('revoked'), NOW)
    await other.keys.issue(organization, newKey('expiring', NOW + 1), NOW)
    await other.keys.issue(organization, newKey('endless'), NOW)
    await directory.catchUp()
    assert.equal(directory.keys.count(organization, NOW), 3)
    await other.keys.revoke(organization, id, NOW)
    await directory.catchUp()
    assert.equal(directory.keys.count(organization, NOW), 2)
    assert.equal(directory.keys.count(organization, NOW + 1), 1)
    assert.equal(directory.keys.count(organization + 1, NOW), 0)
  })

  it('removes the keys of a deleted organization', async () => {
    await other.keys.issue(organization, newKey('a'), NOW)
    assert.ok(await find('a'))
    await other.organizations.delete(organization)
    assert.equal(await find('a'), undefined)
  })

  it('keeps feed tokens separate from keys, and handles them alike', async () => {
    const token = await other.feedTokens.issue(organization, newKey('a'), NOW)
    await other.keys.issue(organization, newKey('b'), NOW)
    assert.equal(await find('a'), undefined, 'a token is no key')
    assert.deepEqual(directory.feedTokens.find('hash of a', NOW), token)
    assert.equal(directory.feedTokens.find('hash of b', NOW), undefined)
    await other.keys.issue(organization, newKey('c'), NOW)
    await other.feedTokens.revoke(organization, token.id, NOW)
    assert.ok(await find('c'), 'both were read anew')
    assert.equal(directory.feedTokens.find('hash of a', NOW), undefined)
  })

  it('opens with all keys except revoked ones', async () => {
    await other.keys.issue(organization, newKey('a'), NOW)
    const revoked = await other.keys.issue(organization, newKey('b'), NOW)
    await other.keys.revoke(organization, revoked.id, NOW)
    const ring = await openKeyRing(other.keys)
    assert.ok(ring.find('hash of a', NOW))
    assert.equal(ring.find('hash of b', NOW), undefined)
  })

  it('records the last use of a key later, to the minute', async () => {
    await other.keys.issue(organization, newKey('a'), NOW)
    const lastUsed = async () => (await other.keys.list(organization))[0]!.lastUsedAt
    const key = (await find('a'))!
    directory.keys.noteUse(key, NOW + 59_999)
    assert.equal(await lastUsed(), null)
    const token = await other.feedTokens.issue(organization, newKey('a'), NOW)
    directory.feedTokens.noteUse(token, NOW)
    await directory.writeLastUses()
    assert.equal(await lastUsed(), NOW)
    assert.equal((await other.feedTokens.list(organization))[0]!.lastUsedAt, NOW)
    directory.keys.noteUse(key, NOW + 2 * MINUTE_MS + 1)
    directory.keys.noteUse(key, NOW + MINUTE_MS)
    await directory.close()
    assert.equal(await lastUsed(), NOW + 2 * MINUTE_MS)
  })
})

it('counts requests with feed tokens, once each through failures', async () => {
  let isDown = true
  const added: KeyUse[] = []
  const store = {
    all: async () => [],
    async touch(uses: readonly KeyUse[]) {
      if (isDown) throw new StoreUnavailable('down')
      added.push(...uses)
    },
  }
  const ring = await openKeyRing(store as Partial<KeyStore> as KeyStore, true)
  const token = { ...newKey('a'), id: 1, organization: 1, lastUsedAt: null } as Credential
  ring.noteUse(token, NOW)
  ring.noteUse(token, NOW + 1)
  await assert.rejects(ring.writeLastUses())
  ring.noteUse(token, NOW + DAY_MS)
  ring.noteUse(token, NOW + DAY_MS)
  await assert.rejects(ring.writeLastUses())
  isDown = false
  await ring.writeLastUses()
  await ring.writeLastUses()
  const day = utcDay(NOW)
  const requests = { [day]: 2, [day + 1]: 2 }
  assert.deepEqual(added, [{ organization: 1, key: 1, usedAt: NOW + DAY_MS, requests }])
})

describe('The key ring over a slow or failing store', () => {
  const a: Credential = {
    ...newKey('a'),
    id: 1,
    organization: 1,
    createdAt: NOW,
    revokedAt: null,
    lastUsedAt: null,
    scope: null,
    waySince: null,
    scenario: null,
    client: null,
    recipient: null,
    purpose: null,
    disclosee: 0,
    requests: {},
  }
  const revoked = { ...a, revokedAt: NOW }

  /** A store whose lists arrive when the test wants, in any order. */
  function slowStore() {
    const lists: ((keys: Credential[]) => void)[] = []
    const store: Pick<KeyStore, 'all' | 'list'> = {
      all: async () => [a],
      list: () => new Promise((resolve) => lists.push(resolve)),
    }
    return { store: store as KeyStore, lists }
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  it('never revives a key by an answer from before its revocation', async () => {
    const { store, lists } = slowStore()
    const ring = await openKeyRing(store)
    ring.outdate(1)
    const first = ring.readOutdated()
    ring.outdate(1)
    const second = ring.readOutdated()
    // The second answer arrives before the first.
    lists[1]!([revoked])
    await settled()
    lists[0]!([a])
    await settled()
    for (const answer of lists.slice(2)) answer([revoked])
    await Promise.all([first, second])
    assert.equal(ring.find(a.hash, NOW), undefined)
    assert.equal(ring.readOutdated(), undefined)
  })

  it('reads again after a change during a read', async () => {
    const { store, lists } = slowStore()
    const ring = await openKeyRing(store)
    ring.outdate(1)
    const reading = ring.readOutdated()
    ring.outdate(1)
    lists[0]!([a])
    await settled()
    lists[1]!([revoked])
    await reading
    assert.equal(ring.find(a.hash, NOW), undefined)
  })

  it('is queried again after a failed read', async () => {
    let down = true
    const ring = await openKeyRing({
      all: async () => [a],
      async list() {
        if (down) throw new StoreUnavailable('down')
        return [revoked]
      },
    } as Partial<KeyStore> as KeyStore)
    ring.outdate(1)
    await assert.rejects(async () => ring.readOutdated(), StoreUnavailable)
    down = false
    await ring.readOutdated()
    assert.equal(ring.find(a.hash, NOW), undefined)
  })

  it('keeps uses that could not be written until the next time', async () => {
    const written: number[][] = []
    let busy = true
    const ring = await openKeyRing({
      all: async () => [{ ...a }, { ...a, id: 2, hash: 'hash of b' }],
      async touch(uses) {
        if (busy) throw new StoreUnavailable('busy')
        written.push(...uses.map(({ key, usedAt }) => [key, usedAt]))
      },
    } as Partial<KeyStore> as KeyStore)
    ring.noteUse(ring.find(a.hash, NOW)!, NOW)
    await assert.rejects(ring.writeLastUses(), StoreUnavailable)
    ring.noteUse(ring.find('hash of b', NOW)!, NOW + MINUTE_MS)
    busy = false
    await ring.writeLastUses()
    assert.deepEqual(written, [
      [1, NOW],
      [2, NOW + MINUTE_MS],
    ])
    await ring.writeLastUses()
    assert.equal(written.length, 2)
  })
})
