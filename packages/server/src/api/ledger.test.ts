import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ORGANIZATION_DEFAULTS, type Organization } from '../domain/organization.ts'
import { quotaExhausted } from '../domain/refusal.ts'
import type { ChargeVerdict, DailyQuota } from '../realtime/realtime.ts'
import { type Due, openLedger } from './ledger.ts'

const MIDNIGHT = Date.UTC(2026, 10, 21)
const DAY = MIDNIGHT / 86_400_000 - 1
const NOW = MIDNIGHT - 90_000

function organization(dailyQuota: number | null): Organization {
  return { ...ORGANIZATION_DEFAULTS, id: 3, name: 'Acme', dailyQuota, createdAt: 0, updatedAt: 0 }
}

/** A quota that notes what it is given back. */
function notedQuota() {
  const returns: unknown[][] = []
  const quota: DailyQuota = {
    charge: () => Promise.reject(new Error('a ledger charges nothing by itself')),
    used: () => Promise.reject(new Error('a ledger asks for nothing by itself')),
    async giveBack(...given) {
      returns.push(given)
    },
  }
  return { quota, returns }
}

const ledgerOf = (limit: number | null, now = NOW) => {
  const { quota, returns } = notedQuota()
  return { ledger: openLedger(quota, organization(limit), now), returns }
}
const limited = (...objects: number[]): Due => ({ objects, isLimited: true })
const counted = (...objects: number[]): Due => ({ objects, isLimited: false })
const charged = (used: number | null): ChargeVerdict => ({ charged: true, used })

const fields = (headers: string[]) =>
  Object.fromEntries(headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]]] : [])))

describe('The ledger of a request', () => {
  it('charges against the organization’s limit on the request’s UTC day', () => {
    const { ledger } = ledgerOf(10)
    assert.deepEqual(ledger.charge(limited(7, 8)), { objects: [7, 8], limit: 10, day: DAY })
    assert.equal(ledger.enter(limited(7, 8), charged(4)), undefined)
    assert.deepEqual(fields(ledger.headers()), {
      'X-Quota-Limit': '10',
      'X-Quota-Remaining': '6',
      'X-Quota-Reset': '90',
    })
  })

  it('refuses by name, tells when to come again, and has nothing to give back', async () => {
    const { ledger, returns } = ledgerOf(10)
    const refusal = ledger.enter(limited(7, 8), { charged: false, exhausted: [8] })
    assert.deepEqual(refusal, quotaExhausted([8]))
    assert.deepEqual(fields(ledger.headers()), {
      'X-Quota-Limit': '10',
      'X-Quota-Remaining': '0',
      'X-Quota-Reset': '90',
      'Retry-After': '90',
      'X-Quota-Exhausted': '8',
    })
    await ledger.giveBack()
    assert.deepEqual(returns, [])
  })

  it('names at most 100 exhausted objects in a header', () => {
    const { ledger } = ledgerOf(10)
    const exhausted = Array.from({ length: 101 }, (_, index) => index + 1)
    ledger.enter(limited(...exhausted), { charged: false, exhausted })
    const named = fields(ledger.headers())['X-Quota-Exhausted']!.split(',')
    assert.deepEqual(named.map(Number), exhausted.slice(0, 100))
  })

  it('counts a detail whatever the limit, and shows no less than nothing as remaining', () => {
    const { ledger } = ledgerOf(10)
    assert.deepEqual(ledger.charge(counted(7)), { objects: [7], limit: null, day: DAY })
    assert.equal(ledger.enter(counted(7), charged(12)), undefined)
    assert.equal(fields(ledger.headers())['X-Quota-Remaining'], '0')
  })

  it('tells nothing of a count that is kept for later, and gives it back all the same', async () => {
    const { ledger, returns } = ledgerOf(10)
    ledger.enter(counted(7), charged(null))
    assert.deepEqual(ledger.headers(), [])
    await ledger.giveBack()
    assert.deepEqual(returns, [[3, [7], DAY]])
  })

  it('gives back what it charged, once', async () => {
    const { ledger, returns } = ledgerOf(10)
    await ledger.giveBack()
    assert.deepEqual(returns, [])
    ledger.enter(limited(7, 8), charged(1))
    await ledger.giveBack()
    await ledger.giveBack()
    assert.deepEqual(returns, [[3, [7, 8], DAY]])
    assert.deepEqual(ledger.headers(), [])
  })

  it('tells nothing where there is no limit, though it charges', () => {
    const { ledger } = ledgerOf(null)
    assert.deepEqual(ledger.charge(limited(7)), { objects: [7], limit: null, day: DAY })
    ledger.enter(limited(7), charged(1))
    assert.deepEqual(ledger.headers(), [])
  })

  it('rounds the seconds to midnight up', () => {
    for (const [now, seconds] of [
      [MIDNIGHT, '86400'],
      [MIDNIGHT + 1, '86400'],
      [MIDNIGHT + 1_000, '86399'],
      [MIDNIGHT + 86_399_999, '1'],
    ] as const) {
      const { ledger } = ledgerOf(1, now)
      ledger.enter(limited(7), charged(1))
      assert.equal(fields(ledger.headers())['X-Quota-Reset'], seconds)
    }
  })
})
