import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { countByAddress } from './address-counts.ts'
import { networkOf } from './peer-network.ts'

const address = fc.oneof(
  fc.constantFrom('192.0.2.1', '192.0.2.2', '::ffff:192.0.2.1', '2001:db8::1', '2001:db8::2'),
  fc.ipV4(),
  fc.ipV6(),
)

describe('The open connections of an address', () => {
  it('are never more than the limit, and none are counted when all have closed', () => {
    const step = fc.oneof(
      fc.record({ opens: address }),
      // Which of the connections that are open then closes.
      fc.record({ closes: fc.nat() }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step), (limit, steps) => {
        const counts = countByAddress(limit)
        const open: { network: string; close: () => void }[] = []
        for (const each of steps) {
          if ('closes' in each) {
            open.splice(each.closes % (open.length || 1), 1)[0]?.close()
            continue
          }
          const network = networkOf(each.opens)
          const before = open.filter((other) => other.network === network).length
          const close = counts.open(each.opens)
          assert.equal(close !== null, before < limit)
          if (close !== null) open.push({ network, close })
        }
        assert.equal(counts.size, new Set(open.map(({ network }) => network)).size)
        for (const { close } of open) close()
        assert.equal(counts.size, 0)
      }),
    )
  })
})

describe('The network of an address', () => {
  it('is an IPv4 address itself, however it is written', () => {
    assert.equal(networkOf('192.0.2.7'), '192.0.2.7')
    assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7')
  })

  it('is the /64 of an IPv6 address', () => {
    for (const [written, network] of [
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
      ['2001:db8::6', '2001:db8:0:0::/64'],
      ['2001:db8::', '2001:db8:0:0::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
      ['::1', '0:0:0:0::/64'],
      ['::', '0:0:0:0::/64'],
    ] as const) {
      assert.equal(networkOf(written), network)
    }
  })
})
