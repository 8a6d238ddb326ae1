import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { splitIds } from './split-ids.ts'

const id = fc.oneof(fc.nat(5_000), fc.nat(Number.MAX_SAFE_INTEGER))
const ids = fc.array(id, { maxLength: 4_000, size: 'max' })

const numbersOf = (lists: string[]) => lists.flatMap((list) => list.split(',').map(Number))

describe('The ids of split requests', () => {
  it('are complete, unique and in order', () => {
    fc.assert(
      fc.property(ids, (given) => {
        assert.deepEqual(numbersOf(splitIds(given)), [...new Set(given)])
      }),
    )
  })

  it('fit into a request each, and leave no request half empty', () => {
    fc.assert(
      fc.property(ids, (given) => {
        const lists = splitIds(given)
        for (const [i, list] of lists.entries()) {
          const count = list.split(',').length
          assert.ok(count <= 1_000 && list.length <= 7_500, `${count} ids, ${list.length} long`)
          const next = lists[i + 1]
          if (next === undefined) continue
          const withOneMore = list.length + 1 + next.split(',')[0]!.length
          assert.ok(count === 1_000 || withOneMore > 7_500, `only ${count}, ${list.length} long`)
        }
      }),
    )
  })

  it('number a thousand a request if they are short', () => {
    const lists = splitIds(Array.from({ length: 2_001 }, (_, i) => i + 1))
    assert.deepEqual(
      lists.map((list) => list.split(',').length),
      [1_000, 1_000, 1],
    )
  })

  it('make no request if the list is empty', () => {
    assert.deepEqual(splitIds([]), [])
  })
})
