import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../../testing/any-fix.ts'
import { toJson } from '../../base/domain/common/plain-json.ts'
import { jsonPositions } from './json.ts'
import { OWN_COLUMNS } from './position-format.ts'

const { writeText } = jsonPositions(OWN_COLUMNS)

function written(utf8: Buffer, from = 0, to = utf8.length): string {
  const out = Buffer.alloc(6 * (to - from) + 2)
  return out.toString('utf8', 0, writeText(out, 0, utf8, from, to))
}

describe('JSON text written into bytes', () => {
  it('is that of other texts, and within the promised size', () => {
    fc.assert(
      fc.property(anyText, fc.nat(5), fc.nat(5), (text, before, after) => {
        const utf8 = Buffer.from(text)
        const bytes = Buffer.concat([Buffer.alloc(before, '"'), utf8, Buffer.alloc(after, '"')])
        assert.equal(written(bytes, before, before + utf8.length), toJson(text))
      }),
      { numRuns: 1_000 },
    )
  })

  it('escapes each character that JSON must escape', () => {
    for (let code = 0; code < 0x100; code++) {
      const character = String.fromCharCode(code)
      assert.equal(written(Buffer.from(character)), JSON.stringify(character))
    }
  })
})
