import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { placesOf } from '../domain/network.ts'
import { countByAddress } from './address-counts.ts'

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
        const open: { place: string; close: () => void }[] = []
        for (const each of steps) {
          if ('closes' in each) {
            open.splice(each.closes % (open.length || 1), 1)[0]?.close()
            continue
          }
          const place = placesOf(each.opens)[0]!
          const before = open.filter((other) => other.place === place).length
          const close = counts.open(each.opens)
          assert.equal(close !== null, before < limit)
          if (close !== null) open.push({ place, close })
        }
        assert.equal(counts.size, new Set(open.map(({ place }) => place)).size)
        for (const { close } of open) close()
        assert.equal(counts.size, 0)
      }),
    )
  })
})
