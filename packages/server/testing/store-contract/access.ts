import assert from 'node:assert/strict'
import { describe } from 'node:test'
import {
  type AccessCredential,
  type Account,
  type HeldRole,
  isInForce,
} from '../../src/base/domain/account.ts'
import type { Store } from '../../src/engine/store/store.ts'
import {
  freshRoleCredential,
  freshSecret,
  freshSession,
  issue,
  NOBODY,
  newAccount,
  setRole,
} from './access-fixture.ts'
import { atOnce, MISSING, NOW, newOrganization, type StoreTest } from './fixture.ts'

const OPERATOR: HeldRole = { role: 'operator', organization: null }
const SUPPORT: HeldRole = { role: 'support', organization: null }
const PASSWORD = { password: 'a' }

const idsOf = (listed: readonly (AccessCredential | { credential: AccessCredential })[]) =>
  listed.map((each) => ('credential' in each ? each.credential.id : each.id))

const tokensOf = async ({ access }: Store) => idsOf(await access.list('token'))

async function isValid({ access }: Store, { hash }: { hash: string }, now = NOW): Promise<boolean> {
  const found = await access.find(hash)
  return found !== null && isInForce(found, now)
}

const newcomer = (email = 'eve@example.com') => ({ email, name: 'Eve', password: 'b' })

export function accessContract(it: StoreTest): void {
  describe('A session', () => {
    it('is opened by what proves the person, and found with the account as it is', async (store, reopen) => {
      const { access, accounts } = store
      const ada = await newAccount(store, [SUPPORT])
      const session = freshSession(ada.id)
      const opened = (await access.openSession(session, PASSWORD, NOW))!
      const { id } = opened
      const rest = { role: null, organization: null, issuedBy: null, issuer: null }
      const times = { createdAt: NOW, lastUsedAt: null }
      assert.deepEqual(opened, { id, kind: 'session', ...session, ...rest, ...times })
      const other = await reopen()
      const account = { ...ada, lastSignInAt: NOW }
      const found = { credential: opened, account, issuedBy: null }
      assert.deepEqual(await other.access.find(session.hash), found)
      assert.deepEqual(await other.access.list('session'), [found])
      await setRole(accounts, ada.id, null, null)
      assert.deepEqual((await other.access.find(session.hash))!.account!.roles, [])
      const identity = { issuer: 'https://id.example.com', subject: '1' }
      for (const proof of [{ password: 'b' }, { identity }]) {
        assert.equal(await access.openSession(freshSession(ada.id), proof, NOW), null)
      }
      assert.equal(await access.openSession(freshSession(MISSING), PASSWORD, NOW), null)
      await accounts.link(ada.id, identity)
      const by = await access.openSession(freshSession(ada.id, true), { identity }, NOW + 1)
      assert.equal(by!.isSignOn, true)
      assert.equal((await accounts.find(ada.id))!.lastSignInAt, NOW + 1)
      const bob = await newAccount(store)
      assert.equal(await access.openSession(freshSession(bob.id), { identity }, NOW), null)
    })

    it('is not opened by a password that changes meanwhile', async (store, reopen) => {
      const other = await reopen()
      const ada = await newAccount(store)
      const [, sessions] = await Promise.all([
        store.accounts.changePassword(ada.id, 'a', 'b', null),
        atOnce(6, [store, other], (by) =>
          by.access.openSession(freshSession(ada.id), PASSWORD, NOW),
        ),
      ])
      for (const session of sessions) {
        if (session !== null) assert.equal(await store.access.find(session.hash), null)
      }
      assert.deepEqual(await store.access.list('session'), [])
    })

    it('ends alone, or with all others of its person', async (store) => {
      const { access } = store
      const [ada, bob] = [await newAccount(store), await newAccount(store)]
      const open = async ({ id }: Account) =>
        (await access.openSession(freshSession(id), PASSWORD, NOW))!
      const [one, two, three, his] = [
        await open(ada),
        await open(ada),
        await open(ada),
        await open(bob),
      ]
      assert.deepEqual(await access.revoke('token', one.id), [])
      assert.deepEqual(await access.revoke('session', one.id), [one])
      assert.equal(await access.endSessions(ada.id, two.id), 1)
      assert.deepEqual(idsOf(await access.list('session')), [two.id, his.id])
      assert.equal(await access.find(three.hash), null)
    })
  })

  describe('A session of single sign-on', () => {
    it('ends when its provider says so, by person, by sign-in, or by both', async (store, reopen) => {
      const { access, accounts } = store
      const other = (await reopen()).access
      const issuer = 'https://id.example.com'
      const [ada, bob] = [await newAccount(store), await newAccount(store)]
      await accounts.link(ada.id, { issuer, subject: 'Ada' })
      await accounts.link(bob.id, { issuer, subject: 'Bob' })
      const identities = { [ada.id]: 'Ada', [bob.id]: 'Bob' }
      const open = async ({ id }: Account, sid: string | null) => {
        const proof = { identity: { issuer, subject: identities[id]! } }
        return (await access.openSession({ ...freshSession(id, true), sid }, proof, NOW))!.id
      }
      const byPassword = (await access.openSession(freshSession(ada.id), PASSWORD, NOW))!.id
      const end = async (subject: string | null, sid: string | null, of = issuer) =>
        idsOf(await other.endSignOn({ issuer: of, subject, sid }))
      const [one, two, unknown, his] = [
        await open(ada, 'one'),
        await open(ada, 'two'),
        await open(ada, null),
        await open(bob, 'his'),
      ]
      assert.deepEqual(await end('Ada', null, 'https://another.example.com'), [])
      assert.deepEqual(await end(null, 'one', 'https://another.example.com'), [])
      assert.deepEqual(await end('Bob', 'one'), [])
      assert.deepEqual(await end(null, 'one'), [one])
      assert.deepEqual(await end('Ada', 'two'), [two, unknown])
      const again = [await open(ada, 'three'), await open(ada, null)]
      assert.deepEqual(await end('Ada', null), again)
      assert.deepEqual(idsOf(await access.list('session')), [byPassword, his])
    })
  })

  describe('A token', () => {
    it('has the role that its issuer gives, and no more than the issuer has', async (store) => {
      const { access } = store
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      const ada = await newAccount(store, [{ role: 'administrator', organization: one }])
      const by = { account: ada.id, token: null }
      const allowed = [
        { role: 'administrator', organization: one },
        { role: 'viewer', organization: one },
      ] as const
      for (const given of allowed) {
        const { role, organization, issuedBy, issuer } = await issue(store, given, by)
        assert.deepEqual([role, organization, issuedBy, issuer], [given.role, one, ada.id, null])
      }
      const refused = [
        OPERATOR,
        SUPPORT,
        { role: 'viewer', organization: two },
        { role: 'administrator', organization: MISSING },
      ] as const
      for (const role of refused) {
        assert.equal(
          await access.issue(freshRoleCredential(role), by, NOW),
          'issuer_ended',
          role.role,
        )
      }
      const viewing = await issue(store, { role: 'viewer', organization: one }, by)
      const byToken = { account: ada.id, token: viewing.id }
      assert.equal(
        await access.issue(freshRoleCredential(allowed[0]), byToken, NOW),
        'issuer_ended',
      )
      assert.equal((await issue(store, allowed[1], byToken)).issuer, viewing.id)
      const missing = freshRoleCredential({ role: 'viewer', organization: MISSING })
      assert.equal(await access.issue(missing, NOBODY, NOW), 'no_organization')
    })

    it('is in force as long as its person may give what it has', async (store) => {
      const { accounts } = store
      await newAccount(store, [OPERATOR])
      const organization = await newOrganization(store)
      const ada = await newAccount(store, [OPERATOR])
      const role = { role: 'administrator', organization } as const
      const by = { account: ada.id, token: null }
      const token = await issue(store, { ...role, expiresAt: NOW + 10 }, by)
      const below = await issue(store, role, { account: ada.id, token: token.id })
      assert.ok(await isValid(store, token, NOW + 9))
      assert.ok(!(await isValid(store, token, NOW + 10)))
      await setRole(accounts, ada.id, null, 'support')
      for (const each of [token, below]) assert.ok(!(await isValid(store, each)))
      await setRole(accounts, ada.id, organization, 'administrator')
      for (const each of [token, below]) assert.ok(await isValid(store, each))
      await accounts.update(ada.id, { isDisabled: true }, null, NOW)
      for (const each of [token, below]) assert.ok(!(await isValid(store, each)))
      assert.equal(
        await store.access.issue(freshRoleCredential(role), by, NOW),
        'issuer_ended',
        'nor does a disabled person issue one',
      )
    })

    it('ends with all that it issued, directly or indirectly, in every process', async (store, reopen) => {
      const by = (token: AccessCredential) => ({ account: null, token: token.id })
      const first = await issue(store)
      const kept = await issue(store)
      const second = await issue(store, SUPPORT, by(first))
      const third = await issue(store, SUPPORT, by(second))
      const ofKept = await issue(store, {}, by(kept))
      const other = await reopen()
      const ended = await other.access.revoke('token', first.id)
      assert.deepEqual(idsOf(ended), idsOf([first, second, third]))
      assert.deepEqual(await tokensOf(store), idsOf([kept, ofKept]))
      assert.equal(await store.access.find(third.hash), null)
      assert.deepEqual(await other.access.revoke('token', first.id), [])
      const next = await issue(store)
      assert.ok(next.id > third.id, 'an id is not given twice')
    })

    it('ends with its organization', async (store) => {
      const organization = await newOrganization(store)
      const kept = await issue(store)
      const ended = await issue(store, { role: 'viewer', organization })
      assert.equal(await store.organizations.delete(organization), true)
      assert.equal(await store.access.find(ended.hash), null)
      assert.deepEqual(await tokensOf(store), [kept.id])
    })

    it('is not there if it was issued while its issuer or its organization ended', async (store, reopen) => {
      const other = await reopen()
      for (const ending of ['issuer', 'organization'] as const) {
        const organization = await newOrganization(store)
        const issuer = await issue(store)
        const role = freshRoleCredential({ role: 'viewer', organization })
        const [, issued] = await Promise.all([
          ending === 'issuer'
            ? store.access.revoke('token', issuer.id)
            : store.organizations.delete(organization),
          atOnce(12, [store, other], ({ access }) =>
            access.issue(
              { ...role, ...freshSecret('x') },
              { account: null, token: issuer.id },
              NOW,
            ),
          ),
        ])
        assert.deepEqual(await tokensOf(store), ending === 'issuer' ? [] : [issuer.id])
        for (const each of issued) {
          if (typeof each === 'object') assert.equal(await other.access.find(each.hash), null)
        }
        await store.access.revoke('token', issuer.id)
      }
    })

    it('records the latest use, and is purged after it has expired', async (store) => {
      const { access } = store
      const [used, lasting] = [
        await issue(store, { expiresAt: NOW - 1 }),
        await issue(store, { expiresAt: null }),
      ]
      for (const usedAt of [NOW + 120, NOW + 60]) await access.touch(used.id, usedAt)
      await access.touch(MISSING, NOW)
      assert.equal((await access.find(used.hash))!.credential.lastUsedAt, NOW + 120)
      await access.purge(NOW)
      assert.deepEqual(await tokensOf(store), [lasting.id])
    })
  })

  describe('An invitation', () => {
    it('is replaced until there is an account, if it is that of the first operator', async (store, reopen) => {
      const other = await reopen()
      const first = freshSecret('', null)
      await store.access.inviteFirst(first, NOW)
      await atOnce(6, [store, other], ({ access }) =>
        access.inviteFirst(freshSecret('', null), NOW),
      )
      const [left, ...more] = await store.access.list('invitation')
      assert.deepEqual(more, [])
      assert.equal(await store.access.acceptAsNewcomer(first.hash, newcomer(), NOW), null)
      const { hash } = left!.credential
      const made = (await other.access.acceptAsNewcomer(hash, newcomer(), NOW)) as Account
      assert.deepEqual(made.roles, [{ ...OPERATOR, isFromSignOn: false }])
      assert.deepEqual([made.email, made.name, made.hasPassword], ['eve@example.com', 'Eve', true])
      assert.equal(await store.access.inviteFirst(freshSecret('', null), NOW), null)
      assert.deepEqual(await store.access.list('invitation'), [])
    })

    it('for the first operator is worth nothing once there is another account', async (store) => {
      const first = freshSecret('', null)
      await store.access.inviteFirst(first, NOW)
      await newAccount(store)
      assert.equal(await store.access.acceptAsNewcomer(first.hash, newcomer(), NOW), null)
    })

    it('makes one account of several simultaneous uses, with the address that it is for', async (store, reopen) => {
      const other = await reopen()
      const organization = await newOrganization(store)
      const role = { kind: 'invitation', role: 'viewer', organization } as const
      const invitation = await issue(store, { ...role, name: 'for@example.com' })
      const made = await atOnce(8, [store, other], ({ access }, index) =>
        access.acceptAsNewcomer(invitation.hash, newcomer(`${index}@example.com`), NOW),
      )
      const accounts = made.filter((each) => each !== null)
      assert.equal(accounts.length, 1)
      assert.deepEqual(
        (await store.accounts.list()).map(({ email }) => email),
        ['for@example.com'],
      )
      const again = await issue(store, { ...role, name: 'for@example.com' })
      assert.equal(await store.access.acceptAsNewcomer(again.hash, newcomer(), NOW), 'email_taken')
    })

    it('gives its role to the account that it is for, once, and takes nothing away', async (store) => {
      const { access } = store
      const organization = await newOrganization(store)
      const [ada, bob] = [await newAccount(store), await newAccount(store)]
      const invite = (role: 'administrator' | 'viewer') =>
        issue(store, { kind: 'invitation', role, organization, name: ada.email })
      const { hash } = await invite('administrator')
      assert.equal(await access.acceptAs(hash, bob.id, NOW), null)
      const roles = [{ role: 'administrator', organization, isFromSignOn: false }]
      assert.deepEqual((await access.acceptAs(hash, ada.id, NOW))!.roles, roles)
      assert.equal(await access.acceptAs(hash, ada.id, NOW), null)
      const lesser = await invite('viewer')
      assert.deepEqual((await access.acceptAs(lesser.hash, ada.id, NOW))!.roles, roles)
    })

    it('is worth nothing after its time, or when its issuer may not give it any more', async (store) => {
      const { access, accounts } = store
      const organization = await newOrganization(store)
      const ada = await newAccount(store, [{ role: 'administrator', organization }])
      const role = { kind: 'invitation', role: 'administrator', organization } as const
      const by = { account: ada.id, token: null }
      const invite = () => issue(store, { ...role, name: 'eve@example.com' }, by)
      const late = await invite()
      assert.equal(await access.acceptAsNewcomer(late.hash, newcomer(), NOW + 1_000), null)
      const [first, second] = [await invite(), await invite()]
      await setRole(accounts, ada.id, organization, 'viewer')
      assert.equal(await access.acceptAsNewcomer(first.hash, newcomer(), NOW), null)
      await setRole(accounts, ada.id, organization, 'administrator')
      await access.revoke('invitation', first.id)
      assert.equal(await access.acceptAsNewcomer(first.hash, newcomer(), NOW), null)
      const token = await issue(store)
      assert.equal(await access.acceptAsNewcomer(token.hash, newcomer(), NOW), null)
      assert.ok((await access.acceptAsNewcomer(second.hash, newcomer(), NOW)) !== null)
    })
  })

  describe('A link for another password', () => {
    it('sets it once, and ends the second factor and the sessions', async (store, reopen) => {
      const other = await reopen()
      const { access, accounts } = store
      const ada = await newAccount(store)
      await accounts.setSecondFactor(ada.id, { totp: 'SECRET', recoveryCodes: ['x'] })
      const session = (await access.openSession(freshSession(ada.id), PASSWORD, NOW))!
      const [replaced, reset] = [freshSecret(''), freshSecret('')]
      await access.issueReset({ ...replaced, account: ada.id }, null, NOW)
      await access.issueReset({ ...reset, account: ada.id }, null, NOW)
      assert.equal(await access.resetPassword(replaced.hash, 'b', NOW), null)
      assert.equal(await access.resetPassword(reset.hash, 'b', NOW + 1_000), null)
      const set = await atOnce(6, [store, other], ({ access }, index) =>
        access.resetPassword(reset.hash, `b ${index}`, NOW),
      )
      const winners = set.flatMap((each, index) => (each === null ? [] : [index]))
      assert.equal(winners.length, 1)
      assert.deepEqual(await accounts.secrets(ada.id), { password: `b ${winners[0]}`, totp: null })
      assert.equal(await accounts.takeRecoveryCode(ada.id, 'x'), false)
      assert.equal(await access.find(session.hash), null)
      const missing = { ...freshSecret(''), account: MISSING }
      assert.equal(await access.issueReset(missing, null, NOW), null)
    })

    it('is only for people about whom its issuer decides, as long as that is so', async (store) => {
      const { access, accounts } = store
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      const by = await newAccount(store, [{ role: 'administrator', organization: one }])
      const inOne = await newAccount(store, [{ role: 'administrator', organization: one }])
      const inBoth = await newAccount(store, [
        { role: 'viewer', organization: one },
        { role: 'viewer', organization: two },
      ])
      const supporting = await newAccount(store, [SUPPORT])
      const nobody = await newAccount(store)
      for (const { id } of [inBoth, supporting, nobody]) {
        assert.equal(await access.issueReset({ ...freshSecret(''), account: id }, by.id, NOW), null)
      }
      const reset = freshSecret('')
      assert.ok((await access.issueReset({ ...reset, account: inOne.id }, by.id, NOW)) !== null)
      await setRole(accounts, inOne.id, two, 'viewer')
      assert.equal(await access.resetPassword(reset.hash, 'b', NOW), null)
      await setRole(accounts, inOne.id, two, null)
      assert.ok((await access.resetPassword(reset.hash, 'b', NOW)) !== null)
      const again = freshSecret('')
      assert.ok((await access.issueReset({ ...again, account: inOne.id }, by.id, NOW)) !== null)
      await accounts.link(inOne.id, { issuer: 'https://id.example.com', subject: 'x' })
      assert.equal(await access.resetPassword(again.hash, 'b', NOW), null)
      const late = { ...freshSecret(''), account: inOne.id }
      assert.equal(await access.issueReset(late, by.id, NOW), null)
      const operator = await newAccount(store, [OPERATOR])
      assert.ok((await access.issueReset(late, operator.id, NOW)) !== null)
    })
  })

  describe('The settings of access', () => {
    it('are kept', async ({ access }, reopen) => {
      assert.deepEqual(await access.settings(), { requiresTotp: false })
      assert.deepEqual(await access.setSettings({ requiresTotp: true }), { requiresTotp: true })
      assert.deepEqual(await (await reopen()).access.settings(), { requiresTotp: true })
      const UNKNOWN = { apiUrl: null, consoleUrl: null, feedUrl: null }
      const addresses = { ...UNKNOWN, consoleUrl: 'https://console.example.com' }
      assert.deepEqual(await access.addresses(), UNKNOWN)
      await access.setAddresses(addresses)
      assert.deepEqual(await (await reopen()).access.addresses(), addresses)
      assert.deepEqual(await access.settings(), { requiresTotp: true })
    })
  })
}
