import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultOf } from './healthy-answer.ts'

describe('A healthy answer', () => {
  const text = (result: unknown) => JSON.stringify({ statusCode: 200, result })

  it('is about the requested object, alone or in a list', () => {
    assert.equal(faultOf(200, text({ id: 7 }), 7), undefined)
    assert.equal(faultOf(200, text([{ id: 7 }]), 7), undefined)
  })

  it('fails if it is refused, broken, empty, or about another object', () => {
    assert.match(faultOf(429, '{}', 7)!, /^429/)
    assert.match(faultOf(200, '{"statusCode":200,"res', 7)!, /^no JSON/)
    for (const result of [undefined, null, [], { id: 8 }, [{ id: 7 }, { id: 8 }]]) {
      assert.match(faultOf(200, text(result), 7)!, /^not object 7/)
    }
  })
})
