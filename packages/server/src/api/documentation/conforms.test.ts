import assert from 'node:assert/strict'
import { test } from 'node:test'
import { objectNotFound, tooManyRequests } from '../refusal.ts'
import { assertConforms } from './conforms.ts'
import { errorExample } from './error-responses.ts'
import { examples } from './examples.ts'
import { type OperationId, successes } from './schemas.ts'

const OPERATIONS = Object.keys(successes) as OperationId[]

test('every example conforms to its operation', () => {
  for (const id of OPERATIONS) assertConforms(id, 200, examples[id])
  assertConforms('getObject', 404, errorExample(objectNotFound))
  assertConforms('listSites', 429, errorExample(tooManyRequests(3)))
})

test('a body with a change in any field does not conform', () => {
  const { result } = examples.getObject
  const { speed, ...others } = result
  const differing = {
    'a field of another type': { ...result, speed: '47.52' },
    'a number out of its range': { ...result, angle: 361 },
    'a value that is not of the enumeration': { ...result, odometer_type: 'guess' },
    'null where none may be': { ...result, name: null },
    'an unknown field': { ...result, colour: 'red' },
    'a missing field': others,
    'another order': { speed, ...others },
    'a time without milliseconds': { ...result, created_at: '2026-03-02T08:15:00Z' },
    'a time with an offset': { ...result, created_at: '2026-03-02T08:15:00.000+00:00' },
    'an unknown field within': { ...result, vehicle_data: { ...result.vehicle_data, wheels: 4 } },
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
