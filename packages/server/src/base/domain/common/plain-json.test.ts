import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseJson, toJson, writeArray, writeArrays } from './plain-json.ts'
import { runAtOnce } from './steps.ts'

it('JSON has no line separator, wherever a text has one', () => {
  const value = { 'a\u2028': ['\u2029b', 'Москва\u2028\u2028\u2029'], plain: '\u2027\u202a€' }
  const json = toJson(value)
  assert.equal(
    json,
    '{"a\\u2028":["\\u2029b","Москва\\u2028\\u2028\\u2029"],"plain":"\u2027\u202a€"}',
  )
  assert.deepEqual(JSON.parse(json), value)
})

/** With spaces between its parts, or without. */
const anyJson = fc
  .tuple(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom('', ' ', '\n'))
  .map(([value, space]) => JSON.stringify(value, null, space))
const STRUCTURE = ['[', ']', '{', '}', ',', ':', '"', '\\', ' ', '1', '\u00a0', '"a":', '__proto__']

/** JSON with a piece put in place of some of its characters. */
const almostJson = fc
  .tuple(anyJson, fc.nat(), fc.nat({ max: 3 }), fc.constantFrom(...STRUCTURE))
  .map(([text, at, length, piece]) => {
    const from = at % (text.length + 1)
    return text.slice(0, from) + piece + text.slice(from + length)
  })

/** The value, or that there is none. */
function parsed(parse: () => unknown): unknown {
  try {
    return { value: parse() }
  } catch (error) {
    assert.ok(error instanceof SyntaxError)
    return 'broken'
  }
}

describe('JSON in steps', () => {
  it('is parsed as JSON.parse does, however short the steps are, and refused as it does', () => {
    fc.assert(
      fc.property(fc.oneof(anyJson, almostJson), fc.integer({ min: 1, max: 30 }), (text, step) => {
        const inSteps = parsed(() => runAtOnce(parseJson(text, step)))
        assert.deepEqual(
          inSteps,
          parsed(() => JSON.parse(text)),
          text,
        )
      }),
      { numRuns: 3_000 },
    )
  })

  it('keeps a key that would set the prototype, and the last of several equal keys', () => {
    const text = '{"a":[1,2,3],"__proto__":{"b":[4,5,6]},"a":0}'
    for (const step of [1, 5, 1_000]) {
      const value = runAtOnce(parseJson(text, step)) as object
      assert.deepEqual(value, JSON.parse(text))
      assert.equal(Object.getPrototypeOf(value), Object.prototype)
    }
  })

  it('refuses a value between a key and its object', () => {
    for (const text of ['{"a":1{}}', '{"a":-[]}', '{"a":"b"{}}']) {
      assert.throws(() => runAtOnce(parseJson(text, 1)), SyntaxError, text)
    }
  })

  it('refuses a long text that nests too deep', () => {
    assert.throws(() => runAtOnce(parseJson('['.repeat(100_000))), SyntaxError)
    const deep = `${'['.repeat(101)}${']'.repeat(101)}`
    assert.throws(() => runAtOnce(parseJson(deep, 100)), /nests too deep/)
  })

  it('refuses an object of a long text whose names take long to list', () => {
    const textOf = (members: number) =>
      `{"in":{${Array.from({ length: members }, (_, i) => `"key ${i}":[]`).join()}}}`
    assert.deepEqual(runAtOnce(parseJson(textOf(10_000))), JSON.parse(textOf(10_000)))
    assert.throws(() => runAtOnce(parseJson(textOf(10_001))), /too many members/)
  })

  it('is parsed in many short steps', () => {
    const text = JSON.stringify({ coordinates: Array.from({ length: 50_000 }, (_, i) => [i, -i]) })
    const steps = parseJson(text)
    let count = 0
    while (!steps.next().done) count += 1
    assert.ok(count > text.length / 20_000, `${count} steps`)
  })

  it('is written as JSON.stringify does', () => {
    const numbers = Array.from({ length: 1_234 }, (_, i) => [i, i / 7])
    assert.equal(runAtOnce(writeArray(numbers)), JSON.stringify(numbers))
    assert.equal(runAtOnce(writeArray([])), '[]')
    const lines = [numbers, [], numbers.slice(0, 3)]
    assert.equal(runAtOnce(writeArrays(lines)), JSON.stringify(lines))
    const [first] = numbers
    assert.equal(runAtOnce(writeArray([first!], ([x]) => ({ x }))), '[{"x":0}]')
  })
})
