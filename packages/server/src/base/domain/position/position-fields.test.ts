import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BYTES, FIELD_COUNT_RANK } from './field.ts'
import { DECIDING, MEASURES } from './field-lists.ts'
import { FIX_RECORD, OPTIONAL_BIT } from './fix-record.ts'
import { FIELDS } from './position-fields.ts'

test('no two values share bytes or a flag of a record', () => {
  const { at, flag } = FIELDS.mileage.record
  assert.ok(MEASURES.every((measure) => measure.at >= at + 6 || measure.at < at))
  let [end, flags] = [0, flag]
  for (const measure of MEASURES) {
    assert.ok(measure.at >= end, `${measure.key} begins at ${measure.at}, before ${end}`)
    assert.equal(flags & measure.flag, 0, measure.key)
    end = measure.at + BYTES[measure.bytes]
    flags |= measure.flag
  }
})

test('an optional measure is after the mask and has a bit of it, and the others do not', () => {
  for (const { key, at, flag } of MEASURES) {
    const isOptional = at > FIX_RECORD.optional
    assert.ok(isOptional || at < FIX_RECORD.optional, key)
    assert.equal(flag >>> OPTIONAL_BIT !== 0, isOptional, key)
    assert.equal(flag & 0xffff, isOptional ? 0 : flag, key)
    assert.ok(flag >>> OPTIONAL_BIT <= 0xff, key)
  }
})

test('no two fields decide with the same rank between two fixes', () => {
  const ranks = [...DECIDING.map(({ wins }) => wins.rank), FIELD_COUNT_RANK]
  assert.equal(new Set(ranks).size, ranks.length)
})
