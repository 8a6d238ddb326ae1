import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ORGANIZATION_DEFAULTS, type Organization } from '../base/domain/organization.ts'
import type { ChargeVerdict, DailyQuota } from '../data/live/realtime.ts'
import { quotaExhausted } from './refusal.ts'
import { type Due, Ledger, wholeSeconds } from './request-limits.ts'

describe('The rate headers', () => {
  it('round a wait up, so that a client that waits that long is admitted', () => {
    for (const [us, seconds] of [
      [1, 1],
      [999_999, 1],
      [1_000_000, 1],
      [1_000_001, 2],
      [10_000_000, 10],
    ] as const) {
      assert.equal(wholeSeconds(us), seconds)
    }
  })
})

const MIDNIGHT = Date.UTC(2026, 10, 21)
const DAY = MIDNIGHT / 86_400_000 - 1
const NOW = MIDNIGHT - 90_000

function organization(dailyQuota: number | null): Organization {
  return { ...ORGANIZATION_DEFAULTS, id: 3, name: 'Acme', dailyQuota, createdAt: 0, updatedAt: 0 }
}

/** A quota that records refunds. */
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
  return { ledger: new Ledger(quota, organization(limit), { now: () => now }), returns }
}
const limited = (...objects: number[]): Due => ({ objects, isLimited: true })
const counted = (...objects: number[]): Due => ({ objects, isLimited: false })
const charged = (used: number | null): ChargeVerdict => ({ charged: true, used })

const fields = (headers: string[]) =>
  Object.fromEntries(headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]]] : [])))

describe('The ledger of a request', () => {
  it('refuses by name, sends Retry-After, and has nothing to refund', async () => {
    const { ledger, returns } = ledgerOf(10)
    const refusal = ledger.enter(limited(7, 8), {
      charged: false,
      exhausted: [8],
      left: [99],
    })
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

  it('charges and refunds hundredths, and shows whole units, rounded down as left', async () => {
    const { ledger, returns } = ledgerOf(10)
    const due: Due = { objects: [7, 8], hundredths: [1, 250], isLimited: true }
    const charge = { objects: [7, 8], hundredths: [1, 250], limit: 10, day: DAY }
    assert.deepEqual(ledger.chargeFor(due), charge)
    for (const [used, remaining] of [
      [1, '9'],
      [100, '9'],
      [101, '8'],
      [999, '0'],
    ] as const) {
      ledger.enter(due, charged(used))
      assert.equal(fields(ledger.headers())['X-Quota-Remaining'], remaining)
    }
    await ledger.giveBack()
    assert.deepEqual(returns, [[3, charge]])
  })

  it('shows the least that a refused object has left', () => {
    const { ledger } = ledgerOf(10)
    const due: Due = { objects: [7, 8], hundredths: [400, 400], isLimited: true }
    ledger.enter(due, { charged: false, exhausted: [7, 8], left: [399, 250] })
    assert.equal(fields(ledger.headers())['X-Quota-Remaining'], '2')
  })

  it('names at most 100 exhausted objects in a header', () => {
    const { ledger } = ledgerOf(10)
    const exhausted = Array.from({ length: 101 }, (_, index) => index + 1)
    ledger.enter(limited(...exhausted), {
      charged: false,
      exhausted,
      left: exhausted.map(() => 0),
    })
    const named = fields(ledger.headers())['X-Quota-Exhausted']!.split(',')
    assert.deepEqual(named.map(Number), exhausted.slice(0, 100))
  })

  it('reports no count that is deferred, and still refunds it', async () => {
    const { ledger, returns } = ledgerOf(10)
    ledger.enter(counted(7), charged(null))
    assert.deepEqual(ledger.headers(), [])
    await ledger.giveBack()
    assert.deepEqual(returns, [[3, { objects: [7], limit: null, day: DAY }]])
  })

  it('charges and refunds on the day on which a held request is answered', async () => {
    const days: number[] = []
    const { quota, returns } = notedQuota()
    quota.charge = async (_organization, { day }) => {
      days.push(day)
      return charged(100) as Extract<ChargeVerdict, { charged: true }>
    }
    let now = NOW
    const ledger = new Ledger(quota, organization(10), { now: () => now })
    now = MIDNIGHT + 1_000
    assert.equal(await ledger.chargeLater(limited(7)), undefined)
    assert.deepEqual(days, [DAY + 1])
    assert.equal(fields(ledger.headers())['X-Quota-Reset'], '86399')
    await ledger.giveBack()
    assert.deepEqual(returns, [[3, { objects: [7], limit: 10, day: DAY + 1 }]])
  })

  it('refunds its charge once', async () => {
    const { ledger, returns } = ledgerOf(10)
    await ledger.giveBack()
    assert.deepEqual(returns, [])
    ledger.enter(limited(7, 8), charged(100))
    await ledger.giveBack()
    await ledger.giveBack()
    assert.deepEqual(returns, [[3, { objects: [7, 8], limit: 10, day: DAY }]])
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
      ledger.enter(limited(7), charged(100))
      assert.equal(fields(ledger.headers())['X-Quota-Reset'], seconds)
    }
  })
})
