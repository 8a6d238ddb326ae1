/// <reference types="node" />
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entryOf, findObjects, idsOfMatches, nameList } from './object-names.ts'

const ENTRIES = [
  { id: 1, name: 'Çelik Tır 7', ident: '356001', plate: '34 FG 7' },
  { id: 2, name: 'Van 35', ident: '356002', plate: null },
  { id: 3, name: 'Old van', ident: '420003', plate: 'B-AB 12' },
].map((each) => entryOf({ ...each, address: null, longitude: null, latitude: null }))

function found(typed: string): number[] {
  return findObjects(ENTRIES, typed, 10).hits.map(({ id }) => id)
}

test('objects are found by words of name, ident or plate, without accents', () => {
  assert.deepEqual(found('celik'), [1])
  assert.deepEqual(found('3560'), [1, 2])
  assert.deepEqual(found('ab 12'), [3])
  assert.deepEqual(found('nothing'), [])
})

test('fewer than four characters are not looked for within an ident', () => {
  assert.deepEqual(found('van 3'), [2])
  assert.deepEqual(found('001'), [])
})

test('matches at the start of a text come first', () => {
  assert.deepEqual(found('van'), [2, 3])
  assert.deepEqual(found('3560'), [1, 2])
})

test('the result is limited, but all matches are counted', () => {
  assert.deepEqual(findObjects(ENTRIES, '', 2).total, 3)
  assert.equal(findObjects(ENTRIES, '', 2).hits.length, 2)
})

test('all matches are listed by name, in which numbers count', () => {
  const names = ['Van 10', 'Van 2', 'Truck 1']
  const { entries } = nameList(
    names.map((name, at) => entryOf({ ...ENTRIES[0]!.object, id: at + 1, name })),
  )
  assert.deepEqual([...idsOfMatches(entries, '')], [3, 2, 1])
  assert.deepEqual([...idsOfMatches(entries, ' VAN ')], [2, 1])
})
