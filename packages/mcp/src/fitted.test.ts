import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bounded, bySkip, fitted, MAX_BYTES } from './fitted.ts'

const anyRows = fc.array(fc.record({ name: fc.string({ unit: 'grapheme', maxLength: 300 }) }), {
  maxLength: 150,
})

describe('The text of an answer', () => {
  it('is short, and its parts are all rows once', () => {
    fc.assert(
      fc.property(anyRows, fc.integer({ min: 1, max: 100 }), (given, limit) => {
        const rows = given.map((row, id) => ({ id, ...row }))
        const ids: number[] = []
        for (;;) {
          const part = { skip: ids.length, limit, rest: bySkip('ask for less') }
          const text = fitted({ count: rows.length }, 'rows', rows, part)
          assert.ok(Buffer.byteLength(text) <= MAX_BYTES)
          const { rows: shown, left_out = 0, skipped = 0 } = JSON.parse(text)
          assert.equal(skipped + shown.length + left_out, rows.length)
          ids.push(...shown.map(({ id }: { id: number }) => id))
          if (left_out === 0) break
          assert.ok(shown.length > 0)
        }
        assert.deepEqual(
          ids,
          rows.map(({ id }) => id),
        )
      }),
      { numRuns: 50 },
    )
  })

  it('has no rows after the last one', () => {
    const text = fitted({}, 'rows', [{ id: 1 }], { skip: 5, limit: 20, rest: bySkip('no') })
    assert.deepEqual(JSON.parse(text), { skipped: 1, rows: [] })
  })

  it('is cut where it is a refusal of many faults', () => {
    const text = bounded('ü'.repeat(10_000))
    assert.ok(Buffer.byteLength(text) <= MAX_BYTES && text.endsWith(' … (cut)'))
    assert.equal(bounded('short'), 'short')
  })
})
