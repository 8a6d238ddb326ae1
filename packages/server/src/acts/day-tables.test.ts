import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addDays, MAX_TEXTS } from './day-tables.ts'
import { Refused } from './refused.ts'

describe('The totals of days', () => {
  it('by texts are refused when devices have sent more texts than a memory should hold', async () => {
    const page = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => ({ value: `driver ${from + at}`, distance: 1 }))
    const table = (texts: number) => ({
      columns: ['value', 'distance'],
      dated: {},
      pages: pagesOf(page(0, texts - 1), page(texts - 1, 1)),
    })
    const { pages } = await addDays(table(MAX_TEXTS), 'by')
    assert.equal((await Array.fromAsync(pages)).flat().length, MAX_TEXTS)
    await assert.rejects(addDays(table(MAX_TEXTS + 1), 'by'), (error) => {
      assert.ok(error instanceof Refused)
      assert.equal(error.field, 'by')
      return /more than 10000 texts/.test(error.message)
    })
  })
})

async function* pagesOf<Page>(...pages: Page[]): AsyncGenerator<Page> {
  yield* pages
}
