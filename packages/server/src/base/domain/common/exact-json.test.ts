import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { exactEntries, exactMember, parseExactly } from './exact-json.ts'
import { parseJson } from './plain-json.ts'
import { runAtOnce } from './steps.ts'

type Members = Record<string, unknown>

const anyInteger = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n })
const anyName = fc.oneof(fc.string({ maxLength: 3 }), fc.constant('__proto__'))
const anyMember = fc.oneof(
  { weight: 3, arbitrary: anyInteger },
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string(),
  anyInteger.map(String),
  fc.boolean(),
)

const jsonOf = (value: unknown) => (typeof value === 'bigint' ? `${value}` : JSON.stringify(value))

/** The value of a member with this text. */
function exact(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const isLong = /^-?\d+$/.test(text) && !Number.isSafeInteger(value)
  return isLong ? text : value
}

describe('JSON with integers beyond 2^53', () => {
  it('has their digits as texts, and is otherwise as JSON.parse reads it', () => {
    const anyMembers = fc.uniqueArray(fc.tuple(anyName, anyMember), { selector: ([name]) => name })
    const anySpace = fc.constantFrom('', ' ', '\n')
    fc.assert(
      fc.property(anyMembers, anySpace, fc.nat(20), (members, space, step) => {
        const text = members.map(
          ([name, value]) => `${JSON.stringify(name)}:${space}${jsonOf(value)}`,
        )
        const json = `{"attributes":${space}{${text.join(`,${space}`)}}}`
        const inSteps = runAtOnce(parseJson(json, step + 1)) as { attributes: Members }
        const atOnce = parseExactly(json) as { attributes: Members }
        for (const { attributes } of [inSteps, atOnce]) {
          assert.deepEqual(attributes, JSON.parse(json).attributes)
          const expected = members.map(([name, value]) => [name, exact(jsonOf(value))] as const)
          assert.deepEqual(new Map(exactEntries(attributes)), new Map(expected))
          for (const [name, value] of exactEntries(attributes)) {
            assert.equal(exactMember(attributes, name), value)
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  it('keeps the last of several equal keys', () => {
    for (const [first, last] of [
      ['1048576000123456788', '5'],
      ['5', '1048576000123456788'],
    ]) {
      const text = `{"a":${first},"b":[1,2,3],"a":${last}}`
      for (const step of [1, 1_000]) {
        const value = runAtOnce(parseJson(text, step)) as Members
        assert.equal(String(exactMember(value, 'a')), last)
      }
    }
  })

  it('keeps decimals and exponents as numbers', () => {
    const text = '{"a":1048576000123456788.5,"b":1048576000123456788e2,"c":0.1234567890123456789}'
    const value = parseExactly(text) as object
    assert.deepEqual(exactEntries(value), Object.entries(JSON.parse(text)))
  })

  it('reads millions of digits once', () => {
    const began = process.cpuUsage()
    parseExactly(`{"a":0.${'9'.repeat(8_000_000)}}`)
    assert.ok(process.cpuUsage(began).user < 2_000_000)
  })
})
