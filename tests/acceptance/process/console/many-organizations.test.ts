import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAccessible, withoutBrowser } from '../../harness/browser.ts'
import { startConsole } from '../../harness/console.ts'

const MANY = 201

describe('A console of many organizations', { skip: withoutBrowser }, () => {
  it('shows the first 200, and finds the others by name', async () => {
    const fleet = await startConsole()
    for (let i = 1; i <= MANY; i += 1) {
      await fleet.operator.post('/organizations', { name: `Fleet ${i}` })
    }
    const page = await fleet.open('/organizations')
    await page.getByText('200 of 201').waitFor()
    assert.equal(await page.locator('tbody tr').count(), 200)
    await assertAccessible(page)
    await page.getByLabel('Search organizations').fill(`Fleet ${MANY}`)
    await page.getByRole('link', { name: `Fleet ${MANY}` }).waitFor()
    assert.equal(await page.getByText('200 of 201').count(), 0)
    assert.deepEqual(page.faults, [])
  })
})
