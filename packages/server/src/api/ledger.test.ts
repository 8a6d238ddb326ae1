import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ORGANIZATION_DEFAULTS, type Organization } from '../domain/organization.ts'
import { quotaExhausted } from '../domain/refusal.ts'
import type { ChargeVerdict, DailyQuota } from '../realtime/realtime.ts'
import { openLedger } from './ledger.ts'

const MIDNIGHT = Date.UTC(2026, 10, 21)
const DAY = MIDNIGHT / 86_400_000 - 1
const NOW = MIDNIGHT - 90_000

function organization(dailyQuota: number | null): Organization {
  return { ...ORGANIZATION_DEFAULTS, id: 3, name: 'Acme', dailyQuota, createdAt: 0, updatedAt: 0 }
}

/** A quota that notes what it is asked and answers as it is told. */
function notedQuota(verdict: ChargeVerdict, count: number | null = 0) {
  const calls: unknown[][] = []
  const quota: DailyQuota = {
    async charge(...call) {
      calls.push(['charge', ...call])
      return verdict
    },
    async count(...call) {
      calls.push(['count', ...call])
      return count
    },
    async giveBack(...call) {
      calls.push(['giveBack', ...call])
    },
  }
  return { quota, calls }
}

const fields = (headers: string[]) =>
  Object.fromEntries(headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]]] : [])))

describe('The ledger of a request', () => {
  it('charges against the organization’s limit on the request’s UTC day', async () => {
    const { quota, calls } = notedQuota({ charged: true, used: 4 })
    const ledger = openLedger(quota, organization(10), NOW)
    assert.equal(await ledger.charge([7, 8]), undefined)
    assert.deepEqual(calls, [['charge', 3, [7, 8], 10, DAY]])
    assert.deepEqual(fields(ledger.headers()), {
      'X-Quota-Limit': '10',
      'X-Quota-Remaining': '6',
      'X-Quota-Reset': '90',
    })
  })

  it('refuses by name, and then has nothing to tell or give back', async () => {
    const { quota, calls } = notedQuota({ charged: false, exhausted: [8] })
    const ledger = openLedger(quota, organization(10), NOW)
    assert.deepEqual(await ledger.charge([7, 8]), quotaExhausted([8]))
    assert.deepEqual(ledger.headers(), [])
    await ledger.giveBack()
    assert.equal(calls.length, 1)
  })

  it('counts a detail, and shows no less than nothing as remaining', async () => {
    const { quota, calls } = notedQuota({ charged: true, used: 0 }, 12)
    const ledger = openLedger(quota, organization(10), NOW)
    await ledger.count(7)
    assert.deepEqual(calls, [['count', 3, 7, DAY]])
    assert.equal(fields(ledger.headers())['X-Quota-Remaining'], '0')
  })

  it('tells nothing of a count that is kept for later, and gives it back all the same', async () => {
    const { quota, calls } = notedQuota({ charged: true, used: 0 }, null)
    const ledger = openLedger(quota, organization(10), NOW)
    await ledger.count(7)
    assert.deepEqual(ledger.headers(), [])
    await ledger.giveBack()
    assert.deepEqual(calls.at(-1), ['giveBack', 3, [7], DAY])
  })

  it('gives back what it charged, once', async () => {
    const { quota, calls } = notedQuota({ charged: true, used: 1 })
    const ledger = openLedger(quota, organization(10), NOW)
    await ledger.giveBack()
    assert.deepEqual(calls, [])
    await ledger.charge([7, 8])
    await ledger.giveBack()
    await ledger.giveBack()
    assert.deepEqual(calls.slice(1), [['giveBack', 3, [7, 8], DAY]])
    assert.deepEqual(ledger.headers(), [])
    await ledger.count(9)
    await ledger.giveBack()
    assert.deepEqual(calls.at(-1), ['giveBack', 3, [9], DAY])
  })

  it('tells nothing where there is no limit, though it charges', async () => {
    const { quota, calls } = notedQuota({ charged: true, used: 1 })
    const ledger = openLedger(quota, organization(null), NOW)
    await ledger.charge([7])
    assert.deepEqual(calls, [['charge', 3, [7], null, DAY]])
    assert.deepEqual(ledger.headers(), [])
  })

  it('rounds the seconds to midnight up', async () => {
    for (const [now, seconds] of [
      [MIDNIGHT, '86400'],
      [MIDNIGHT + 1, '86400'],
      [MIDNIGHT + 1_000, '86399'],
      [MIDNIGHT + 86_399_999, '1'],
    ] as const) {
      const ledger = openLedger(notedQuota({ charged: true, used: 1 }).quota, organization(1), now)
      await ledger.charge([7])
      assert.equal(fields(ledger.headers())['X-Quota-Reset'], seconds)
    }
  })
})
