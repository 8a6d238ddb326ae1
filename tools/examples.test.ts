import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { exampleFiles } from './examples.ts'

const folder = join(import.meta.dirname, '../examples')

test('the examples folder equals the output of the demo fleet', () => {
  for (const [name, text] of exampleFiles()) {
    const checkedIn = readFileSync(join(folder, name), 'utf8')
    assert.ok(checkedIn === text, `examples/${name} is old: run write-examples.ts`)
  }
})

test('the sample of positions is small, unsorted, and contains faults', () => {
  const text = exampleFiles().get('positions.csv')!
  const rows = text.trimEnd().split('\n').slice(1)
  assert.ok(rows.length >= 500 && rows.length <= 2000, `${rows.length} rows`)
  assert.ok(text.length < 200_000)
  const keys = rows.map((row) => row.split(',').slice(0, 2).join())
  assert.notDeepEqual(keys, keys.toSorted())
  assert.equal(rows.length - new Set(rows).size, 1, 'one duplicate')
  assert.equal(rows.length - new Set(keys).size, 2, 'and one conflict')
  assert.equal(rows.filter((row) => row.includes(',0.000000,0.000000,')).length, 1)
})
