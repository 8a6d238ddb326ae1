import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ImportMisuse } from '../row.ts'
import { candidatesOf, checkMapping, parseMapping } from './column-mapping.ts'

const IDENT = { name: 'ident', synonyms: ['imei', 'device_id'] }
const TIME = { name: 'time_device', synonyms: ['timestamp', 'time'] }
const NONE = new Map<string, string>()

test('a field is found by its name first, then by its synonyms in order', () => {
  assert.deepEqual(candidatesOf(IDENT, ['device_id', 'imei', 'ident'], NONE), [2, 1, 0])
  assert.deepEqual(candidatesOf(IDENT, ['other'], NONE), [])
})

test('case, spaces and underscores do not matter in names', () => {
  for (const column of ['Device ID', 'deviceId', 'DEVICE_ID', ' device-id ']) {
    assert.deepEqual(candidatesOf(IDENT, [column], NONE), [0], column)
  }
})

test('a named column takes precedence over every known name', () => {
  const mapping = parseMapping('ident=bus', [IDENT, TIME])
  assert.deepEqual(candidatesOf(IDENT, ['ident', 'Bus'], mapping), [1])
  assert.deepEqual(candidatesOf(IDENT, ['ident'], mapping), [])
})

test('a column that is named for one field is not used for another', () => {
  const mapping = parseMapping('ident=time', [IDENT, TIME])
  assert.deepEqual(candidatesOf(TIME, ['time', 'x'], mapping), [])
  assert.deepEqual(candidatesOf(TIME, ['time', 'timestamp'], mapping), [1])
})

test('an invalid mapping is rejected with the valid form', () => {
  const refused = (text: string, message: RegExp) =>
    assert.throws(
      () => parseMapping(text, [IDENT, TIME]),
      (error) => error instanceof ImportMisuse && message.test(error.message),
    )
  refused('foo=bar', /unknown field 'foo'; use one of ident, time_device/)
  refused('ident', /'ident' must have the form field=column/)
  refused('ident=', /must have the form/)
  refused('ident=a,ident=b', /named twice/)
  assert.throws(
    () => checkMapping(parseMapping('ident=bus', [IDENT]), ['a', 'b'], 'x.csv'),
    /'x.csv' has no column 'bus'; it has a, b/,
  )
})

test('a column name may contain an equals sign', () => {
  assert.equal(parseMapping('ident=a=b', [IDENT]).get('ident'), 'a=b')
})
