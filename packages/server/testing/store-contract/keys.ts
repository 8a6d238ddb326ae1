import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Credential } from '../../src/base/domain/credential.ts'
import type { KeyScope } from '../../src/base/domain/key-scope.ts'
import type { KeyStore } from '../../src/engine/store/key-store.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { MISSING, NOW, newKey, newOrganization, type StoreTest } from './fixture.ts'

export function keyContract(it: StoreTest): void {
  kindContract(it, 'keys', (store) => store.keys)
  kindContract(it, 'feed tokens', (store) => store.feedTokens)
  kindContract(it, 'links', (store) => store.links)
  clientContract(it)

  const SHIPPER = { recipient: 'Shipper', purpose: 'Delivery' }
  const scope: KeyScope = {
    operations: ['objects', 'changes'],
    grants: [{ objects: [7, 8], from: NOW - 5, until: null, attributes: ['fuel_level'] }],
    windowShare: 3,
  }

  describe('The scope of a key', () => {
    it('is kept, changed, removed, and given to the key that replaces it', async (store, reopen) => {
      const organization = await newOrganization(store)
      const key = await store.keys.issue(organization, { ...newKey('a'), scope }, NOW)
      assert.deepEqual(key.scope, scope)
      const other = { ...scope, grants: [{ ...scope.grants![0]!, objects: null, until: NOW }] }
      assert.deepEqual(await store.keys.update(organization, key.id, { scope: other }, NOW), {
        ...key,
        scope: other,
      })
      const next = await store.keys.rotate(organization, key.id, newKey('b'), NOW + 9, NOW)
      assert.deepEqual(next?.scope, other)
      assert.equal(
        (await store.keys.update(organization, key.id, { scope: null }, NOW))?.scope,
        null,
      )
      const kept = await (await reopen()).keys.all()
      assert.deepEqual(
        kept.map((each) => each.scope),
        [null, other],
      )
    })

    it('is reported when it changes, and only to its own organization', async (store) => {
      const [owner, foreign] = [await newOrganization(store), await newOrganization(store)]
      const { id } = await store.keys.issue(owner, newKey('a'), NOW)
      const changes: string[] = []
      const watch = store.watch(({ organization, topic }) => {
        changes.push(`${organization} ${topic}`)
      })
      assert.equal(await store.keys.update(foreign, id, { scope }, NOW), null)
      await store.keys.update(owner, id, { scope }, NOW)
      watch.catchUp()
      assert.deepEqual(changes, [`${owner} keys`])
      watch.close()
    })
  })

  describe('The scenario of a test key', () => {
    it('is kept, and given to the key that replaces it', async (store, reopen) => {
      const organization = await newOrganization(store)
      const given = { ...newKey('a'), scenario: 'slow' as const }
      const key = await store.keys.issue(organization, given, NOW)
      assert.equal(key.scenario, 'slow')
      const next = await store.keys.rotate(organization, key.id, newKey('b'), NOW + 9, NOW)
      assert.equal(next?.scenario, 'slow')
      const kept = await (await reopen()).keys.all()
      assert.deepEqual(
        kept.map((each) => each.scenario),
        ['slow', 'slow'],
      )
    })
  })

  describe('The disclosee of a key', () => {
    const INSURER = { recipient: 'Insurer Ltd', purpose: 'Claims' }

    it('is kept, and shared with the key that replaces it', async (store, reopen) => {
      const organization = await newOrganization(store)
      const key = await store.keys.issue(organization, { ...newKey('a'), ...INSURER }, NOW)
      assert.ok(key.disclosee > 0)
      const next = await store.keys.rotate(organization, key.id, newKey('b'), NOW + 9, NOW)
      const discloseeOf = ({ recipient, purpose, disclosee }: Credential) => [
        recipient,
        purpose,
        disclosee,
      ]
      const expected = ['Insurer Ltd', 'Claims', key.disclosee]
      assert.deepEqual([key, next!].map(discloseeOf), [expected, expected])
      const other = await reopen()
      assert.deepEqual((await other.keys.list(organization)).map(discloseeOf), [expected, expected])
      const disclosees = [{ id: key.disclosee, ...INSURER }]
      assert.deepEqual(await other.keys.disclosees(organization), disclosees)
      assert.deepEqual(await other.keys.disclosees(await newOrganization(store)), [])
    })

    it('becomes another one with each change of its words, and the first one keeps them', async (store) => {
      const organization = await newOrganization(store)
      const { id } = await store.keys.issue(organization, newKey('a'), NOW)
      const update = async (patch: object) =>
        (await store.keys.update(organization, id, patch, NOW))!.disclosee
      const first = await update(INSURER)
      assert.equal(await update({ scope: null, purpose: 'Claims' }), first)
      const second = await update({ recipient: 'Broker' })
      assert.equal(await update({ recipient: null, purpose: null }), 0)
      assert.deepEqual(await store.keys.disclosees(organization), [
        { id: first, ...INSURER },
        { id: second, ...INSURER, recipient: 'Broker' },
      ])
    })
  })

  describe('The scope and the disclosee of a link', () => {
    it('are kept, and given to the link that replaces it', async (store, reopen) => {
      const organization = await newOrganization(store)
      const given = { ...newKey('a'), ...SHIPPER, scope, waySince: NOW - 3 }
      const link = await store.links.issue(organization, given, NOW)
      const next = await store.links.rotate(organization, link.id, newKey('b'), NOW + 9, NOW)
      const shownBy = ({ recipient, purpose, disclosee, scope, waySince }: Credential) => [
        ...[recipient, purpose, disclosee],
        ...[scope, waySince],
      ]
      const expected = ['Shipper', 'Delivery', link.disclosee, scope, NOW - 3]
      assert.ok(link.disclosee > 0)
      assert.deepEqual([link, next!].map(shownBy), [expected, expected])
      assert.deepEqual((await (await reopen()).links.all()).map(shownBy), [expected, expected])
    })
  })

  describe('Links that have ended', () => {
    const ENDS = [NOW + 1, NOW + 3, NOW + 2, NOW + 99]

    async function ended(store: Store): Promise<number> {
      const organization = await newOrganization(store)
      for (const [index, end] of ENDS.entries()) {
        await store.links.issue(organization, newKey(`${organization} ${index}`, end), NOW)
      }
      return organization
    }
    const ends = async (store: Store, organization: number) =>
      (await store.links.list(organization)).map(({ expiresAt }) => expiresAt! - NOW)

    it('are purged before a moment, of the organizations that are meant', async (store) => {
      const [meant, other] = [await ended(store), await ended(store)]
      const living = await store.links.issue(meant, newKey('revoked', NOW + 99), NOW)
      await store.links.revoke(meant, living.id, NOW + 1)
      await store.links.purge(new Set([meant, MISSING]), NOW + 3)
      assert.deepEqual(await ends(store, meant), [3, 99])
      assert.deepEqual(await ends(store, other), [1, 3, 2, 99])
    })

    it('are trimmed to those that ended last', async (store) => {
      const [meant, other] = [await ended(store), await ended(store)]
      await store.links.trim(meant, NOW + 9, 3)
      assert.deepEqual(await ends(store, meant), [1, 3, 2, 99])
      await store.links.trim(meant, NOW + 9, 2)
      assert.deepEqual(await ends(store, meant), [3, 2, 99])
      assert.deepEqual(await ends(store, other), [1, 3, 2, 99])
    })
  })

  describe('Keys, feed tokens and links', () => {
    it('are independent of each other', async (store) => {
      const organization = await newOrganization(store)
      const given = newKey('the same')
      const key = await store.keys.issue(organization, given, NOW)
      const token = await store.feedTokens.issue(organization, given, NOW)
      const link = await store.links.issue(organization, given, NOW)
      const revoked = await store.feedTokens.revoke(organization, token.id, NOW)
      assert.deepEqual(await store.keys.list(organization), [key])
      assert.deepEqual(await store.keys.all(), [key])
      assert.deepEqual(await store.feedTokens.all(), [revoked])
      assert.deepEqual(await store.links.all(), [link])
    })
  })
}

/** A feed token has a client, and no other credential. */
function clientContract(it: StoreTest): void {
  describe('The client of a feed token', () => {
    it('is kept, and handed on to a replacement', async (store, reopen) => {
      const organization = await newOrganization(store)
      const given = { ...newKey('a'), client: 'osmand-app' as const }
      const token = await store.feedTokens.issue(organization, given, NOW)
      const next = await store.feedTokens.rotate(organization, token.id, newKey('b'), NOW, NOW)
      assert.deepEqual([token.client, next?.client], ['osmand-app', 'osmand-app'])
      const kept = await (await reopen()).feedTokens.list(organization)
      assert.deepEqual(
        kept.map(({ client }) => client),
        ['osmand-app', 'osmand-app'],
      )
    })
  })
}

function kindContract(it: StoreTest, name: string, keysOf: (store: Store) => KeyStore): void {
  describe(name, () => {
    it('are issued and listed by id', async (store, reopen) => {
      const organization = await newOrganization(store)
      const given = newKey('dashboard', NOW + 1_000)
      const key = await keysOf(store).issue(organization, given, NOW)
      assert.deepEqual(key, {
        id: key.id,
        organization,
        ...given,
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
      })
      const second = await keysOf(store).issue(organization, newKey('sync'), NOW)
      assert.ok(second.id > key.id)
      assert.deepEqual(await keysOf(await reopen()).list(organization), [key, second])
    })

    it('are found by id, and are active until they end', async (store) => {
      const organization = await newOrganization(store)
      const issue = (name: string, expiresAt?: number) =>
        keysOf(store).issue(organization, newKey(name, expiresAt), NOW)
      const [revoked, expiring, endless] = [
        await issue('a'),
        await issue('b', NOW + 9),
        await issue('c'),
      ]
      await keysOf(store).revoke(organization, revoked.id, NOW + 5)
      const other = await newOrganization(store)
      const foreign = await keysOf(store).issue(other, newKey('d'), NOW)
      const { active, find } = keysOf(store)
      assert.deepEqual(await find(organization, endless.id), endless)
      assert.equal(await find(other, endless.id), null)
      assert.deepEqual(await active(NOW + 8, organization), [expiring, endless])
      assert.deepEqual(await active(NOW + 9, organization), [endless])
      assert.deepEqual(await active(NOW + 9), [endless, foreign])
    })

    it('are not issued for a missing organization', async (store) => {
      await assert.rejects(keysOf(store).issue(MISSING, newKey('a'), NOW))
      assert.deepEqual(await keysOf(store).all(), [])
    })

    it('keep the moment of their first revocation, and leave others active', async (store) => {
      const organization = await newOrganization(store)
      const key = await keysOf(store).issue(organization, newKey('a'), NOW)
      const living = await keysOf(store).issue(organization, newKey('b'), NOW)
      const revoked = await keysOf(store).revoke(organization, key.id, NOW + 5)
      assert.deepEqual(revoked, { ...key, revokedAt: NOW + 5 })
      assert.deepEqual(await keysOf(store).revoke(organization, key.id, NOW + 9), revoked)
      assert.deepEqual(await keysOf(store).list(organization), [revoked, living])
      assert.deepEqual(await keysOf(store).all(), [revoked, living])
    })

    it('rotate under their name, and the old one ends no later than before', async (store) => {
      const organization = await newOrganization(store)
      for (const [expiresAt, expected] of [
        [null, NOW + 60],
        [NOW + 30, NOW + 30],
        [NOW + 90, NOW + 60],
      ] as const) {
        const old = await keysOf(store).issue(organization, newKey('sync', expiresAt), NOW)
        const given = newKey('a name of no matter')
        const fresh = await keysOf(store).rotate(organization, old.id, given, NOW + 60, NOW)
        assert.equal(fresh?.name, 'sync')
        assert.equal(fresh?.hash, given.hash)
        const listed = await keysOf(store).list(organization)
        assert.equal(listed.find(({ id }) => id === old.id)?.expiresAt, expected)
      }
    })

    it('keep their latest use', async (store) => {
      const organization = await newOrganization(store)
      const { id: key } = await keysOf(store).issue(organization, newKey('a'), NOW)
      for (const usedAt of [NOW + 120, NOW + 60]) {
        await keysOf(store).touch([{ organization, key, usedAt, requests: {} }])
      }
      assert.equal((await keysOf(store).list(organization))[0]?.lastUsedAt, NOW + 120)
    })

    it('are counted by day, of the last 30 days', async (store) => {
      const organization = await newOrganization(store)
      const { id: key } = await keysOf(store).issue(organization, newKey('a'), NOW)
      const counts: Record<number, number>[] = [{ 100: 1, 101: 2 }, { 101: 3 }, { 130: 4 }]
      for (const requests of counts) {
        await keysOf(store).touch([{ organization, key, usedAt: NOW, requests }])
      }
      const [{ requests } = { requests: null }] = await keysOf(store).list(organization)
      assert.deepEqual(requests, name === 'keys' ? {} : { 101: 5, 130: 4 })
    })

    it('are invisible to other organizations', async (store) => {
      const owner = await newOrganization(store)
      const other = await newOrganization(store)
      const key = await keysOf(store).issue(owner, newKey('a'), NOW)
      assert.deepEqual(await keysOf(store).list(other), [])
      assert.equal(await keysOf(store).revoke(other, key.id, NOW), null)
      assert.equal(await keysOf(store).rotate(other, key.id, newKey('b'), NOW, NOW), null)
      await keysOf(store).touch([{ organization: other, key: key.id, usedAt: NOW, requests: {} }])
      assert.deepEqual(await keysOf(store).all(), [key])
    })
  })
}
