import assert from 'node:assert/strict'
import { it } from 'node:test'
import { rowsAboveSheet } from '../refusal.ts'
import { fitting, refuseLong } from './sheet-rows.ts'

const MAX = 1_048_575
const rows = (length: number) => Array.from({ length }, (_, index) => index)

it('a sheet takes 1,048,575 rows, and other formats any number', () => {
  const [most, more] = [rows(MAX), rows(MAX + 1)]
  assert.equal(fitting('xlsx', most), most)
  assert.deepEqual(fitting('xlsx', more), rowsAboveSheet(MAX))
  assert.equal(fitting('csv', more), more)
})

it('rows are read until there are too many, and only for a sheet', async () => {
  let pages = 0
  async function* endless() {
    for (;;) {
      pages += 1
      yield rows(1_000)
    }
  }
  assert.equal(await refuseLong('csv', endless), undefined)
  assert.equal(pages, 0)
  assert.deepEqual(await refuseLong('xlsx', endless), rowsAboveSheet(MAX))
  assert.equal(pages, 1_049)
  async function* some() {
    yield rows(MAX - 1)
    yield rows(1)
  }
  assert.equal(await refuseLong('xlsx', some), undefined)
})
