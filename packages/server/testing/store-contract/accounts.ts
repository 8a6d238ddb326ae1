import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Account, HeldRole } from '../../src/base/domain/account.ts'
import type { AccountPatch, AccountStore, NewAccount } from '../../src/engine/store/access-store.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { freshSession, issue, newAccount, setRole } from './access-fixture.ts'
import { atOnce, MISSING, NOW, newOrganization, type StoreTest } from './fixture.ts'

const OPERATOR: HeldRole = { role: 'operator', organization: null }
const IDENTITY = { issuer: 'https://id.example.com', subject: 'Ada' }

const rolesOf = (account: unknown) =>
  (account as Account).roles.map(({ role, organization, isFromSignOn }) => [
    role,
    organization,
    isFromSignOn,
  ])

async function signedIn({ access }: Store, { id }: Account, password = 'a'): Promise<string> {
  const session = freshSession(id)
  assert.ok((await access.openSession(session, { password }, NOW)) !== null)
  return session.hash
}

const isOpen = async ({ access }: Store, hash: string) => (await access.find(hash)) !== null

export function accountContract(it: StoreTest): void {
  describe('An account', () => {
    it('is found by id, address and identity, in every process', async (store, reopen) => {
      const { accounts } = store
      assert.equal(await accounts.exist(), false)
      const given: NewAccount = {
        email: 'ada@example.com',
        name: 'Ada',
        password: null,
        identity: IDENTITY,
      }
      const ada = await accounts.create(given, NOW)
      const expected: Account = {
        id: (ada as Account).id,
        email: 'ada@example.com',
        name: 'Ada',
        createdAt: NOW,
        disabledAt: null,
        lastSignInAt: null,
        hasPassword: false,
        hasTotp: false,
        isLinked: true,
        roles: [],
      }
      assert.deepEqual(ada, expected)
      const bob = await newAccount(store)
      const other = (await reopen()).accounts
      assert.equal(await other.exist(), true)
      assert.deepEqual(await other.list(), [ada, bob])
      assert.deepEqual(await other.find(expected.id), ada)
      assert.deepEqual(await other.byEmail('ada@example.com'), ada)
      assert.deepEqual(await other.byIdentity(IDENTITY), ada)
      assert.deepEqual(await other.secrets(bob.id), { password: 'a', totp: null })
      for (const missing of [
        await other.find(MISSING),
        await other.byEmail('Ada@example.com'),
        await other.byIdentity({ ...IDENTITY, subject: 'ada' }),
        await other.secrets(MISSING),
        await other.update(MISSING, { name: 'x' }, null, NOW),
        await setRole(other, MISSING, null, 'operator'),
        await other.setSignOnRoles(MISSING, []),
        await other.link(MISSING, IDENTITY),
        await other.unlink(MISSING, null),
        await other.delete(MISSING, null),
      ]) {
        assert.equal(missing, null)
      }
    })

    it('has an address and identities that no other has, of any number made at once', async (store, reopen) => {
      const { accounts } = store
      const other = (await reopen()).accounts
      const given = { email: 'ada@example.com', name: 'Ada', password: 'a', identity: null }
      const made = await atOnce(8, [accounts, other], (by) => by.create(given, NOW))
      assert.equal(made.filter((each) => each === 'email_taken').length, 7)
      const [ada] = await accounts.list()
      const bob = await newAccount(store)
      assert.equal(((await accounts.link(ada!.id, IDENTITY)) as Account).isLinked, true)
      assert.equal(await other.link(bob.id, IDENTITY), 'identity_taken')
      const carl = { email: 'carl@example.com', name: 'Carl', password: null, identity: IDENTITY }
      assert.equal(await other.create(carl, NOW), 'identity_taken')
      assert.equal((await accounts.list()).length, 2)
    })

    it('has one role of its own in each organization, and what single sign-on gives', async (store) => {
      const { accounts, organizations } = store
      const { id } = await newAccount(store)
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      await setRole(accounts, id, two, 'viewer')
      await setRole(accounts, id, one, 'viewer')
      await setRole(accounts, id, one, 'administrator')
      assert.equal(await setRole(accounts, id, MISSING, 'viewer'), 'no_organization')
      assert.deepEqual(rolesOf(await setRole(accounts, id, null, 'support')), [
        ['support', null, false],
        ['administrator', one, false],
        ['viewer', two, false],
      ])
      const fromSignOn: HeldRole[] = [
        { role: 'viewer', organization: one },
        { role: 'viewer', organization: MISSING },
      ]
      assert.deepEqual(rolesOf(await accounts.setSignOnRoles(id, fromSignOn)), [
        ['support', null, false],
        ['administrator', one, false],
        ['viewer', one, true],
        ['viewer', two, false],
      ])
      await setRole(accounts, id, one, null)
      await organizations.delete(two)
      assert.deepEqual(rolesOf(await accounts.find(id)), [
        ['support', null, false],
        ['viewer', one, true],
      ])
      await accounts.setSignOnRoles(id, [])
      assert.deepEqual(rolesOf(await accounts.find(id)), [['support', null, false]])
    })

    it('loses identities, and what single sign-on opened and gave, when it is unlinked', async (store) => {
      const { accounts } = store
      const organization = await newOrganization(store)
      const ada = await newAccount(store)
      assert.equal(await accounts.unlink(ada.id, null), 'not_linked')
      await accounts.link(ada.id, IDENTITY)
      await accounts.link(ada.id, { ...IDENTITY, subject: 'Ada 2' })
      await setRole(accounts, ada.id, organization, 'viewer')
      await accounts.setSignOnRoles(ada.id, [{ role: 'administrator', organization }])
      const byPassword = await signedIn(store, ada)
      const bySignOn = freshSession(ada.id, true)
      await store.access.openSession(bySignOn, { identity: IDENTITY }, NOW)
      const unlinked = (await accounts.unlink(ada.id, null)) as Account
      assert.equal(unlinked.isLinked, false)
      assert.deepEqual(rolesOf(unlinked), [['viewer', organization, false]])
      assert.equal(await accounts.byIdentity(IDENTITY), null)
      assert.deepEqual(
        [await isOpen(store, byPassword), await isOpen(store, bySignOn.hash)],
        [true, false],
      )
    })

    it('goes with its identities, its ways in and those that it issued, and its id is free for nobody', async (store, reopen) => {
      const { accounts, access } = store
      const other = await reopen()
      await newAccount(store, [OPERATOR])
      const ada = await newAccount(store, [OPERATOR])
      await accounts.link(ada.id, IDENTITY)
      const session = await signedIn(store, ada)
      const by = { account: ada.id, token: null }
      const token = await issue(store, {}, by)
      const below = await issue(store, {}, { account: ada.id, token: token.id })
      const invitation = await issue(store, { kind: 'invitation', name: 'x@example.com' }, by)
      const foreign = await issue(store)
      const current = await accounts.find(ada.id)
      const deleted = await atOnce(4, [accounts, other.accounts], (each) =>
        each.delete(ada.id, null),
      )
      assert.deepEqual(
        deleted.filter((each) => each !== null),
        [current],
      )
      for (const hash of [session, token.hash, below.hash, invitation.hash]) {
        assert.equal(await isOpen(other, hash), false)
      }
      assert.ok(await isOpen(store, foreign.hash))
      assert.equal(await accounts.byIdentity(IDENTITY), null)
      assert.equal(await access.openSession(freshSession(ada.id), { password: 'a' }, NOW), null)
      assert.ok((await newAccount(store)).id > ada.id)
    })

    it('is deleted, unlinked, disabled and renamed by somebody who manages it alone', async (store) => {
      const { accounts } = store
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      const viewer = { role: 'viewer', organization: one } as const
      const admin = await newAccount(store, [{ role: 'administrator', organization: one }])
      const own = await newAccount(store, [viewer])
      const shared = await newAccount(store, [viewer, { role: 'viewer', organization: two }])
      for (const { id } of [shared, await newAccount(store), await newAccount(store, [OPERATOR])]) {
        assert.equal(await accounts.delete(id, admin.id), 'unmanaged')
        assert.equal(await accounts.unlink(id, admin.id), 'unmanaged')
        for (const patch of [{ isDisabled: true }, { name: 'x' }]) {
          assert.equal(await accounts.update(id, patch, admin.id, NOW), 'unmanaged')
        }
      }
      assert.equal(await accounts.delete(own.id, MISSING), 'caller_ended')
      assert.equal(await accounts.update(own.id, { name: 'x' }, MISSING, NOW), 'caller_ended')
      const renamed = await accounts.update(own.id, { name: 'x' }, admin.id, NOW)
      assert.equal((renamed as Account).name, 'x')
      await accounts.link(own.id, IDENTITY)
      assert.equal(((await accounts.unlink(own.id, admin.id)) as Account).isLinked, false)
      assert.equal(((await accounts.delete(own.id, admin.id)) as Account).id, own.id)
    })

    it('gets roles from somebody who gives them there, all of a change or nothing', async (store) => {
      const { accounts } = store
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      const admin = await newAccount(store, [{ role: 'administrator', organization: one }])
      const support = await newAccount(store, [{ role: 'support', organization: null }])
      const { id } = await newAccount(store, [{ role: 'viewer', organization: one }])
      const patchOf = (organization: number | null): AccountPatch => ({
        name: 'Renamed',
        role: { role: organization === null ? 'support' : 'viewer', organization },
      })
      const before = await accounts.find(id)
      assert.equal(await accounts.update(id, patchOf(two), admin.id, NOW), 'unmanaged')
      assert.equal(await accounts.update(id, patchOf(null), admin.id, NOW), 'unmanaged')
      assert.equal(await accounts.update(id, patchOf(one), support.id, NOW), 'unmanaged')
      assert.equal(await accounts.update(id, patchOf(MISSING), null, NOW), 'no_organization')
      assert.deepEqual(await accounts.find(id), before)
      const ended = { ...patchOf(one), role: { role: null, organization: one } }
      const after = (await accounts.update(id, ended, admin.id, NOW)) as Account
      assert.deepEqual([after.name, after.roles], ['Renamed', []])
    })

    it('is changed by one of two who change each other at once, in any process', async (store, reopen) => {
      const stores = [store.accounts, (await reopen()).accounts] as const
      const organization = await newOrganization(store)
      const noRole = { role: { role: null, organization } }
      const deeds: ((by: AccountStore, whom: number, who: number) => Promise<unknown>)[] = [
        (by, whom, who) => by.delete(whom, who),
        (by, whom, who) => by.update(whom, { isDisabled: true }, who, NOW),
        (by, whom, who) => by.update(whom, noRole, who, NOW),
      ]
      for (const [index, deed] of deeds.entries()) {
        const role = { role: 'administrator', organization } as const
        const pair = [await newAccount(store, [role]), await newAccount(store, [role])]
        const both = await atOnce(2, stores, (by, at) => deed(by, pair[at]!.id, pair[1 - at]!.id))
        const refused = both.filter((each) => typeof each === 'string')
        assert.deepEqual(refused, [index === 2 ? 'unmanaged' : 'caller_ended'])
      }
    })

    it('loses its sessions when it is disabled, and does not get them back', async (store) => {
      const { accounts, access } = store
      const [ada, bob] = [await newAccount(store), await newAccount(store)]
      const [hers, his] = [await signedIn(store, ada), await signedIn(store, bob)]
      assert.equal((await accounts.find(ada.id))!.lastSignInAt, NOW)
      const disabled = await accounts.update(ada.id, { isDisabled: true }, null, NOW + 1)
      assert.deepEqual(disabled, { ...ada, lastSignInAt: NOW, disabledAt: NOW + 1 })
      assert.deepEqual([await isOpen(store, hers), await isOpen(store, his)], [false, true])
      await accounts.update(ada.id, { isDisabled: true, name: 'Ada L.' }, null, NOW + 2)
      assert.equal((await accounts.find(ada.id))!.disabledAt, NOW + 1)
      assert.equal(await access.openSession(freshSession(ada.id), { password: 'a' }, NOW), null)
      const enabled = await accounts.update(ada.id, { isDisabled: false }, null, NOW + 3)
      assert.deepEqual(enabled, { ...ada, name: 'Ada L.', lastSignInAt: NOW, disabledAt: null })
      assert.equal(await isOpen(store, hers), false)
      await signedIn(store, ada)
    })

    it('keeps one session when it changes its password, which it does once of several times at once', async (store, reopen) => {
      const { accounts } = store
      const other = (await reopen()).accounts
      const [ada, bob] = [await newAccount(store), await newAccount(store)]
      const [kept, ended] = [await signedIn(store, ada), await signedIn(store, ada)]
      const his = await signedIn(store, bob)
      const keep = (await store.access.find(kept))!.credential.id
      const changes = await atOnce(6, [accounts, other], (by, index) =>
        by.changePassword(ada.id, 'a', `b ${index}`, keep),
      )
      const winners = changes.flatMap((isFirst, index) => (isFirst ? [index] : []))
      assert.equal(winners.length, 1)
      assert.equal((await accounts.secrets(ada.id))!.password, `b ${winners[0]}`)
      assert.deepEqual(
        [await isOpen(store, kept), await isOpen(store, ended), await isOpen(store, his)],
        [true, false, true],
      )
      assert.equal(await accounts.changePassword(ada.id, `b ${winners[0]}`, 'c', null), true)
      assert.equal(await isOpen(store, kept), false)
      assert.equal(await accounts.changePassword(MISSING, 'a', 'b', null), false)
    })

    it('takes each code once, in any process', async (store, reopen) => {
      const { accounts } = store
      const other = (await reopen()).accounts
      const { id } = await newAccount(store)
      assert.equal(await accounts.takeStep(id, 1), false)
      assert.equal(await accounts.takeRecoveryCode(id, 'x'), false)
      const factor = { totp: 'SECRET', recoveryCodes: ['x', 'y'] }
      assert.equal(await accounts.setSecondFactor(MISSING, factor), false)
      assert.equal(await accounts.setSecondFactor(id, factor), true)
      assert.deepEqual(await other.secrets(id), { password: 'a', totp: 'SECRET' })
      assert.equal((await other.find(id))!.hasTotp, true)
      const steps = await atOnce(8, [accounts, other], (by) => by.takeStep(id, 5))
      const codes = await atOnce(8, [accounts, other], (by) => by.takeRecoveryCode(id, 'x'))
      for (const taken of [steps, codes]) assert.equal(taken.filter(Boolean).length, 1)
      assert.equal(await accounts.takeStep(id, 4), false)
      assert.equal(await accounts.takeStep(id, 6), true)
      assert.equal(await accounts.takeRecoveryCode(id, 'z'), false)
      assert.equal(await accounts.takeRecoveryCode(id, 'y'), true)
      assert.equal(await accounts.setSecondFactor(id, null), true)
      assert.deepEqual(await other.secrets(id), { password: 'a', totp: null })
      assert.equal(await accounts.takeStep(id, 7), false)
    })
  })

  describe('The last operator', () => {
    it('can neither be disabled, deleted nor lose the role, in any process', async (store, reopen) => {
      const other = (await reopen()).accounts
      const { accounts } = store
      const ada = await newAccount(store, [OPERATOR])
      const disabled = await newAccount(store, [OPERATOR])
      await accounts.update(disabled.id, { isDisabled: true }, null, NOW)
      const noWayIn = { email: 'nobody@example.com', name: 'x', password: null, identity: null }
      const { id } = (await accounts.create(noWayIn, NOW)) as Account
      await setRole(accounts, id, null, 'operator')
      assert.equal(await accounts.update(ada.id, { isDisabled: true }, null, NOW), 'last_operator')
      assert.equal(await setRole(accounts, ada.id, null, 'support'), 'last_operator')
      assert.equal(await setRole(accounts, ada.id, null, null), 'last_operator')
      assert.equal(await accounts.delete(ada.id, null), 'last_operator')
      assert.deepEqual(await other.find(ada.id), ada)
      const bob = await newAccount(store, [OPERATOR])
      const both = await atOnce(2, [accounts, other], (by, index) =>
        by.update([ada, bob][index]!.id, { isDisabled: true }, null, NOW),
      )
      assert.equal(both.filter((each) => each === 'last_operator').length, 1)
    })

    it('does not lose the role by single sign-on either', async (store) => {
      const { accounts } = store
      const given = { email: 'ada@example.com', name: 'Ada', password: null, identity: IDENTITY }
      const { id } = (await accounts.create(given, NOW)) as Account
      await accounts.setSignOnRoles(id, [OPERATOR])
      assert.equal(await accounts.setSignOnRoles(id, []), 'last_operator')
      assert.equal(await accounts.unlink(id, null), 'last_operator')
      assert.equal(await accounts.update(id, { isDisabled: true }, null, NOW), 'last_operator')
      await newAccount(store, [OPERATOR])
      assert.deepEqual(rolesOf(await accounts.setSignOnRoles(id, [])), [])
    })
  })
}
