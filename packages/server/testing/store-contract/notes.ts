import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { ACCESS_CREDENTIALS } from '../../src/base/domain/account.ts'
import type { NewAuditEntry } from '../../src/base/domain/audit-entry.ts'
import { ORGANIZATION_DEFAULTS } from '../../src/base/domain/organization.ts'
import { type NewDelivery, WEBHOOK_DEFAULTS } from '../../src/base/domain/webhook.ts'
import type { Store } from '../../src/engine/store/store.ts'
import type { NewWebhook } from '../../src/engine/store/webhook-store.ts'
import {
  freshRoleCredential,
  freshSecret,
  freshSession,
  NOBODY,
  newAccount,
} from './access-fixture.ts'
import {
  fixAt,
  MISSING,
  NOW,
  newKey,
  newObject,
  newOrganization,
  objectSettings,
  PLAIN,
  type StoreTest,
} from './fixture.ts'

type Entries = readonly NewAuditEntry[]
type Note = () => Entries | null
/** The ids of the things on which an act works. `MISSING`: the act finds nothing. */
type Place = Record<'organization' | 'object' | 'key' | 'site' | 'webhook' | 'person', number>
type Act = (store: Store, place: Place, note: Note) => Promise<unknown>

const WEBHOOK: NewWebhook = {
  url: 'https://example.com/hook',
  ...WEBHOOK_DEFAULTS,
  ...{ secret: Buffer.from('sealed') },
}
const TEST: NewDelivery = {
  kind: 'test',
  ...{
    message: 'msg',
    createdAt: NOW,
    cursor: '',
    entries: 0,
    disclosed: null,
    body: Buffer.from('{}'),
  },
}
const SITE = { name: 'Depot', description: null, icon: null, latitude: 1, longitude: 2, radius: 3 }
const INVITATION = {
  ...freshRoleCredential(),
  kind: 'invitation',
  name: 'eve@example.com',
} as const
const NEW_ORGANIZATION = { ...ORGANIZATION_DEFAULTS, name: 'Other' }

/** Acts on something that exists. */
const ON_EXISTING: Record<string, Act> = {
  'a change of an organization': (store, { organization }, note) =>
    store.organizations.update(organization, { name: 'Renamed' }, NOW, note),
  'a deletion of an organization': (store, { organization }, note) =>
    store.organizations.delete(organization, note),
  'a revocation of a key': (store, { organization, key }, note) =>
    store.keys.revoke(organization, key, NOW, note),
  'a rotation of a key': (store, { organization, key }, note) =>
    store.keys.rotate(organization, key, newKey('next'), NOW + 9, NOW, note),
  'a change of a key': (store, { organization, key }, note) =>
    store.keys.update(organization, key, { scope: null, recipient: 'Insurer' }, NOW, note),
  'a change of an object': (store, { organization, object }, note) =>
    store.objects.update(organization, object, { name: 'Renamed' }, NOW, note),
  'a deletion of an object': (store, { organization, object }, note) =>
    store.objects.delete(organization, object, note),
  'a change of a place': (store, { organization, site }, note) =>
    store.sites.update(organization, site, { radius: 4 }, NOW, note),
  'a deletion of a place': (store, { organization, site }, note) =>
    store.sites.delete(organization, site, note),
  'a change of a webhook': (store, { organization, webhook }, note) =>
    store.webhooks.update(organization, webhook, { from: 'now' }, NOW, note),
  'a test of a webhook': (store, { organization, webhook }, note) =>
    store.webhooks.addTest(organization, webhook, TEST, note),
  'a repeated delivery': (store, { organization, webhook }, note) =>
    store.webhooks.want(organization, webhook, 1, note),
  'a deletion of a webhook': (store, { organization, webhook }, note) =>
    store.webhooks.delete(organization, webhook, note),
  'a newcomer': (store, { organization }, note) =>
    store.access.acceptAsNewcomer(
      organization === MISSING ? 'wrong' : INVITATION.hash,
      { email: 'eve@example.com', name: 'Eve', password: 'a' },
      ...[NOW, note],
    ),
  'a change of a person': (store, { person }, note) =>
    store.accounts.update(person, { name: 'Renamed' }, null, NOW, note),
  'a deletion of a person': (store, { person }, note) => store.accounts.delete(person, null, note),
  'a role of a person': (store, { person }, note) =>
    store.accounts.update(
      person,
      { role: { role: 'support', organization: null } },
      null,
      NOW,
      note,
    ),
  'another password': (store, { person }, note) =>
    store.accounts.changePassword(person, 'a', 'b', null, note),
  'a second factor': (store, { person }, note) =>
    store.accounts.setSecondFactor(person, { totp: 'S', recoveryCodes: [] }, note),
  'a session': (store, { person }, note) =>
    store.access.openSession(freshSession(person), { password: 'a' }, NOW, note),
  'a link for another password': (store, { person }, note) =>
    store.access.issueReset({ ...freshSecret(''), account: person }, null, NOW, note),
}

/** Acts that need nothing. */
const OTHERS: Record<string, Act> = {
  'a new organization': ({ organizations }, _, note) =>
    organizations.create(NEW_ORGANIZATION, NOW, note),
  'a new key': (store, { organization }, note) =>
    store.keys.issue(organization, newKey('new'), NOW, note),
  'a new feed token': (store, { organization }, note) =>
    store.feedTokens.issue(organization, newKey('new'), NOW, note),
  'objects of an import': (store, { organization }, note) =>
    store.objects.put(organization, [objectSettings('2'), objectSettings('3')], NOW, note),
  'objects for idents': (store, { organization }, note) =>
    store.objects.ensure(organization, ['4', '5'], NOW, undefined, note),
  'a new place': (store, { organization }, note) =>
    store.sites.put(organization, [{ ...SITE, name: 'Yard' }], NOW, note),
  'a new webhook': (store, { organization }, note) =>
    store.webhooks.create(organization, WEBHOOK, NOW, note),
  'positions of an import': (store, { organization, object }, note) =>
    store.positions.append(organization, [{ object, fix: fixAt(NOW) }], PLAIN, note),
  'a new person': (store, _, note) =>
    store.accounts.create(
      { email: 'new@example.com', name: 'New', password: 'a', identity: null },
      ...[NOW, note],
    ),
  'a new token': (store, _, note) => store.access.issue(freshRoleCredential(), NOBODY, NOW, note),
  'settings of access': (store, _, note) => store.access.setSettings({ requiresTotp: true }, note),
}

const LOG = { organization: null, before: null, limit: 100 }

async function newPlace(store: Store): Promise<Place> {
  const organization = await newOrganization(store)
  const object = await newObject(store, organization)
  const scope = { operations: ['objects'], grants: null, windowShare: 2 } as const
  const limited = { ...newKey('sync'), scope }
  const { id: key } = await store.keys.issue(organization, limited, NOW)
  const [put] = await store.sites.put(organization, [SITE], NOW)
  const { id: webhook } = await store.webhooks.create(organization, WEBHOOK, NOW)
  await store.webhooks.addTest(organization, webhook, TEST)
  await store.access.issue(INVITATION, NOBODY, NOW)
  const { id: person } = await newAccount(store)
  return { organization, object, key, site: (put as { id: number }).id, webhook, person }
}

/** All that the acts may change, but for the audit log. */
async function stateOf(store: Store, { organization, webhook }: Place): Promise<unknown> {
  const states = await store.positions.states(organization)
  return [
    await store.organizations.list(),
    await store.keys.list(organization),
    await store.feedTokens.list(organization),
    await store.objects.list(organization),
    await store.sites.list(organization),
    await store.webhooks.list(organization),
    await store.webhooks.deliveries(organization, webhook),
    await store.webhooks.wanted(organization, webhook),
    await Promise.all(ACCESS_CREDENTIALS.map((kind) => store.access.list(kind))),
    await store.access.settings(),
    await Promise.all(
      (await store.accounts.list()).map(async (each) => [
        each,
        await store.accounts.secrets(each.id),
      ]),
    ),
    await store.organizations.versions(organization),
    [...states].map(([id, { timeServer }]) => [id, timeServer]),
  ]
}

export function notesContract(it: StoreTest): void {
  describe('The audit entry of an act', () => {
    for (const [name, act] of Object.entries({ ...ON_EXISTING, ...OTHERS })) {
      it(`is stored with it, or neither is: ${name}`, async (store, reopen) => {
        const place = await newPlace(store)
        const before = await stateOf(store, place)
        const entry = (action: string): NewAuditEntry => ({
          ...{ at: NOW, actor: 'console', action, organization: null, target: 7 },
          ...{ name: 'Van', changes: { name: { to: 'Van' } } },
        })
        const fail = () => assert.fail('no entry can be made')
        await assert.rejects(act(store, place, fail))
        const refused = { ...entry('refused'), action: null as unknown as string }
        await assert.rejects(act(store, place, () => [entry('kept'), refused]))
        assert.deepEqual(await stateOf(store, place), before)
        assert.deepEqual(await store.audit.list(LOG), [])

        await act(store, place, () => [entry('one'), entry('two')])
        const again = await reopen()
        const entries = await again.audit.list(LOG)
        assert.deepEqual(
          entries.map(({ id: _, ...each }) => each),
          [entry('two'), entry('one')],
        )
        assert.notDeepEqual(await stateOf(again, place), before)
      })
    }

    for (const [name, act] of Object.entries(ON_EXISTING)) {
      it(`is not made when it changes nothing: ${name}`, async (store) => {
        const { organization } = await newPlace(store)
        const missing = { object: MISSING, key: MISSING, site: MISSING, webhook: MISSING }
        const none = { ...missing, person: MISSING }
        const fail = () => assert.fail('nothing was done')
        await act(store, { organization: MISSING, ...none }, fail)
        if (name.includes('organization') || name.includes('newcomer')) return
        await act(store, { organization, ...none }, fail)
      })
    }

    it('gets new changes when a later transaction adds to the act', async (store) => {
      const { organization, object } = await newPlace(store)
      let id: number | undefined
      for (const accepted of [1, 2]) {
        const entry = {
          ...{
            at: NOW,
            actor: 'console',
            action: 'positions.import',
            organization,
            target: null,
          },
          ...{ name: null, changes: { accepted: { to: accepted } }, ...(id && { id }) },
        }
        const fix = fixAt(NOW + accepted)
        await store.positions.append(organization, [{ object, fix }], PLAIN, () => [entry])
        id = entry.id
      }
      const entries = await store.audit.list(LOG)
      assert.deepEqual(
        entries.map(({ changes }) => changes),
        [{ accepted: { to: 2 } }],
      )
      assert.equal(entries[0]!.id, id)
    })
  })
}
