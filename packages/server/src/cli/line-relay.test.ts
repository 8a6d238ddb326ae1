import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { it } from 'node:test'
import fc from 'fast-check'
import { openLineRelay } from './line-relay.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('lines of several processes stay whole, however their bytes come', async () => {
  const pieces = fc.array(
    fc.record({ source: fc.nat(2), bytes: fc.stringMatching(/^[ab\n]{0,6}$/) }),
  )
  await fc.assert(
    fc.asyncProperty(pieces, fc.boolean(), async (written, isEarly) => {
      let out = ''
      const relay = openLineRelay((lines) => (out += lines))
      const sources = [0, 1, 2].map(() => new PassThrough())
      for (const source of sources) relay.add(source)
      if (isEarly) relay.open()
      const texts = ['', '', '']
      for (const { source, bytes } of written) {
        sources[source]!.write(bytes)
        texts[source] += bytes
      }
      await settled()
      if (!isEarly) assert.equal(out, '')
      relay.open()
      const lines = (text: string) => text.split('\n').slice(0, -1)
      assert.deepEqual(lines(out).sort(), texts.flatMap(lines).sort())
    }),
    { numRuns: 200 },
  )
})
