import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { it } from 'node:test'
import fc from 'fast-check'
import { holdOutput } from '../terminal/held-output.ts'
import { relayLines } from './line-relay.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('lines of several processes remain whole, however their bytes arrive', async () => {
  const pieces = fc.array(
    fc.record({ source: fc.nat(2), bytes: fc.stringMatching(/^[ab\n]{0,6}$/) }),
  )
  await fc.assert(
    fc.asyncProperty(pieces, async (written) => {
      let out = ''
      const sources = [0, 1, 2].map(() => new PassThrough())
      for (const source of sources) relayLines(source, (lines) => (out += lines))
      const texts = ['', '', '']
      for (const { source, bytes } of written) {
        sources[source]!.write(bytes)
        texts[source] += bytes
      }
      await settled()
      const lines = (text: string) => text.split('\n').slice(0, -1)
      assert.deepEqual(lines(out).sort(), texts.flatMap(lines).sort())
    }),
    { numRuns: 200 },
  )
})

it('output waits until it is released, and keeps its order', () => {
  let out = ''
  const held = holdOutput((lines) => (out += lines))
  held.write('a')
  held.write(Buffer.from('b'))
  assert.equal(out, '')
  held.open()
  held.write('c')
  held.open()
  assert.equal(out, 'abc')
})
