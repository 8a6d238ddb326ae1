import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EVERY_REFUSAL } from '../../testing/every-refusal.ts'
import * as refusals from './refusal.ts'

const EVERY = EVERY_REFUSAL.map(([refusal]) => refusal)

test('every parameter error except a missing end is PUBLIC.400_001, and the others have the codes of the contract', () => {
  for (const [{ status, errorCode, message }, code] of EVERY_REFUSAL) {
    assert.equal(`${status} ${errorCode}`, code, message.key)
  }
})

test('a refusal has its headers', () => {
  const headers = Object.fromEntries(
    EVERY.filter((refusal) => refusal.headers).map(({ message, headers }) => [
      message.key,
      headers,
    ]),
  )
  assert.deepEqual(headers, {
    unauthorized: refusals.unauthorized.invalid.headers,
    methodNotAllowed: { allow: 'GET, HEAD' },
    tooManyRequests: { 'retry-after': '3' },
    tooManyWholeAnswers: { 'retry-after': '10' },
    unavailable: { 'retry-after': '5' },
    recordsNotDerived: { 'retry-after': '5' },
  })
})

test('each fault of a key has its own challenge', () => {
  const challenges = Object.values(refusals.unauthorized).map(
    ({ headers }) => headers!['www-authenticate'],
  )
  assert.equal(new Set(challenges).size, 4)
  for (const challenge of challenges) {
    // RFC 6750, section 3: a description has no quotation mark and no backslash.
    assert.match(
      challenge!,
      /^Bearer error="invalid_(request|token)", error_description="[ !#-[\]-~]+"$/,
    )
  }
})

test('only an incomplete request closes its connection', () => {
  const closing = EVERY.filter((refusal) => refusal.close).map(({ status }) => status)
  assert.deepEqual(closing, [400, 431, 408])
})

test("the client's input is repeated in a short and harmless form", () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (value) => {
      const { message } = refusals.invalidId(value)
      assert.ok('value' in message)
      assert.ok([...message.value].length <= 40)
      assert.ok(message.value.isWellFormed())
      assert.doesNotMatch(message.value, /[\p{C}\p{Zl}\p{Zp}]/u)
    }),
  )
  assert.deepEqual(refusals.invalidId('12abc').message, {
    ...{ key: 'invalidId', parameter: 'id' },
    value: '12abc',
  })
  assert.deepEqual(refusals.invalidId('9'.repeat(5000)).message, {
    ...{ key: 'invalidId', parameter: 'id' },
    value: `${'9'.repeat(39)}…`,
  })
  assert.deepEqual(refusals.repeatedParameter('\u202e\ud800\n').message, {
    key: 'repeatedParameter',
    name: '\ufffd\ufffd\ufffd',
  })
})
