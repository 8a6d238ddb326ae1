import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { OrganizationSettings } from '../../src/base/domain/organization.ts'
import { TOPICS } from '../../src/engine/store/store.ts'
import { valuesOf } from '../values-of.ts'
import {
  ALL_TIME,
  append,
  fixAt,
  MISSING,
  NOW,
  newFleet,
  newKey,
  newObject,
  newOrganization,
  objectSettings,
  type StoreTest,
} from './fixture.ts'

const SETTINGS: OrganizationSettings = {
  name: 'Ağ Filo',
  distanceUnit: 'mi',
  language: 'tr',
  subscription: 'suspended',
  dailyQuota: 500,
  windowRequests: 50,
  createObjects: true,
  maxObjects: 7,
  maxPlaces: 8,
  maxVertices: 900,
  retentionDays: 90,
  disclosureDays: 60,
  signalTimeoutHours: 6,
  maximumGap: 90,
  timeZone: 'Asia/Kathmandu',
  futureTolerance: 20,
  maximumAge: 30,
  correctRollover: true,
  keysNeedPurpose: true,
}

export function organizationContract(it: StoreTest): void {
  describe('Organizations', () => {
    it('are returned as created', async (store, reopen) => {
      const created = await store.organizations.create(SETTINGS, NOW)
      assert.deepEqual(created, { id: created.id, ...SETTINGS, createdAt: NOW, updatedAt: NOW })
      const second = await newOrganization(store)
      assert.ok(second > created.id)
      const again = await reopen()
      assert.deepEqual(await again.organizations.find(created.id), created)
      assert.deepEqual(valuesOf(await again.organizations.list(), 'id'), [created.id, second])
      assert.equal(await again.organizations.find(MISSING), null)
    })

    it('are updated by the fields of a patch', async (store) => {
      const created = await store.organizations.create(SETTINGS, NOW)
      const patch = { dailyQuota: null, createObjects: false, language: undefined }
      const updated = await store.organizations.update(created.id, patch, NOW + 1)
      assert.deepEqual(updated, {
        ...created,
        dailyQuota: null,
        createObjects: false,
        updatedAt: NOW + 1,
      })
      assert.deepEqual(await store.organizations.find(created.id), updated)
      assert.deepEqual(
        await store.organizations.update(created.id, patch, NOW + 2),
        updated,
        'a patch that changes nothing is no update',
      )
      assert.equal(await store.organizations.update(MISSING, patch, NOW), null)
    })

    it('are deleted with all their data and nothing else', async (store) => {
      const [gone, kept] = [await newOrganization(store), await newOrganization(store)]
      const objects = [await newObject(store, gone), await newObject(store, kept)]
      for (const [index, organization] of [gone, kept].entries()) {
        await store.keys.issue(organization, newKey('a'), NOW)
        await store.feedTokens.issue(organization, newKey('a'), NOW)
        await store.links.issue(organization, newKey('a'), NOW)
        await append(store, organization, objects[index]!, [fixAt(1), fixAt(2)])
      }
      assert.equal(await store.organizations.delete(gone), true)
      assert.equal(await store.organizations.delete(gone), false)
      assert.equal(await store.organizations.find(gone), null)
      const rest = await Promise.all(
        [gone, kept].map(async (organization, index) => [
          (await store.keys.list(organization)).length,
          (await store.feedTokens.list(organization)).length,
          (await store.links.list(organization)).length,
          (await store.objects.list(organization)).length,
          (await store.positions.states(organization)).size,
          await store.positions.count(organization, objects[index]!, ALL_TIME, 10),
        ]),
      )
      assert.deepEqual(rest, [
        [0, 0, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 2],
      ])
      assert.equal((await store.keys.all()).length, 1)
      assert.equal((await store.feedTokens.all()).length, 1)
      assert.equal((await store.links.all()).length, 1)
      assert.ok((await newOrganization(store)) > kept, 'an id is not given twice')
    })

    it('are deleted with a long history', async (store) => {
      const { organization, object, append, records } = await newFleet(store)
      await append(Array.from({ length: 12_000 }, (_, index) => fixAt(index)))
      assert.equal(await store.objects.delete(organization, object), true)
      const entry = { ...objectSettings('new'), id: object }
      const [put] = await store.objects.put(organization, [entry], NOW)
      assert.deepEqual(put, { outcome: 'created', id: object }, 'its id is free again')
      assert.equal((await records()).length, 0)
    })

    it('have the newest sequence of each topic', async (store) => {
      const organization = await newOrganization(store)
      const before = await store.organizations.versions(organization)
      assert.deepEqual(Object.keys(before), [...TOPICS])
      assert.ok(before.organization > 0)
      assert.equal(before.keys, 0)
      await store.keys.issue(organization, newKey('a'), NOW)
      const after = await store.organizations.versions(organization)
      assert.ok(after.keys > before.organization)
      assert.deepEqual({ ...after, keys: 0 }, before)
    })
  })
}
