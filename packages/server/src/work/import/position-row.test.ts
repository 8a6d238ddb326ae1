import assert from 'node:assert/strict'
import { it } from 'node:test'
import { loneYears } from './position-row.ts'

const notesOf = (...years: number[]) => {
  const lone = loneYears()
  for (const [index, year] of years.entries()) lone.add(Date.UTC(year, 5, 1), index + 2)
  return lone.notes('positions.csv')
}

it('names years of a file that stand alone, but not the one with most rows', () => {
  assert.deepEqual(notesOf(2026, 2007, 2026), [
    "'positions.csv' has 1 row of 2007 (the first in line 3) and none of the years next to it: check the clock of the device",
  ])
  assert.equal(notesOf(1999, 2026, 2026, 2026, 2007, 1999).length, 2)
  for (const years of [[], [2007], [2025, 2026, 2026], [2024, 2025, 2026]]) {
    assert.deepEqual(notesOf(...years), [], String(years))
  }
})
