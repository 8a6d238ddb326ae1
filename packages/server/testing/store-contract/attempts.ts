import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { atOnce, NOW, type StoreTest } from './fixture.ts'

export function attemptContract(it: StoreTest): void {
  describe('The attempts to sign in', () => {
    it('are counted by origin over a restart, and old ones are purged', async ({
      attempts,
    }, reopen) => {
      const forget = { attemptsBefore: NOW, signInsBefore: NOW - 1_000 }
      const count = (origin: string, at: number, signedInAt: number | null) => {
        return { origin, failures: 3, at, signedInAt }
      }
      const old = count('1.2.3.0/24', NOW - 1, null)
      const known = count('192.0.2.1', NOW - 1, NOW - 1_000)
      const fresh = count('192.0.2.0/24', NOW, null)
      const origins = [old, known, fresh].map(({ origin }) => origin)
      assert.deepEqual(await attempts.of(origins), [])
      const nothing = { attemptsBefore: 0, signInsBefore: 0 }
      await attempts.change([], () => [old, known, fresh], nothing)
      const other = (await reopen()).attempts
      assert.deepEqual(await other.of(origins), [old, fresh, known].sort(byOrigin))
      assert.deepEqual(await other.of(['192.0.2.1', 'none']), [known])
      const seen: unknown[] = []
      await other.change(
        ['192.0.2.1'],
        (kept) => {
          seen.push(...kept)
          return kept.map((each) => ({ ...each, failures: 4 }))
        },
        forget,
      )
      assert.deepEqual(seen, [known])
      assert.deepEqual(await attempts.of(origins), [fresh, { ...known, failures: 4 }])
    })

    it('are all counted, of many at once in any process', async ({ attempts }, reopen) => {
      const other = (await reopen()).attempts
      const nothing = { attemptsBefore: 0, signInsBefore: 0 }
      const failed = (failures: number) => [{ origin: 'a', failures, at: NOW, signedInAt: null }]
      await atOnce(20, [attempts, other], (by) =>
        by.change(['a'], ([kept]) => failed((kept?.failures ?? 0) + 1), nothing),
      )
      assert.deepEqual(await attempts.of(['a']), failed(20))
    })
  })
}

function byOrigin(one: { origin: string }, other: { origin: string }): number {
  return one.origin < other.origin ? -1 : 1
}
