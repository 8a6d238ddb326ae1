import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { attempts } from './attempts.ts'

const MINUTE_US = 60_000_000
const WINDOW_US = 5 * MINUTE_US

/** Attempts, and a clock of their own that is turned by hand. */
function opened() {
  const clock = { us: 0 }
  return { clock, made: attempts({ now: () => 0, monotonic: () => clock.us }) }
}

const anyGap = fc.oneof(fc.constantFrom(0, 1, WINDOW_US - 1, WINDOW_US), fc.nat(2 * MINUTE_US))
const anyStep = fc.record({
  address: fc.constantFrom('10.0.0.1', '10.0.0.2', '2001:db8::1'),
  gap: anyGap,
  succeeds: fc.boolean(),
})

describe('Attempts at a password', () => {
  it('are 5 of an address in any 5 minutes since it succeeded, told to the microsecond', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 80 }), (steps) => {
        const { clock, made } = opened()
        const model = new Map<string, number[]>()
        for (const { address, gap, succeeds } of steps) {
          clock.us += gap
          const counted = (model.get(address) ?? []).filter((at) => clock.us - at < WINDOW_US)
          const waitUs = made.begin(address)
          if (counted.length >= 5) {
            assert.equal(waitUs, counted[0]! + WINDOW_US - clock.us)
            continue
          }
          assert.equal(waitUs, 0)
          model.set(address, [...counted, clock.us])
          if (!succeeds) continue
          made.succeeded(address)
          model.delete(address)
        }
      }),
    )
  })

  it('can be made again just when it was said', () => {
    const { clock, made } = opened()
    for (let i = 0; i < 5; i++) assert.equal(made.begin('a'), 0)
    const waitUs = made.begin('a')
    clock.us += waitUs - 1
    assert.equal(made.begin('a'), 1)
    clock.us += 1
    assert.equal(made.begin('a'), 0)
  })

  it('of one network of IPv6 are those of one, and of IPv4 each address counts for itself', () => {
    const same = ['2001:db8::1', '2001:DB8:0:0::2', '2001:db8:0:0:ffff:1:2:3', '2001:0db8::']
    const { made } = opened()
    for (const address of [...same, same[0]!]) assert.equal(made.begin(address), 0)
    for (const address of same) assert.ok(made.begin(address) > 0, address)
    for (const other of ['2001:db8:0:1::1', '2001:db9::1', '::1', '10.0.0.1', '::ffff:10.0.0.1']) {
      assert.equal(made.begin(other), 0, other)
    }
    for (let i = 0; i < 5; i++) made.begin('::ffff:10.0.0.9')
    assert.equal(made.begin('::ffff:10.0.0.8'), 0)
  })

  it('are remembered of the last 10,000 addresses', () => {
    const { made } = opened()
    for (let i = 0; i < 5; i++) made.begin('first')
    for (let i = 0; i < 9_999; i++) made.begin(`other ${i}`)
    assert.ok(made.begin('first') > 0)
    made.begin('one more')
    assert.equal(made.begin('first'), 0)
  })
})
