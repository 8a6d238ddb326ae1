import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import { setRole } from '../../../testing/store-contract/access-fixture.ts'
import { fixAt, PLAIN } from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import type { AccessCredential, Account } from '../../base/domain/account.ts'
import type { NewAuditEntry } from '../../base/domain/audit-entry.ts'
import { ACCURACY_DEFAULTS, OBJECT_DEFAULTS } from '../../base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../../base/domain/organization.ts'
import type { LonLat } from '../../base/domain/places/place.ts'
import type { PutOutcome } from '../../engine/store/item-store.ts'
import { type Store, StoreUnavailable } from '../../engine/store/store.ts'
import { auditedStore } from './audited-store.ts'

const NOW = Date.UTC(2026, 10, 20)
const clock = handedClock(NOW * 1_000)
const ACME = { ...ORGANIZATION_DEFAULTS, name: 'Acme' }
const VAN = { ...OBJECT_DEFAULTS, name: 'Van', ident: '1' }
const TRIANGLE: LonLat[] = [
  [29, 41],
  [30, 41],
  [30, 42],
]
const FENCE = { name: 'Yard', description: null, color: null, coordinates: TRIANGLE }
const ROUTE = { ...FENCE, name: 'Way', deviation: null, points: [], coordinates: [TRIANGLE] }
const SITE = {
  name: 'Depot',
  description: null,
  icon: null,
  latitude: 41,
  longitude: 29,
  radius: 5,
}
const FIX = fixAt(NOW)
const KEY = {
  name: 'sync',
  hash: 'a hash',
  prefix: 'fg_live_abcd',
  lastFour: 'wxyz',
  expiresAt: null,
}

let opened: Awaited<ReturnType<typeof temporaryStore>>
let plain: Store
let store: Store
let org = 0
beforeEach(async () => {
  opened = await temporaryStore()
  plain = opened.store
  org = (await plain.organizations.create(ACME, NOW)).id
  store = auditedStore(plain, 'console', clock)
})
afterEach(() => opened.cleanUp())

/** The entries that were added to the log since the last call, in order. */
async function added(): Promise<NewAuditEntry[]> {
  const listed = await plain.audit.list({ organization: null, before: null, limit: 100 })
  const fresh = listed.slice(0, listed.length - seenEntries).toReversed()
  seenEntries = listed.length
  return fresh.map(({ id: _, ...entry }) => entry)
}
let seenEntries = 0
beforeEach(() => {
  seenEntries = 0
})

function entry(action: string, target: number | null, name: string | null, changes?: object) {
  const at = { at: NOW, actor: 'console', organization: org }
  return { ...at, action, target, name, changes: changes ?? null }
}

function idOf([put]: PutOutcome[]): number {
  assert.ok(put !== undefined && 'id' in put)
  return put.id
}

describe('An audited store', () => {
  it('records organizations and their changed settings', async () => {
    const { id } = await store.organizations.create(ACME, NOW)
    const patch = { name: 'Ağ', dailyQuota: 500, language: 'en', createObjects: undefined } as const
    await store.organizations.update(id, patch, NOW)
    await store.organizations.update(id, patch, NOW)
    assert.equal(await store.organizations.update(999, patch, NOW), null)
    assert.equal(await store.organizations.delete(id), true)
    assert.equal(await store.organizations.delete(id), false)
    const changes = { name: { from: 'Acme', to: 'Ağ' }, daily_quota: { from: null, to: 500 } }
    assert.deepEqual(
      await added(),
      [
        entry('organization.create', id, 'Acme'),
        entry('organization.update', id, 'Ağ', changes),
        entry('organization.delete', id, 'Ağ'),
      ].map((each) => ({ ...each, organization: id })),
    )
  })

  for (const [noun, keysOf] of [
    ['key', (of: Store) => of.keys],
    ['feed_token', (of: Store) => of.feedTokens],
  ] as const) {
    it(`records each ${noun}, never its secret`, async () => {
      const keys = keysOf(store)
      const { id } = await keys.issue(org, KEY, NOW)
      const rotated = await keys.rotate(org, id, { ...KEY, hash: 'another' }, NOW + 9, NOW)
      await keys.revoke(org, id, NOW + 1)
      await keys.revoke(org, id, NOW + 2)
      assert.equal(await keys.revoke(org, 999, NOW), null)
      assert.equal(await keys.rotate(org, 999, KEY, NOW, NOW), null)
      await keys.touch([{ organization: org, key: id, usedAt: NOW, requests: {} }])
      const entries = await added()
      assert.deepEqual(entries, [
        entry(`${noun}.issue`, id, 'sync'),
        entry(`${noun}.rotate`, id, 'sync', { id: { from: id, to: rotated!.id } }),
        entry(`${noun}.revoke`, id, 'sync'),
      ])
      assert.doesNotMatch(JSON.stringify(entries), /hash|another|fg_live|wxyz/)
    })
  }

  it('records objects by documented names, and accuracy field by field', async () => {
    const id = idOf(await store.objects.put(org, [VAN], NOW))
    const accuracy = { ...ACCURACY_DEFAULTS, maximumHdop: 2.5, distanceSource: 'odometer' }
    const patch = { name: 'Bus', plateNumber: '34 ABC 123', odometer: null, accuracy }
    await store.objects.update(org, id, patch, NOW)
    await store.objects.update(org, id, patch, NOW)
    assert.equal(await store.objects.update(org, 999, patch, NOW), null)
    await plain.objects.put(org, [{ ...VAN, ident: '2' }], NOW)
    assert.equal(await store.objects.update(org, id, { ident: '2' }, NOW), 'ident_taken')
    await store.objects.delete(org, id)
    assert.equal(await store.objects.delete(org, id), false)
    assert.deepEqual(await added(), [
      entry('object.create', id, 'Van'),
      entry('object.update', id, 'Bus', {
        name: { from: 'Van', to: 'Bus' },
        plate_number: { from: null, to: '34 ABC 123' },
        'accuracy.maximum_hdop': { from: 10, to: 2.5 },
        'accuracy.distance_source': { from: 'gps', to: 'odometer' },
      }),
      entry('object.delete', id, 'Bus'),
    ])
  })

  it('records places, and the sizes of old and new geometries', async () => {
    const fence = idOf(await store.geofences.put(org, [FENCE], NOW))
    const route = idOf(await store.routes.put(org, [ROUTE], NOW))
    const site = idOf(await store.sites.put(org, [SITE], NOW))
    const ring: LonLat[] = [...TRIANGLE, [29, 42]]
    await store.geofences.update(org, fence, { coordinates: ring, color: '#123456' }, NOW)
    const points = [{ location: TRIANGLE[0]!, order: 1 }]
    await store.routes.update(org, route, { points, coordinates: [TRIANGLE, ring] }, NOW)
    await store.sites.update(org, site, { latitude: 40, radius: 5 }, NOW)
    await store.geofences.delete(org, fence)
    await store.routes.delete(org, route)
    await store.sites.delete(org, site)
    assert.deepEqual(await added(), [
      entry('geofence.create', fence, 'Yard'),
      entry('route.create', route, 'Way'),
      entry('site.create', site, 'Depot'),
      entry('geofence.update', fence, 'Yard', {
        coordinates: { from: '3 vertices', to: '4 vertices' },
        color: { from: null, to: '#123456' },
      }),
      entry('route.update', route, 'Way', {
        points: { from: '0 waypoints', to: '1 waypoint' },
        coordinates: { from: '1 line, 3 vertices', to: '2 lines, 7 vertices' },
      }),
      entry('site.update', site, 'Depot', { latitude: { from: 41, to: 40 } }),
      entry('geofence.delete', fence, 'Yard'),
      entry('route.delete', route, 'Way'),
      entry('site.delete', site, 'Depot'),
    ])
  })

  it('records a bulk write in one entry, and nothing for unchanged items', async () => {
    const entries = ['1', '2', '3'].map((ident) => ({ ...VAN, ident }))
    const first = idOf(await store.objects.put(org, entries.slice(0, 1), NOW))
    await store.objects.put(org, entries, NOW)
    await store.objects.put(org, entries, NOW)
    const renamed = { ...entries[0]!, name: 'Bus' }
    await store.objects.put(org, [renamed, entries[1]!, { ...VAN, ident: '4' }], NOW)
    await store.objects.put(org, [renamed], NOW)
    await store.objects.put(org, [{ ...renamed, vin: 'V' }], NOW)
    await store.objects.put(org, [{ ...VAN, id: first, ident: '2' }], NOW)
    await store.objects.put(org, [], NOW)
    const counts = (created: number, updated: number, unchanged: number) => ({
      created: { to: created },
      updated: { to: updated },
      unchanged: { to: unchanged },
    })
    assert.deepEqual(await added(), [
      entry('object.create', first, 'Van'),
      entry('object.import', null, null, counts(2, 0, 1)),
      entry('object.import', null, null, counts(1, 1, 1)),
      entry('object.update', first, 'Bus'),
    ])
  })

  it('records positions to be recomputed, if there are any', async () => {
    const made = await plain.objects.ensure(org, ['van', 'never seen'], NOW)
    const ids = [...made.ids.values()]
    await plain.positions.append(org, [{ object: ids[0]!, fix: FIX }], PLAIN)
    await store.positions.requestRefold({ organization: org, object: null })
    await store.positions.requestRefold({ organization: org, object: ids[0]! })
    await store.positions.requestRefold({ organization: org, object: ids[1]! })
    assert.deepEqual(await added(), [
      entry('positions.recompute', null, null, { objects: { to: 1 } }),
      entry('positions.recompute', ids[0]!, 'van', { objects: { to: 1 } }),
    ])
  })

  it('records people and their ways in by name and role, but no secret', async () => {
    const { access, accounts } = store
    let secrets = 0
    const secret = (name: string) => ({ ...KEY, name, hash: `secret ${secrets++}` })
    const byNobody = { account: null, token: null }
    const token = { role: 'support', organization: null, kind: 'token' } as const
    const issuedBy = async (issuer: number | null) => {
      const given = { ...secret('sync'), ...token }
      const issued = await access.issue(given, { ...byNobody, token: issuer }, NOW)
      return (issued as AccessCredential).id
    }
    const link = secret('')
    await access.inviteFirst(link, NOW)
    const ada = { email: 'ada@example.com', name: 'Ada', password: 'secret first' }
    const { id } = (await access.acceptAsNewcomer(link.hash, ada, NOW)) as Account
    const session = { ...secret('Firefox'), account: id, isSignOn: false, sid: null }
    await access.openSession(session, { password: 'secret first' }, NOW)
    await accounts.changePassword(id, 'no', 'no', null)
    await accounts.changePassword(id, 'secret first', 'secret second', null)
    await accounts.setSecondFactor(id, { totp: 'secret', recoveryCodes: ['secret code'] })
    await accounts.takeStep(id, 1)
    await accounts.takeRecoveryCode(id, 'secret code')
    await setRole(accounts, id, org, 'viewer')
    await setRole(accounts, id, org, 'viewer')
    assert.equal(await setRole(accounts, id, null, null), 'last_operator')
    await accounts.update(id, { name: 'Ada' }, null, NOW)
    await accounts.update(id, { name: 'Ada L.' }, null, NOW)
    await access.endSessions(id, null)
    const [first, last] = [await issuedBy(null), await issuedBy(null)]
    const below = await issuedBy(first)
    assert.equal((await access.revoke('token', first)).length, 2)
    assert.deepEqual(await access.revoke('token', 999), [])
    await access.setSettings({ requiresTotp: true })
    await access.setSettings({ requiresTotp: true })
    await access.issueReset({ ...secret(''), account: id }, null, NOW)
    const identity = { issuer: 'https://id.example.com', subject: 'secret subject' }
    await accounts.link(id, identity)
    await accounts.setSignOnRoles(id, [{ role: 'support', organization: null }])
    await accounts.unlink(id, null)
    assert.equal(await accounts.delete(id, null), 'last_operator')
    const eve = { email: 'eve@example.com', name: 'Eve', password: null, identity }
    const other = (await accounts.create(eve, NOW)) as Account
    await setRole(accounts, other.id, org, 'viewer')
    await accounts.delete(other.id, null)
    const entries = await added()
    const person = (action: string, changes: object | null = null) =>
      entry(action, id, ada.email, changes as never)
    const role = { role: { to: 'support' } }
    const fromSignOn = 'operator, support (single sign-on)'
    const inOrganization = { role: { from: null, to: 'viewer' } }
    assert.deepEqual(
      entries.map(({ organization, ...each }) => each),
      [
        person('invitation.accept', { roles: { to: 'operator' } }),
        entry('session.sign_in', id, null, {}),
        person('person.change_password'),
        person('person.set_up_codes'),
        person('person.use_recovery_code'),
        person('person.set_role', inOrganization),
        person('person.update', { name: { from: 'Ada', to: 'Ada L.' } }),
        entry('token.issue', first, 'sync', role),
        entry('token.issue', last, 'sync', role),
        entry('token.issue', below, 'sync', { ...role, issuer: { to: first } }),
        entry('token.revoke', first, 'sync'),
        entry('token.revoke', below, 'sync'),
        entry('access.update', null, null, { requires_totp: { from: false, to: true } }),
        entry('person.reset', id, null),
        person('person.link', { issuer: { to: identity.issuer } }),
        person('person.set_role', { role: { from: 'operator', to: fromSignOn } }),
        person('person.unlink'),
        person('person.set_role', { role: { from: fromSignOn, to: 'operator' } }),
        entry('person.create', other.id, eve.email),
        entry('person.set_role', other.id, eve.email, inOrganization),
        entry('person.delete', other.id, eve.email),
        entry('person.set_role', other.id, eve.email, { role: { from: 'viewer', to: null } }),
      ].map(({ organization, ...each }) =>
        each.action === 'invitation.accept'
          ? { ...each, actor: 'person 1 Ada <ada@example.com>' }
          : each,
      ),
    )
    const places = entries.filter(({ organization }) => organization === org)
    assert.deepEqual(
      places.map(({ action }) => action),
      ['person.set_role', 'person.set_role', 'person.set_role'],
    )
    assert.doesNotMatch(JSON.stringify(entries), /secret/)
  })

  it('records the positions of an import and its new objects, if there are any', async () => {
    const { ids, created } = await store.objects.ensure(org, ['van'], NOW)
    assert.equal(created, 1)
    await store.objects.ensure(org, ['van'], NOW)
    const position = { object: ids.get('van')!, fix: FIX }
    await store.positions.append(org, [position, position], PLAIN)
    await store.positions.append(org, [position], PLAIN)
    const counts = {
      accepted: { to: 1 },
      duplicate: { to: 1 },
      conflict: { to: 0 },
      rejected: { to: 0 },
    }
    assert.deepEqual(await added(), [
      entry('object.import', null, null, { created: { to: 1 } }),
      entry('positions.import', null, null, counts),
    ])
  })

  it('records an import of several transactions once, with what was stored before a failure', async () => {
    const { ids } = await plain.objects.ensure(org, ['van'], NOW)
    const position = { object: ids.get('van')!, fix: FIX }
    const sizes: number[] = []
    const failing: Store['positions'] = {
      ...plain.positions,
      append(organization, fixes, rules, note) {
        sizes.push(fixes.length)
        if (fixes.length < 2) return Promise.reject(new StoreUnavailable('down'))
        return plain.positions.append(organization, fixes, rules, note)
      },
    }
    const sliced = auditedStore({ ...plain, positions: failing }, 'console', clock, null, 2)
    const all = [position, position, position, position]
    assert.equal((await sliced.positions.append(org, all, PLAIN)).length, 4)
    assert.deepEqual(sizes.splice(0), [2, 2])
    const counts = (accepted: number, duplicate: number) => ({
      ...{ accepted: { to: accepted }, duplicate: { to: duplicate } },
      ...{ conflict: { to: 0 }, rejected: { to: 0 } },
    })
    const later = { object: position.object, fix: { ...FIX, timeDevice: FIX.timeDevice + 1_000 } }
    await assert.rejects(sliced.positions.append(org, [later, later, position], PLAIN))
    assert.deepEqual(sizes, [2, 1])
    assert.deepEqual(await added(), [
      entry('positions.import', null, null, counts(1, 3)),
      entry('positions.import', null, null, counts(1, 1)),
    ])
  })

  it('records no reads', async () => {
    assert.equal((await store.objects.list(org)).length, 0)
    assert.equal((await store.organizations.list()).length, 1)
    assert.ok((await store.secret()).equals(await plain.secret()))
    assert.deepEqual(await added(), [])
  })
})
