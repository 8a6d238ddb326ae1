import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { booleanIn, numberIn, textIn } from './cells.ts'

test('every decimal number is parsed, with surrounding space', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      assert.equal(numberIn(` ${value} `), Number(String(value)))
      assert.equal(numberIn(value), value)
    }),
  )
  assert.equal(numberIn('+1.5'), 1.5)
  assert.equal(numberIn('.5'), 0.5)
  assert.equal(numberIn('5.'), 5)
})

test('other text than a decimal number is NaN, and an empty cell is null', () => {
  for (const cell of [
    '0x10',
    '0b1',
    'Infinity',
    'NaN',
    '1,5',
    '1.2.3',
    '.',
    'e5',
    '1_000',
    true,
    [],
    {},
  ]) {
    assert.ok(Number.isNaN(numberIn(cell)), String(cell))
  }
  for (const cell of ['', '  ', null, undefined]) assert.equal(numberIn(cell), null)
})

test('texts are trimmed, numbers are read as text, and an empty cell is null', () => {
  assert.equal(textIn(' a b '), 'a b')
  assert.equal(textIn(2218), '2218')
  assert.equal(textIn('  '), null)
  assert.equal(textIn(undefined), null)
})

test('yes and no have their usual words', () => {
  for (const cell of [true, 'true', 'TRUE', '1', 1, 'on', 'Yes'])
    assert.equal(booleanIn(cell), true)
  for (const cell of [false, 'false', '0', 0, 'off', 'no']) assert.equal(booleanIn(cell), false)
  assert.equal(booleanIn(''), null)
  assert.equal(booleanIn('maybe'), undefined)
})
