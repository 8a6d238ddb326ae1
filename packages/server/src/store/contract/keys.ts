import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MISSING, NOW, newKey, newOrganization, type OpenStore, onStore } from './fixture.ts'

export function keyContract(open: OpenStore): void {
  describe('keys', () => {
    it(
      'are issued and listed by id',
      onStore(open, async (store, reopen) => {
        const organization = await newOrganization(store)
        const given = newKey('dashboard', NOW + 1_000)
        const key = await store.keys.issue(organization, given, NOW)
        assert.deepEqual(key, {
          id: key.id,
          organization,
          ...given,
          createdAt: NOW,
          revokedAt: null,
          lastUsedAt: null,
        })
        const second = await store.keys.issue(organization, newKey('sync'), NOW)
        assert.ok(second.id > key.id)
        assert.deepEqual(await (await reopen()).keys.list(organization), [key, second])
      }),
    )

    it(
      'of an organization that is not there are refused',
      onStore(open, async (store) => {
        await assert.rejects(store.keys.issue(MISSING, newKey('a'), NOW))
        assert.deepEqual(await store.keys.all(), [])
      }),
    )

    it(
      'keep the moment of their first revocation and leave the living',
      onStore(open, async (store) => {
        const organization = await newOrganization(store)
        const key = await store.keys.issue(organization, newKey('a'), NOW)
        const living = await store.keys.issue(organization, newKey('b'), NOW)
        const revoked = await store.keys.revoke(organization, key.id, NOW + 5)
        assert.deepEqual(revoked, { ...key, revokedAt: NOW + 5 })
        assert.deepEqual(await store.keys.revoke(organization, key.id, NOW + 9), revoked)
        assert.deepEqual(await store.keys.list(organization), [revoked, living])
        assert.deepEqual(await store.keys.all(), [living])
      }),
    )

    it(
      'rotate under their name, the old one ending no later than it would have',
      onStore(open, async (store) => {
        const organization = await newOrganization(store)
        for (const [expiresAt, expected] of [
          [null, NOW + 60],
          [NOW + 30, NOW + 30],
          [NOW + 90, NOW + 60],
        ] as const) {
          const old = await store.keys.issue(organization, newKey('sync', expiresAt), NOW)
          const given = newKey('a name of no matter')
          const fresh = await store.keys.rotate(organization, old.id, given, NOW + 60, NOW)
          assert.equal(fresh?.name, 'sync')
          assert.equal(fresh?.hash, given.hash)
          const listed = await store.keys.list(organization)
          assert.equal(listed.find(({ id }) => id === old.id)?.expiresAt, expected)
        }
      }),
    )

    it(
      'keep the latest of their uses',
      onStore(open, async (store) => {
        const organization = await newOrganization(store)
        const { id: key } = await store.keys.issue(organization, newKey('a'), NOW)
        for (const usedAt of [NOW + 120, NOW + 60]) {
          await store.keys.touch([{ organization, key, usedAt }])
        }
        assert.equal((await store.keys.list(organization))[0]?.lastUsedAt, NOW + 120)
      }),
    )

    it(
      'of another organization are as if they were not there',
      onStore(open, async (store) => {
        const owner = await newOrganization(store)
        const other = await newOrganization(store)
        const key = await store.keys.issue(owner, newKey('a'), NOW)
        assert.deepEqual(await store.keys.list(other), [])
        assert.equal(await store.keys.revoke(other, key.id, NOW), null)
        assert.equal(await store.keys.rotate(other, key.id, newKey('b'), NOW, NOW), null)
        await store.keys.touch([{ organization: other, key: key.id, usedAt: NOW }])
        assert.deepEqual(await store.keys.all(), [key])
      }),
    )
  })
}
