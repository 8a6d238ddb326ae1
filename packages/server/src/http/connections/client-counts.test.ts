import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countByClient } from './client-counts.ts'

test('a client never has more connections than the limit, and the count is zero after all have closed', () => {
  const step = fc.oneof(
    fc.record({ opens: fc.constantFrom('a', 'b', 'c') }),
    // The open connection that closes next.
    fc.record({ closes: fc.nat() }),
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step), (limit, steps) => {
      const counts = countByClient(limit)
      const open: { client: string; close: () => void }[] = []
      for (const each of steps) {
        if ('closes' in each) {
          open.splice(each.closes % (open.length || 1), 1)[0]?.close()
          continue
        }
        const client = each.opens
        const before = open.filter((other) => other.client === client).length
        const close = counts.open(client)
        assert.equal(close !== null, before < limit)
        if (close !== null) open.push({ client, close })
      }
      assert.equal(counts.size, new Set(open.map(({ client }) => client)).size)
      for (const { close } of open) close()
      assert.equal(counts.size, 0)
    }),
  )
})
