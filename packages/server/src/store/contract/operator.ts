import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OperatorCredentialKind } from '../../domain/operator.ts'
import type { NewOperatorCredential, Store } from '../store.ts'
import { MISSING, NOW, type OpenStore, onStore } from './fixture.ts'

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

/** A store whose operator has this password. */
async function withPassword({ operator }: Store, password: string): Promise<void> {
  const setup = fresh('setup')
  await operator.reset(setup, NOW)
  assert.equal(await operator.claim(setup.hash, password, NOW), true)
}

export function operatorContract(open: OpenStore): void {
  describe('the operator', () => {
    it(
      'has no password and nothing that lets in, at first',
      onStore(open, async ({ operator }) => {
        assert.equal(await operator.password(), null)
        assert.deepEqual(await operator.list('setup'), [])
        assert.equal(await operator.find('hash'), null)
        assert.equal(await operator.claim('hash', 'password', NOW), false)
        assert.equal(await operator.changePassword('password', 'next', null), false)
        assert.equal(await operator.signIn(fresh('session'), 'password', NOW), null)
        assert.equal(await operator.password(), null)
      }),
    )

    it(
      'sets the first password by the link that stands, once',
      onStore(open, async ({ operator }, reopen) => {
        const replaced = fresh('setup')
        const setup = fresh('setup')
        await operator.invite(replaced, NOW)
        const issued = await operator.invite(setup, NOW)
        assert.deepEqual(issued, { id: issued?.id, ...setup, createdAt: NOW, lastUsedAt: null })
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
      }),
    )

    it(
      'has the password of one of those who claim at once',
      onStore(open, async ({ operator }, reopen) => {
        const other = (await reopen()).operator
        const setup = fresh('setup')
        await operator.invite(setup, NOW)
        const claims = await Promise.all(
          Array.from({ length: 12 }, (_, index) =>
            (index % 2 === 0 ? operator : other).claim(setup.hash, `password ${index}`, NOW),
          ),
        )
        const winners = claims.flatMap((isFirst, index) => (isFirst ? [index] : []))
        assert.equal(winners.length, 1)
        assert.equal(await operator.password(), `password ${winners[0]}`)
      }),
    )

    it(
      'has one link of those that are issued at once',
      onStore(open, async ({ operator }, reopen) => {
        const other = (await reopen()).operator
        await Promise.all(
          Array.from({ length: 12 }, (_, index) => {
            const by = index % 2 === 0 ? operator : other
            return index % 3 === 0 ? by.reset(fresh('setup'), NOW) : by.invite(fresh('setup'), NOW)
          }),
        )
        assert.equal((await operator.list('setup')).length, 1)
      }),
    )

    it(
      'loses password, links and sessions with a reset, and keeps tokens',
      onStore(open, async (store) => {
        const { operator } = store
        await withPassword(store, 'a')
        const session = await operator.signIn(fresh('session'), 'a', NOW)
        const token = await operator.issue(fresh('token', null), NOW)
        assert.deepEqual(await operator.find(session!.hash), session)
        const first = await operator.reset(fresh('setup'), NOW)
        const second = await operator.reset(fresh('setup'), NOW)
        assert.equal(await operator.password(), null)
        assert.equal(await operator.find(session!.hash), null)
        assert.equal(await operator.find(first.hash), null)
        assert.deepEqual(await operator.list('session'), [])
        assert.deepEqual(await operator.list('setup'), [second])
        assert.deepEqual(await operator.find(token.hash), token)
        assert.deepEqual(await operator.list('token'), [token])
        assert.equal(await operator.signIn(fresh('session'), 'a', NOW), null)
        assert.equal(await operator.claim(second.hash, 'a', NOW), true)
        assert.equal(await operator.find(session!.hash), null, 'nor under the same password')
      }),
    )

    it(
      'ends all sessions but one by changing the password',
      onStore(open, async (store) => {
        const { operator } = store
        await withPassword(store, 'a')
        const kept = await operator.signIn(fresh('session'), 'a', NOW)
        const ended = await operator.signIn(fresh('session'), 'a', NOW)
        const token = await operator.issue(fresh('token'), NOW)
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
      }),
    )

    it(
      'changes the password once where several do so at once, and leaves nobody in who had the old one',
      onStore(open, async (store, reopen) => {
        const other = (await reopen()).operator
        const { operator } = store
        await withPassword(store, 'a')
        const [changes, sessions] = await Promise.all([
          Promise.all(
            Array.from({ length: 6 }, (_, index) =>
              (index % 2 === 0 ? operator : other).changePassword('a', `b ${index}`, null),
            ),
          ),
          Promise.all(
            Array.from({ length: 6 }, (_, index) =>
              (index % 2 === 0 ? other : operator).signIn(fresh('session'), 'a', NOW),
            ),
          ),
        ])
        const winners = changes.flatMap((isFirst, index) => (isFirst ? [index] : []))
        assert.equal(winners.length, 1)
        assert.equal(await operator.password(), `b ${winners[0]}`)
        assert.deepEqual(await operator.list('session'), [])
        for (const session of sessions) {
          if (session !== null) assert.equal(await operator.find(session.hash), null)
        }
      }),
    )

    it(
      'lists what lets in by kind, in the order in which it was issued, expired or not',
      onStore(open, async (store) => {
        const { operator } = store
        await withPassword(store, 'a')
        const first = await operator.issue(fresh('token', NOW - 1), NOW)
        const session = await operator.signIn(fresh('session'), 'a', NOW)
        const second = await operator.issue(fresh('token', null), NOW)
        assert.ok(second.id > first.id)
        assert.deepEqual(await operator.list('token'), [first, second])
        assert.deepEqual(await operator.list('session'), [session])
        assert.deepEqual(await operator.find(first.hash), first)
      }),
    )

    it(
      'revokes by kind and id',
      onStore(open, async ({ operator }) => {
        const token = await operator.issue(fresh('token'), NOW)
        const kept = await operator.issue(fresh('token'), NOW)
        assert.equal(await operator.revoke('session', token.id), false)
        assert.equal(await operator.revoke('token', MISSING), false)
        assert.deepEqual(await operator.find(token.hash), token)
        assert.equal(await operator.revoke('token', token.id), true)
        assert.equal(await operator.revoke('token', token.id), false)
        assert.equal(await operator.find(token.hash), null)
        assert.deepEqual(await operator.list('token'), [kept])
        const next = await operator.issue(fresh('token'), NOW)
        await operator.revoke('token', next.id)
        const after = await operator.issue(fresh('token'), NOW)
        assert.ok(after.id > next.id, 'an id is not given twice')
      }),
    )

    it(
      'knows the latest use',
      onStore(open, async ({ operator }) => {
        const token = await operator.issue(fresh('token'), NOW)
        const other = await operator.issue(fresh('token'), NOW)
        for (const usedAt of [NOW + 120, NOW + 60]) await operator.touch(token.id, usedAt)
        await operator.touch(MISSING, NOW)
        assert.deepEqual(await operator.list('token'), [{ ...token, lastUsedAt: NOW + 120 }, other])
      }),
    )

    it(
      'is rid of what expired before a moment',
      onStore(open, async ({ operator }) => {
        const [, expiring, lasting] = await Promise.all(
          [NOW - 1, NOW, null].map((expiresAt) => operator.issue(fresh('token', expiresAt), NOW)),
        )
        await operator.purge(NOW)
        const left = await operator.list('token')
        assert.deepEqual(
          left.map(({ id }) => id).sort((one, other) => one - other),
          [expiring!.id, lasting!.id].sort((one, other) => one - other),
        )
      }),
    )

    it(
      'keeps counts of attempts by origin, after a restart too, and forgets old ones',
      onStore(open, async ({ operator }, reopen) => {
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
      }),
    )

    it(
      'counts each of many attempts at once, whichever process they reach',
      onStore(open, async ({ operator }, reopen) => {
        const other = (await reopen()).operator
        const nothing = { attemptsBefore: 0, signInsBefore: 0 }
        await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? operator : other).changeAttempts(
              ['a'],
              ([kept]) => [
                { origin: 'a', failures: (kept?.failures ?? 0) + 1, at: NOW, signedInAt: null },
              ],
              nothing,
            ),
          ),
        )
        const expected = [{ origin: 'a', failures: 20, at: NOW, signedInAt: null }]
        assert.deepEqual(await operator.attempts(['a']), expected)
      }),
    )
  })
}

function byOrigin(one: { origin: string }, other: { origin: string }): number {
  return one.origin < other.origin ? -1 : 1
}
