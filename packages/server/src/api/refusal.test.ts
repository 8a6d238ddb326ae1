import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as refusals from './refusal.ts'

const EVERY: readonly refusals.Refusal[] = [
  ...Object.values(refusals.unauthorized),
  refusals.tooManyRequests(3),
  refusals.subscriptionInactive('suspended'),
  refusals.invalidId('x'),
  refusals.fromTimeRequired,
  refusals.toTimeRequired,
  refusals.invalidTime('from_time', 'x'),
  refusals.fromDateRequired,
  refusals.invalidDate('to_date', 'x'),
  refusals.invalidTimeZone('x'),
  refusals.objectRequired,
  refusals.rangeReversed,
  refusals.repeatedParameter('limit'),
  refusals.invalidLimit('0'),
  refusals.limitAboveMaximum(10),
  refusals.rangeAboveMaximum(31),
  refusals.rowsAboveMaximum(10),
  refusals.positionsAboveMaximum(10),
  refusals.idsRequired,
  refusals.invalidIds('x'),
  refusals.tooManyIds(1000),
  refusals.invalidCursor,
  refusals.objectNotFound,
  refusals.quotaExhausted([1]),
  refusals.pathNotFound,
  refusals.methodNotAllowed('GET, HEAD'),
  refusals.malformedRequest,
  refusals.headersTooLarge,
  refusals.requestTimeout,
  refusals.unavailable(5),
  refusals.internal,
]

test('every parameter error except a missing end is PUBLIC.400_001, and the others have the codes of the contract', () => {
  const codes = Object.fromEntries(
    EVERY.map(({ status, errorCode, message }) => [message.key, `${status} ${errorCode}`]),
  )
  assert.deepEqual(codes, {
    unauthorized: '401 ERR999',
    tooManyRequests: '429 ERR999',
    subscriptionInactive: '403 SUBSCRIPTION.403_002',
    invalidId: '400 PUBLIC.400_001',
    fromTimeRequired: '400 PUBLIC.400_001',
    toTimeRequired: '400 PUBLIC.400_002',
    invalidTime: '400 PUBLIC.400_001',
    dateRequired: '400 PUBLIC.400_001',
    invalidDate: '400 PUBLIC.400_001',
    invalidTimeZone: '400 PUBLIC.400_001',
    objectRequired: '400 PUBLIC.400_001',
    rangeReversed: '400 PUBLIC.400_001',
    repeatedParameter: '400 PUBLIC.400_001',
    invalidLimit: '400 PUBLIC.400_001',
    limitAboveMaximum: '400 PUBLIC.400_001',
    rangeAboveMaximum: '400 PUBLIC.400_001',
    rowsAboveMaximum: '400 PUBLIC.400_001',
    positionsAboveMaximum: '400 PUBLIC.400_001',
    idsRequired: '400 PUBLIC.400_001',
    invalidIds: '400 PUBLIC.400_001',
    tooManyIds: '400 PUBLIC.400_001',
    invalidCursor: '400 PUBLIC.400_001',
    objectNotFound: '404 PUBLIC.404_001',
    quotaExhausted: '400 PUBLIC.400_005',
    pathNotFound: '404 ERR999',
    methodNotAllowed: '405 ERR999',
    malformedRequest: '400 ERR999',
    headersTooLarge: '431 ERR999',
    requestTimeout: '408 ERR999',
    unavailable: '503 ERR999',
    internal: '500 ERR999',
  })
  assert.equal(refusals.toDateRequired.errorCode, 'PUBLIC.400_002')
})

test('a refusal has its headers', () => {
  const headers = Object.fromEntries(
    EVERY.filter((refusal) => refusal.headers).map(({ status, headers }) => [status, headers]),
  )
  assert.deepEqual(headers, {
    401: refusals.unauthorized.invalid.headers,
    405: { allow: 'GET, HEAD' },
    429: { 'retry-after': '3' },
    503: { 'retry-after': '5' },
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
