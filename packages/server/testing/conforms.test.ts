import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorExample } from '../src/faces/api/documentation/responses.ts'
import { OPERATIONS } from '../src/faces/api/operations/api-operations.ts'
import { objectNotFound, tooManyRequests } from '../src/read/refusal.ts'
import { vanNow } from '../src/read/schemas/examples.ts'
import { assertConforms } from './conforms.ts'

test('every example conforms to its operation', () => {
  for (const { id, result } of OPERATIONS) {
    assertConforms(id, 200, { statusCode: 200, result: result.example })
  }
  assertConforms('getObject', 404, errorExample(objectNotFound))
  assertConforms('listSites', 429, errorExample(tooManyRequests(3)))
})

test('a body with a change in any field does not conform', () => {
  const { speed, ...others } = vanNow
  const differing = {
    'a field of another type': { ...vanNow, speed: '47.52' },
    'a number out of its range': { ...vanNow, angle: 361 },
    'a value that is not of the enumeration': { ...vanNow, odometer_type: 'guess' },
    'null where none may be': { ...vanNow, name: null },
    'an unknown field': { ...vanNow, colour: 'red' },
    'a missing field': others,
    'another order': { speed, ...others },
    'a time without milliseconds': { ...vanNow, created_at: '2026-03-02T08:15:00Z' },
    'a time with an offset': { ...vanNow, created_at: '2026-03-02T08:15:00.000+00:00' },
    'an unknown field within': { ...vanNow, vehicle_data: { ...vanNow.vehicle_data, wheels: 4 } },
  }
  for (const [what, changed] of Object.entries(differing)) {
    const body = JSON.parse(JSON.stringify({ statusCode: 200, result: changed }))
    assert.throws(() => assertConforms('getObject', 200, body), assert.AssertionError, what)
  }
})

test('a status outside the description does not conform', () => {
  const notFound = errorExample(objectNotFound)
  assert.throws(() => assertConforms('listSites', 404, notFound), /not in the description/)
  assert.throws(() => assertConforms('getObject', 400, notFound), assert.AssertionError)
})
