/// <reference types="node" />
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heading } from '../object-fields.ts'
import { entryOf, findObjects } from './object-names.ts'

const ENTRIES = [
  { id: 1, name: 'Çelik Tır 7', ident: '356001', plate: '34 FG 7' },
  { id: 2, name: 'Van 35', ident: '356002', plate: null },
  { id: 3, name: 'Old van', ident: '420003', plate: 'B-AB 12' },
].map(entryOf)

function found(typed: string): number[] {
  return findObjects(ENTRIES, typed, 10).hits.map(({ id }) => id)
}

test('objects are found by words of name, ident or plate, without accents', () => {
  assert.deepEqual(found('celik'), [1])
  assert.deepEqual(found('356'), [1, 2])
  assert.deepEqual(found('ab 12'), [3])
  assert.deepEqual(found('nothing'), [])
})

test('matches at the start of a text come first', () => {
  assert.deepEqual(found('van'), [2, 3])
  assert.deepEqual(found('35'), [1, 2])
})

test('the result is limited, but all matches are counted', () => {
  assert.deepEqual(findObjects(ENTRIES, '', 2).total, 3)
  assert.equal(findObjects(ENTRIES, '', 2).hits.length, 2)
})

test('headings have a name', () => {
  assert.deepEqual([0, 44, 225, 359].map(heading), ['0° N', '44° NE', '225° SW', '359° N'])
  assert.equal(heading(null), null)
})
