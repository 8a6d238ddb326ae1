import assert from 'node:assert/strict'
import { it } from 'node:test'
import { toJson } from './to-json.ts'

it('JSON has no line separator, wherever a text has one', () => {
  const value = { 'a\u2028': ['\u2029b', 'Москва\u2028\u2028\u2029'], plain: '\u2027\u202a€' }
  const json = toJson(value)
  assert.equal(
    json,
    '{"a\\u2028":["\\u2029b","Москва\\u2028\\u2028\\u2029"],"plain":"\u2027\u202a€"}',
  )
  assert.deepEqual(JSON.parse(json), value)
})
