import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { OperatorCredential, OperatorCredentialKind } from '../../src/domain/operator.ts'
import type {
  NewOperatorCredential,
  NewOperatorToken,
  OperatorStore,
} from '../../src/store/operator-store.ts'
import type { Store } from '../../src/store/store.ts'
import { atOnce, MISSING, NOW, newOrganization, type StoreTest } from './fixture.ts'

let made = 0

/** The stored part of a new, unique credential. */
function fresh<Kind extends OperatorCredentialKind>(
  kind: Kind,
  expiresAt: number | null = NOW + 1_000,
): NewOperatorCredential<Kind> {
  made += 1
  const name = `${kind} ${made}`
  return { kind, name, hash: `hash ${made}`, prefix: 'fg_op_abcd', lastFour: 'wxyz', expiresAt }
}

const freshToken = (more: Partial<NewOperatorToken> = {}): NewOperatorToken => ({
  ...fresh('token'),
  scope: 'all',
  organization: null,
  ...more,
})

/** A token issued by `by`, or by the command line. */
async function issue(
  operator: OperatorStore,
  more: Partial<NewOperatorToken> = {},
  by: number | null = null,
): Promise<OperatorCredential> {
  const issued = await operator.issue(freshToken(more), by, NOW)
  assert.ok(typeof issued === 'object', String(issued))
  return issued
}

const idsOf = (credentials: readonly OperatorCredential[]) => credentials.map(({ id }) => id)

/** A store whose operator has this password. */
async function withPassword({ operator }: Store, password: string): Promise<void> {
  const setup = fresh('setup')
  await operator.reset(setup, false, NOW)
  assert.equal(await operator.claim(setup.hash, password, NOW), true)
}

export function operatorContract(it: StoreTest): void {
  describe('The operator', () => {
    it('has neither a password nor credentials at first', async ({ operator }) => {
      assert.equal(await operator.password(), null)
      assert.deepEqual(await operator.list('setup'), [])
      assert.equal(await operator.find('hash'), null)
      assert.equal(await operator.claim('hash', 'password', NOW), false)
      assert.equal(await operator.changePassword('password', 'next', null), false)
      assert.equal(await operator.signIn(fresh('session'), 'password', NOW), null)
      assert.equal(await operator.password(), null)
    })

    it('sets the first password once, by the valid link', async ({ operator }, reopen) => {
      const replaced = fresh('setup')
      const setup = fresh('setup')
      await operator.invite(replaced, NOW)
      const issued = await operator.invite(setup, NOW)
      const reach = { scope: 'all', organization: null, issuer: null } as const
      const { id } = issued!
      assert.deepEqual(issued, { id, ...setup, ...reach, createdAt: NOW, lastUsedAt: null })
      assert.deepEqual(await operator.list('setup'), [issued])
      assert.deepEqual(await operator.find(setup.hash), issued)
      assert.equal(await operator.claim(replaced.hash, 'a', NOW), false)
      assert.equal(await operator.claim(setup.hash, 'a', NOW + 1_000), false, 'it has expired')
      assert.equal(await operator.password(), null)
      assert.equal(await operator.claim(setup.hash, 'a', NOW + 999), true)
      assert.equal(await operator.claim(setup.hash, 'b', NOW + 999), false)
      assert.equal(await (await reopen()).operator.password(), 'a')
      assert.deepEqual(await operator.list('setup'), [])
      assert.equal(await operator.invite(fresh('setup'), NOW), null)
      assert.deepEqual(await operator.list('setup'), [])
    })

    it('has the password of one of several simultaneous claims', async ({ operator }, reopen) => {
      const other = (await reopen()).operator
      const setup = fresh('setup')
      await operator.invite(setup, NOW)
      const claims = await atOnce(12, [operator, other], (by, index) =>
        by.claim(setup.hash, `password ${index}`, NOW),
      )
      const winners = claims.flatMap((isFirst, index) => (isFirst ? [index] : []))
      assert.equal(winners.length, 1)
      assert.equal(await operator.password(), `password ${winners[0]}`)
    })

    it('has one link after several simultaneous issues', async ({ operator }, reopen) => {
      const other = (await reopen()).operator
      await atOnce(12, [operator, other], async (by, index) => {
        if (index % 3 === 0) await by.reset(fresh('setup'), false, NOW)
        else await by.invite(fresh('setup'), NOW)
      })
      assert.equal((await operator.list('setup')).length, 1)
    })

    it('loses password, links and sessions with a reset, and keeps tokens', async (store) => {
      const { operator } = store
      await withPassword(store, 'a')
      const session = await operator.signIn(fresh('session'), 'a', NOW)
      const token = await issue(operator, { expiresAt: null })
      assert.deepEqual(await operator.find(session!.hash), session)
      const [first, second] = [fresh('setup'), fresh('setup')]
      assert.deepEqual(await operator.reset(first, false, NOW), [])
      assert.deepEqual(await operator.reset(second, false, NOW), [])
      assert.equal(await operator.password(), null)
      assert.equal(await operator.find(session!.hash), null)
      assert.equal(await operator.find(first.hash), null)
      assert.deepEqual(await operator.list('session'), [])
      assert.equal((await operator.list('setup'))[0]?.hash, second.hash)
      assert.deepEqual(await operator.find(token.hash), token)
      assert.deepEqual(await operator.list('token'), [token])
      assert.equal(await operator.signIn(fresh('session'), 'a', NOW), null)
      assert.equal(await operator.claim(second.hash, 'a', NOW), true)
      assert.equal(await operator.find(session!.hash), null, 'nor under the same password')
    })

    it('ends all sessions but one by changing the password', async (store) => {
      const { operator } = store
      await withPassword(store, 'a')
      const kept = await operator.signIn(fresh('session'), 'a', NOW)
      const ended = await operator.signIn(fresh('session'), 'a', NOW)
      const token = await issue(operator)
      assert.equal(await operator.changePassword('b', 'c', kept!.id), false)
      assert.deepEqual(await operator.list('session'), [kept, ended])
      assert.equal(await operator.changePassword('a', 'b', kept!.id), true)
      assert.equal(await operator.password(), 'b')
      assert.deepEqual(await operator.find(kept!.hash), kept)
      assert.equal(await operator.find(ended!.hash), null)
      assert.deepEqual(await operator.list('session'), [kept])
      assert.equal(await operator.signIn(fresh('session'), 'a', NOW), null)
      assert.equal(await operator.changePassword('b', 'c', null), true)
      assert.deepEqual(await operator.list('session'), [])
      assert.deepEqual(await operator.find(token.hash), token)
    })

    it('changes the password once in simultaneous attempts, and ends sessions of the old one', async (store, reopen) => {
      const other = (await reopen()).operator
      const { operator } = store
      await withPassword(store, 'a')
      const [changes, sessions] = await Promise.all([
        atOnce(6, [operator, other], (by, index) => by.changePassword('a', `b ${index}`, null)),
        atOnce(6, [other, operator], (by) => by.signIn(fresh('session'), 'a', NOW)),
      ])
      const winners = changes.flatMap((isFirst, index) => (isFirst ? [index] : []))
      assert.equal(winners.length, 1)
      assert.equal(await operator.password(), `b ${winners[0]}`)
      assert.deepEqual(await operator.list('session'), [])
      for (const session of sessions) {
        if (session !== null) assert.equal(await operator.find(session.hash), null)
      }
    })

    it('lists credentials by kind, in order of issue, expired or not', async (store) => {
      const { operator } = store
      await withPassword(store, 'a')
      const first = await issue(operator, { expiresAt: NOW - 1 })
      const session = await operator.signIn(fresh('session'), 'a', NOW)
      const second = await issue(operator, { expiresAt: null })
      assert.ok(second.id > first.id)
      assert.deepEqual(await operator.list('token'), [first, second])
      assert.deepEqual(await operator.list('session'), [session])
      assert.deepEqual(await operator.find(first.hash), first)
    })

    it('revokes by kind and id', async ({ operator }) => {
      const token = await issue(operator)
      const kept = await issue(operator)
      assert.deepEqual(await operator.revoke('session', token.id), [])
      assert.deepEqual(await operator.revoke('token', MISSING), [])
      assert.deepEqual(await operator.find(token.hash), token)
      assert.deepEqual(await operator.revoke('token', token.id), [token])
      assert.deepEqual(await operator.revoke('token', token.id), [])
      assert.equal(await operator.find(token.hash), null)
      assert.deepEqual(await operator.list('token'), [kept])
      const next = await issue(operator)
      await operator.revoke('token', next.id)
      const after = await issue(operator)
      assert.ok(after.id > next.id, 'an id is not given twice')
    })

    it('records the scope of a token, and its issuer', async (store, reopen) => {
      const { operator } = store
      const organization = await newOrganization(store)
      await withPassword(store, 'a')
      const session = await operator.signIn(fresh('session'), 'a', NOW)
      const all = await issue(operator, {}, session!.id)
      const read = await issue(operator, { scope: 'read' }, all.id)
      const managing = await issue(operator, { scope: 'organization', organization }, all.id)
      const other = (await reopen()).operator
      assert.deepEqual(await other.list('token'), [all, read, managing])
      assert.deepEqual(await other.find(managing.hash), managing)
      const reachOf = ({ scope, organization, issuer }: OperatorCredential) => [
        scope,
        organization,
        issuer,
      ]
      assert.deepEqual([all, read, managing].map(reachOf), [
        ['all', null, null],
        ['read', null, all.id],
        ['organization', organization, all.id],
      ])
    })

    it('revokes a token together with all that it issued, directly or indirectly, in every process', async ({
      operator,
    }, reopen) => {
      const first = await issue(operator)
      const kept = await issue(operator)
      const second = await issue(operator, { scope: 'read' }, first.id)
      const third = await issue(operator, {}, second.id)
      const ofKept = await issue(operator, {}, kept.id)
      const other = (await reopen()).operator
      assert.deepEqual(idsOf(await other.revoke('token', first.id)), idsOf([first, second, third]))
      assert.deepEqual(idsOf(await operator.list('token')), idsOf([kept, ofKept]))
      assert.equal(await operator.find(third.hash), null)
      await issue(operator, { expiresAt: NOW - 2 }, kept.id)
      await operator.purge(NOW)
      assert.deepEqual(idsOf(await operator.list('token')), idsOf([kept, ofKept]))
    })

    it('issues no token for an issuer that has lost access, nor for a deleted organization', async (store, reopen) => {
      const { operator, organizations } = store
      await withPassword(store, 'a')
      const issuers = [
        await issue(operator),
        await issue(operator, { expiresAt: NOW }),
        (await operator.signIn(fresh('session'), 'a', NOW))!,
      ]
      await operator.revoke('token', issuers[0]!.id)
      await operator.changePassword('a', 'b', null)
      const other = (await reopen()).operator
      for (const { id } of [...issuers, { id: MISSING }]) {
        assert.equal(await other.issue(freshToken(), id, NOW), 'issuer_ended')
      }
      const organization = await newOrganization(store)
      const reach = { scope: 'organization', organization } as const
      const managing = await issue(operator, reach)
      assert.equal(await organizations.delete(organization), true)
      assert.equal(await other.issue(freshToken(reach), null, NOW), 'no_organization')
      assert.equal(await other.find(managing.hash), null)
      assert.deepEqual(idsOf(await other.list('token')), [issuers[1]!.id])
    })

    it('keeps no credential that was issued while its issuer or its organization ended', async (store, reopen) => {
      const { operator, organizations } = store
      const other = (await reopen()).operator
      for (const ending of ['issuer', 'organization'] as const) {
        const organization = await newOrganization(store)
        const issuer = await issue(operator)
        const reach = { scope: 'organization', organization } as const
        const [, issued] = await Promise.all([
          ending === 'issuer'
            ? operator.revoke('token', issuer.id)
            : organizations.delete(organization),
          atOnce(12, [operator, other], (by) => by.issue(freshToken(reach), issuer.id, NOW)),
        ])
        const left = await operator.list('token')
        assert.deepEqual(idsOf(left), ending === 'issuer' ? [] : [issuer.id])
        for (const each of issued) {
          if (typeof each === 'object') assert.equal(await other.find(each.hash), null)
        }
        await operator.revoke('token', issuer.id)
      }
    })

    it('loses all tokens with a reset that includes them', async (store) => {
      const { operator } = store
      await withPassword(store, 'a')
      const first = await issue(operator)
      const second = await issue(operator, { scope: 'read' }, first.id)
      assert.deepEqual(await operator.reset(fresh('setup'), true, NOW), [first, second])
      assert.deepEqual(await operator.list('token'), [])
      assert.equal(await operator.find(second.hash), null)
      assert.equal((await operator.list('setup')).length, 1)
    })

    it('records the latest use', async ({ operator }) => {
      const token = await issue(operator)
      const other = await issue(operator)
      for (const usedAt of [NOW + 120, NOW + 60]) await operator.touch(token.id, usedAt)
      await operator.touch(MISSING, NOW)
      assert.deepEqual(await operator.list('token'), [{ ...token, lastUsedAt: NOW + 120 }, other])
    })

    it('purges credentials that expired before a moment', async ({ operator }) => {
      const [, expiring, lasting] = await Promise.all(
        [NOW - 1, NOW, null].map((expiresAt) => issue(operator, { expiresAt })),
      )
      await operator.purge(NOW)
      const left = await operator.list('token')
      assert.deepEqual(
        left.map(({ id }) => id).sort((one, other) => one - other),
        [expiring!.id, lasting!.id].sort((one, other) => one - other),
      )
    })

    it('keeps counts of attempts by origin over a restart, and purges old ones', async ({
      operator,
    }, reopen) => {
      const forget = { attemptsBefore: NOW, signInsBefore: NOW - 1_000 }
      const count = (origin: string, at: number, signedInAt: number | null) => {
        return { origin, failures: 3, at, signedInAt }
      }
      const old = count('1.2.3.0/24', NOW - 1, null)
      const known = count('192.0.2.1', NOW - 1, NOW - 1_000)
      const fresh = count('192.0.2.0/24', NOW, null)
      const origins = [old, known, fresh].map(({ origin }) => origin)
      assert.deepEqual(await operator.attempts(origins), [])
      const nothing = { attemptsBefore: 0, signInsBefore: 0 }
      await operator.changeAttempts([], () => [old, known, fresh], nothing)
      const other = (await reopen()).operator
      assert.deepEqual(await other.attempts(origins), [old, fresh, known].sort(byOrigin))
      assert.deepEqual(await other.attempts(['192.0.2.1', 'none']), [known])
      const seen: unknown[] = []
      await other.changeAttempts(
        ['192.0.2.1'],
        (kept) => {
          seen.push(...kept)
          return kept.map((each) => ({ ...each, failures: 4 }))
        },
        forget,
      )
      assert.deepEqual(seen, [known])
      assert.deepEqual(await operator.attempts(origins), [fresh, { ...known, failures: 4 }])
    })

    it('counts each of many simultaneous attempts in any process', async ({ operator }, reopen) => {
      const other = (await reopen()).operator
      const nothing = { attemptsBefore: 0, signInsBefore: 0 }
      const failed = (failures: number) => [{ origin: 'a', failures, at: NOW, signedInAt: null }]
      await atOnce(20, [operator, other], (by) =>
        by.changeAttempts(['a'], ([kept]) => failed((kept?.failures ?? 0) + 1), nothing),
      )
      assert.deepEqual(await operator.attempts(['a']), failed(20))
    })
  })
}

function byOrigin(one: { origin: string }, other: { origin: string }): number {
  return one.origin < other.origin ? -1 : 1
}
