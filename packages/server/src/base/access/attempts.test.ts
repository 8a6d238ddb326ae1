import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { AttemptCount } from '../domain/account.ts'
import {
  type AttemptClient,
  afterSuccess,
  codesOf,
  decide,
  decideAt,
  networkOf,
  originsOf,
  takenBack,
} from './attempts.ts'

const SECOND = 1_000
const DAY = 24 * 3_600 * SECOND
const HOME = '192.0.2.10'

/** Counts as a store keeps them, and a clock that the test turns. */
function opened() {
  const counts = new Map<string, AttemptCount>()
  const clientAt = (address: string, device: string | null) => ({
    address,
    device,
    email: made.email,
  })
  const keptOf = (client: AttemptClient) =>
    originsOf(client).flatMap((origin) => counts.get(origin) ?? [])
  const put = (changed: AttemptCount[]) => {
    for (const each of changed) counts.set(each.origin, each)
  }
  const made = {
    now: 1_800_000_000_000,
    /** The account of the attempts. */
    email: 'ada@example.com',
    waitMs(address: string, device: string | null = null): number {
      const client = clientAt(address, device)
      return decide(client, keptOf(client), made.now).waitMs
    },
    attempt(address: string, device: string | null = null): number {
      const client = clientAt(address, device)
      const { waitMs, counts: changed } = decide(client, keptOf(client), made.now)
      put(changed)
      return waitMs
    },
    succeed(address: string, device: string | null = null) {
      assert.equal(made.attempt(address, device), 0)
      const client = clientAt(address, device)
      put(afterSuccess(client, client, keptOf(client), made.now))
    },
    /** The password is right, and a code is asked for. */
    pass(address: string) {
      assert.equal(made.attempt(address), 0)
      const client = clientAt(address, null)
      put(takenBack(client, keptOf(client), made.now))
    },
    attemptCode(account: number): number {
      const kept = counts.get(codesOf(account).origin)
      const { waitMs, counts: changed } = decideAt(codesOf(account), kept ? [kept] : [], made.now)
      put(changed)
      return waitMs
    },
    /** Failing attempts, each as soon as it is allowed. */
    failFor(address: string, ms: number): number {
      const until = made.now + ms
      for (let checked = 0; ; checked++) {
        made.now += made.waitMs(address)
        if (made.now > until) return checked
        assert.equal(made.attempt(address), 0)
      }
    },
  }
  return made
}

/**
 * The number of attempts that a limit allows in a time: the free ones, those of growing pauses, then one in each
 * pause.
 */
function mostIn(ms: number, free: number, longestMs: number): number {
  let [count, at] = [free, 0]
  for (let pause = SECOND; at <= ms; pause = Math.min(longestMs, pause * 2)) {
    at += pause
    count += 1
  }
  return count
}

const anyAddress = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)).map(([a, b, c]) => `10.${a}.${b}.${c}`)
const anyStep = fc.record({
  address: fc.oneof(anyAddress, fc.constantFrom(HOME, '192.0.2.77', '2001:db8::1', '2001:db8::2')),
  gap: fc.oneof(fc.constantFrom(0, 1), fc.nat(2 * SECOND), fc.nat(3 * 60 * SECOND)),
  isRight: fc.boolean(),
})

describe('Attempts at the password', () => {
  it('are limited by network and in total for strangers; a known network waits for 5 s at most', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 300 }), (steps) => {
        const made = opened()
        made.succeed(HOME)
        const began = made.now
        const checked = new Map<string, number>()
        for (const { address, gap, isRight } of steps) {
          made.now += gap
          const isHome = networkOf(address) === networkOf(HOME)
          if (isHome) {
            const waitMs = made.waitMs(address)
            assert.ok(waitMs <= 5 * SECOND, `${waitMs}`)
            if (waitMs === 0 && isRight) made.succeed(address)
            else made.attempt(address)
          } else if (made.attempt(address) === 0) {
            for (const origin of [networkOf(address), 'all']) {
              checked.set(origin, (checked.get(origin) ?? 0) + 1)
            }
          }
        }
        const ms = made.now - began
        for (const [origin, count] of checked) {
          const most = origin === 'all' ? mostIn(ms, 10, 60 * SECOND) : mostIn(ms, 5, 900 * SECOND)
          assert.ok(count <= most, `${origin}: ${count} in ${ms} ms, at most ${most}`)
        }
      }),
    )
  })

  it('wait for 5 s at most from a known browser, anywhere and whoever else tries', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 100 }), anyAddress, (steps, away) => {
        const made = opened()
        made.succeed(HOME, 'a browser')
        for (const { address, gap } of steps) {
          made.now += gap
          made.attempt(address)
        }
        for (const address of [HOME, away]) assert.equal(made.attempt(address, 'a browser'), 0)
        for (let i = 0; i < 20; i++) made.attempt(away, 'a browser')
        assert.ok(made.waitMs(away, 'a browser') <= 5 * SECOND)
      }),
      { numRuns: 30 },
    )
  })

  it('gain nothing by an invented browser', () => {
    const made = opened()
    made.succeed(HOME, 'a browser')
    const stranger = '198.51.100.1'
    const checked = Array.from({ length: 30 }, (_, i) => made.attempt(stranger, `invented ${i}`))
    assert.equal(checked.filter((waitMs) => waitMs === 0).length, 5)
  })

  it('may begin exactly at the announced moment, and no millisecond earlier', () => {
    fc.assert(
      fc.property(anyAddress, fc.nat(40), (address, failures) => {
        const made = opened()
        for (let i = 0; i < failures; i++) {
          made.now += made.waitMs(address)
          made.attempt(address)
        }
        const waitMs = made.waitMs(address)
        if (waitMs === 0) return
        made.now += waitMs - 1
        assert.equal(made.attempt(address), 1)
        made.now += 1
        assert.equal(made.attempt(address), 0)
      }),
    )
  })

  it('number as many a day as the operator guide says', () => {
    const networks = opened()
    assert.equal(networks.failFor('10.0.0.1', DAY), 109)
    const all = opened()
    let [checked, began] = [0, all.now]
    for (let i = 0; all.now - began < DAY; i++) {
      const address = `10.${(i >> 8) % 256}.${i % 256}.1`
      all.email = `${i}@example.com`
      all.now += all.waitMs(address)
      if (all.attempt(address) === 0) checked += 1
    }
    assert.ok(checked >= 2_880 && checked <= 2_896, `${checked}`)
    const known = opened()
    known.succeed(HOME)
    const count = known.failFor(HOME, DAY)
    assert.ok(count >= 17_280 && count <= 17_290, `${count}`)
  })

  it('at one account are one a minute from strangers, however many networks they have', () => {
    const made = opened()
    let [checked, began] = [0, made.now]
    for (let i = 0; made.now - began < DAY; i++) {
      const address = `10.${(i >> 8) % 256}.${i % 256}.1`
      made.now += made.waitMs(address)
      if (made.attempt(address) === 0) checked += 1
    }
    assert.ok(checked >= 1_440 && checked <= 1_456, `${checked}`)
  })

  it('at another account are those of a stranger, from a browser that is known for its own', () => {
    const made = opened()
    made.succeed(HOME, 'a browser')
    made.email = 'operator@example.com'
    let checked = 0
    for (let i = 0; i < 100; i++) {
      if (made.attempt(HOME, 'a browser') === 0) checked += 1
      made.email = 'ada@example.com'
      made.succeed(HOME, 'a browser')
      made.email = 'operator@example.com'
    }
    assert.equal(checked, 5)
  })

  it('are not used up by a right password before its code', () => {
    const made = opened()
    for (let i = 0; i < 50; i++) made.pass('10.0.0.1')
    for (let i = 0; i < 5; i++) assert.equal(made.attempt('10.0.0.1'), 0)
    assert.ok(made.attempt('10.0.0.1') > 0)
  })

  it('at codes are five, and then one every 15 minutes at last, for each account', () => {
    const made = opened()
    let [checked, began] = [0, made.now]
    while (made.now - began < DAY) {
      const waitMs = made.attemptCode(7)
      made.now += waitMs
      if (waitMs === 0) checked += 1
    }
    assert.ok(checked <= 110, `${checked}`)
    assert.equal(made.attemptCode(8), 0)
  })

  it('from one address do not slow down a known address of the same network', () => {
    const made = opened()
    made.succeed(HOME)
    made.failFor('192.0.2.200', 3_600 * SECOND)
    assert.equal(made.waitMs(HOME), 0)
  })

  it('reset the failures before them if they are right', () => {
    const made = opened()
    for (let round = 0; round < 20; round++) {
      for (let i = 0; i < 4; i++) assert.equal(made.attempt(HOME), 0)
      made.succeed(HOME)
      assert.equal(made.waitMs(HOME), 0)
    }
    assert.equal(made.waitMs('10.0.0.1'), 0)
  })

  it('are forgotten after a day without any, and a sign-in after 90 days', () => {
    const made = opened()
    for (let i = 0; i < 5; i++) made.attempt('10.0.0.1')
    assert.ok(made.waitMs('10.0.0.1') > 0)
    made.now += DAY
    for (let i = 0; i < 5; i++) assert.equal(made.attempt('10.0.0.1'), 0)
    made.succeed(HOME)
    made.now += 90 * DAY
    for (let i = 0; i < 12; i++) {
      made.now += made.waitMs(HOME)
      made.attempt(HOME)
    }
    assert.ok(made.waitMs(HOME) > 5 * SECOND)
  })

  it('wait no longer than the pause if the clock was set back', () => {
    const made = opened()
    for (let i = 0; i < 5; i++) made.attempt('10.0.0.1')
    made.now -= 3_600 * SECOND
    assert.equal(made.waitMs('10.0.0.1'), SECOND)
  })
})

describe('The network of an address', () => {
  const NETWORKS: Record<string, string[]> = {
    '203.0.113.0/24': ['203.0.113.0', '203.0.113.255', '::ffff:203.0.113.9', '::FFFF:203.0.113.9'],
    '203.0.112.0/24': ['203.0.112.9'],
    '2001:db8:0:7::/64': ['2001:DB8:0:7::2', '2001:0db8:0000:0007:1:2:3:4', '2001:db8:0:7::'],
    '2001:db8::/64': ['2001:db8::1', '2001:db8:0:0:ffff::'],
    '2001:0:0:4::/64': ['2001::4:5:6:7:8', '2001:0:0:4:5:6:7:8'],
    '::/64': ['::1', '::1.2.3.4', '::'],
    'fe80::/64': ['fe80::1%eth0'],
    unknown: ['', 'unknown', '203.0.113', '203.0.113.9:80', '[2001:db8::1]', 'x'.repeat(20_000)],
  }

  for (const [network, addresses] of Object.entries(NETWORKS)) {
    it(`${network} is the same for ${addresses.length} spellings`, () => {
      for (const address of addresses) assert.equal(networkOf(address), network, address)
    })
  }
})
