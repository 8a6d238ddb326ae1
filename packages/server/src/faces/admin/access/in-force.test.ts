import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { issue, NOBODY, newAccount } from '../../../../testing/store-contract/access-fixture.ts'
import { NOW, newKey, newOrganization } from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'
import { issueCredential, rotateCredential } from '../../../acts/credential-bodies.ts'
import { TOKEN_ACTS } from '../../../acts/issued-acts.ts'
import { invite } from '../../../acts/people-bodies.ts'
import { MAX_IN_FORCE } from '../../../acts/refused.ts'
import { callOn } from '../../../run/act-command.ts'

const { store, cleanUp } = await temporaryStore()
after(cleanUp)
const full = await newOrganization(store)
const other = await newOrganization(store)

const TOO_MANY = { status: 409, code: 'conflict' }
const times = Array.from({ length: MAX_IN_FORCE }, (_, index) => index)
const ownerOf = (id: number) => ({ id, keysNeedPurpose: false })

it('An organization has as many keys in force as it may have, however they are made', async () => {
  const { keys } = store
  const wanted = { name: 'k', expiresAt: null, scenario: null, recipient: null, purpose: null }
  await Promise.all(times.map(() => keys.issue(full, newKey('k', NOW + 1), NOW)))
  const [first, second] = await keys.list(full)
  const rotation = { keys, owner: ownerOf(full), id: second!.id, noun: 'key' }
  const rotate = () => rotateCredential({ body: { overlap_hours: 0 }, now: NOW }, rotation)
  await assert.rejects(issueCredential(keys, ownerOf(full), wanted, NOW), TOO_MANY)
  await assert.rejects(rotate(), TOO_MANY)
  await issueCredential(keys, ownerOf(other), wanted, NOW)
  await keys.revoke(full, first!.id, NOW)
  await rotate()
  await issueCredential(keys, ownerOf(full), wanted, NOW + 1)
})

it('An organization has as many open invitations as it may have', async () => {
  const wanted = (organization: number) =>
    ({ email: 'new@example.com', role: 'viewer', organization }) as const
  const given = { kind: 'invitation', role: 'viewer', organization: full } as const
  await Promise.all(
    times.map((index) =>
      issue(store, { ...given, name: `${index}@example.com`, expiresAt: NOW + 1 }),
    ),
  )
  await assert.rejects(invite(store, wanted(full), NOBODY, NOW), TOO_MANY)
  await invite(store, wanted(other), NOBODY, NOW)
  await invite(store, wanted(full), NOBODY, NOW + 1)
})

it('An organization has as many tokens as it may have', async () => {
  const account = await newAccount(store, [{ role: 'operator', organization: null }])
  const by = { account, roles: account.roles, issuer: NOBODY, session: null, endsAt: null }
  const call = (organization: number) => {
    const body = { name: 't', role: 'viewer' }
    return { ...callOn(store, { organization }, body), by, now: NOW }
  }
  await Promise.all(times.map(() => issue(store, { role: 'viewer', organization: full })))
  await assert.rejects(TOKEN_ACTS.organization.issue.run(call(full)), TOO_MANY)
  await TOKEN_ACTS.organization.issue.run(call(other))
})
