import assert from 'node:assert/strict'
import { after, describe, it, type TestContext } from 'node:test'
import {
  freshSession,
  issue,
  newAccount,
  setRole,
} from '../../../../testing/store-contract/access-fixture.ts'
import { NOW, newOrganization } from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'
import type { Account } from '../../../base/domain/account.ts'
import { readSignOnRule } from '../access/sign-on-settings.ts'
import { admit, linkAccount } from './admit-person.ts'
import type { Person } from './claims.ts'
import type { SignOnFailure } from './refused-sign-on.ts'

const { store, cleanUp } = await temporaryStore()
after(cleanUp)
const { accounts, access } = store
const acme = await newOrganization(store)
const RULES = {
  rules: [`admins=operator`, `acme=viewer:${acme}`, `acme-admins=administrator:${acme}`].map(
    (each) => readSignOnRule(each)!,
  ),
  takesNewPeople: true,
}
// Somebody else, so that nobody below is the last operator.
await newAccount(store, [{ role: 'operator', organization: null }])

let people = 0
/** A person whom nobody knows yet. */
function stranger(more: Partial<Person> = {}): Person {
  people += 1
  const email = `Person${people}@Example.com`
  const issuer = 'https://id.example.com'
  return {
    ...{ issuer, subject: `${people}`, email, isEmailVerified: true, name: 'P', groups: null },
    ...more,
  }
}

const admitted = (person: Person, rules = RULES) => admit(store, person, rules, NOW)
const rolesOf = ({ roles }: Account) =>
  roles.map(({ role, organization, isFromSignOn }) => [role, organization, isFromSignOn])

async function refused(person: Person, failure: SignOnFailure, rules = RULES): Promise<void> {
  await assert.rejects(admitted(person, rules), { name: 'RefusedSignOn', failure })
}

describe('Somebody without an account', () => {
  it('gets one with the roles of the groups', async () => {
    const person = stranger({ groups: ['acme', 'acme-admins', 'others'] })
    const account = await admitted(person)
    assert.equal(account.email, person.email!.toLowerCase())
    assert.deepEqual(rolesOf(account), [['administrator', acme, true]])
    assert.equal((await admitted(person)).id, account.id)
  })

  it('is refused without a role, and gets none then', async () => {
    for (const groups of [null, [], ['others']]) {
      const person = stranger({ groups })
      await refused(person, 'no_account')
      assert.equal(await accounts.byEmail(person.email!.toLowerCase()), null)
    }
  })

  it('is refused without an address, and where only invited people are taken', async () => {
    await refused(stranger({ groups: ['acme'], email: null }), 'no_account')
    const invitedOnly = { ...RULES, takesNewPeople: false }
    await refused(stranger({ groups: ['acme'] }), 'no_account', invitedOnly)
  })

  it('gets none with an address that may be somebody else’s, whether anybody is invited by it or not', async () => {
    const person = stranger({ groups: ['acme'], isEmailVerified: false })
    await refused(person, 'unverified')
    await refused({ ...person, groups: null }, 'unverified')
    for (const email of ['\u212aim@example.com', 'ki\uff4d@example.com', '\uff2bim@example.com']) {
      await refused({ ...person, email, isEmailVerified: true }, 'unverified')
    }
    assert.equal(await accounts.byEmail(person.email!.toLowerCase()), null)
    await admitted({ ...person, isEmailVerified: true })
    await admitted(person)
    await admitted(stranger({ groups: ['acme'], email: 'José@example.com' }))
  })

  it('is never taken for the person of an account with the same address', async () => {
    const { id, email } = await newAccount(store, [{ role: 'operator', organization: null }])
    await refused(stranger({ email, groups: ['acme'] }), 'no_account')
    await issue(store, { kind: 'invitation', name: email, role: 'support' })
    await refused(stranger({ email }), 'no_account')
    assert.equal((await accounts.find(id))!.isLinked, false)
  })
})

describe('An invitation', () => {
  const invited = (email: string, expiresAt: number | null = NOW + 1) =>
    issue(store, {
      kind: 'invitation',
      name: email.toLowerCase(),
      role: 'viewer',
      organization: acme,
      expiresAt,
    })

  it('is for the person to whom the provider has given its address, once', async () => {
    const person = stranger()
    const { hash } = await invited(person.email!)
    const account = await admitted(person, { ...RULES, takesNewPeople: false })
    assert.deepEqual(rolesOf(account), [['viewer', acme, false]])
    assert.equal(await access.find(hash), null)
  })

  it('is for a person with an account too, whose other roles stay', async () => {
    const person = stranger({ groups: ['admins'] })
    await admitted(person)
    await invited(person.email!)
    const roles = rolesOf(await admitted(person))
    assert.deepEqual(roles, [
      ['operator', null, true],
      ['viewer', acme, false],
    ])
  })

  it('is for nobody whose address the provider has not verified', async () => {
    const person = stranger({ isEmailVerified: false })
    await invited(person.email!)
    await refused(person, 'unverified')
    // The sign of kelvins becomes a k.
    const lookalike = stranger({ email: '\u212aate@example.com' })
    await invited('kate@example.com')
    await refused(lookalike, 'unverified')
  })

  it('is for nobody once it has ended, or if it names no address', async () => {
    const person = stranger()
    await invited(person.email!, NOW)
    await invited('')
    await refused(person, 'no_account')
  })
})

describe('An account with a password', () => {
  const sessionOf = async ({ id }: Account) =>
    (await access.openSession(freshSession(id), { password: 'a' }, NOW))!
  const link = async (account: Account, person: Person) => {
    const { id: session } = await sessionOf(account)
    await linkAccount(store, { account: account.id, session }, person, NOW)
  }

  it('is linked with one person, who may be linked with no other account', async () => {
    const [one, two] = [await newAccount(store), await newAccount(store)]
    const person = stranger()
    await link(one, person)
    await link(one, person)
    await assert.rejects(link(two, person), { failure: 'taken' })
    const { issuer, subject } = person
    assert.equal((await accounts.byIdentity({ issuer, subject }))!.id, one.id)
  })

  it('is linked only while the session is open that began it', async () => {
    const ada = await newAccount(store)
    const person = stranger()
    const { id: session } = await sessionOf(ada)
    await accounts.changePassword(ada.id, 'a', 'b', null)
    const late = linkAccount(store, { account: ada.id, session }, person, NOW)
    await assert.rejects(late, { failure: 'expired' })
    const foreign = { account: ada.id, session: (await sessionOf(await newAccount(store))).id }
    await assert.rejects(linkAccount(store, foreign, person, NOW), { failure: 'expired' })
    assert.equal((await accounts.find(ada.id))!.isLinked, false)
  })
})

describe('The roles of somebody with an account', () => {
  it('from sign-on are those of the groups now; others stay', async () => {
    const person = stranger({ groups: ['acme'] })
    const { id } = await admitted(person)
    await setRole(accounts, id, null, 'support')
    const now = async (groups: string[] | null) => rolesOf(await admitted({ ...person, groups }))
    const local = ['support', null, false]
    assert.deepEqual(await now(['acme-admins']), [local, ['administrator', acme, true]])
    assert.deepEqual(await now(null), [local, ['administrator', acme, true]])
    assert.deepEqual(await now([]), [local])
    await setRole(accounts, id, null, null)
    await refused({ ...person, groups: ['others'] }, 'no_role')
    await refused({ ...person, groups: null }, 'no_role')
  })

  it('are those of an organization that exists', async () => {
    const rules = { ...RULES, rules: [readSignOnRule('x=viewer:999')!] }
    await refused(stranger({ groups: ['x'] }), 'no_role', rules)
  })

  it('are kept by a disabled account, which opens nothing', async () => {
    const person = stranger({ groups: ['acme'] })
    const { id } = await admitted(person)
    await accounts.update(id, { isDisabled: true }, null, NOW)
    await refused({ ...person, groups: ['admins'] }, 'disabled')
    assert.deepEqual(rolesOf((await accounts.find(id))!), [['viewer', acme, true]])
  })
})

it('The last operator without a group of operators is not let in, and sessions end', async (t) => {
  const { store } = await temporaryStore(t as TestContext)
  const person = stranger({ groups: ['admins'] })
  const { issuer, subject } = person
  const { id } = await admit(store, person, RULES, NOW)
  const session = { ...freshSession(id, true), hash: 'h' }
  assert.ok(await store.access.openSession(session, { identity: { issuer, subject } }, NOW))
  const gone = admit(store, { ...person, groups: [] }, RULES, NOW)
  await assert.rejects(gone, { failure: 'no_role' })
  assert.equal(await store.access.find('h'), null)
  assert.equal((await admit(store, person, RULES, NOW)).id, id)
})
