import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  NARROW,
  openContext,
  openPage,
  WHOLE_ONLY,
  WIDE,
  withoutBrowser,
} from '../../harness/browser.ts'
import { startFleet } from '../../harness/fleet.ts'
import { testKey } from '../../harness/test-key.ts'

const fleet = await startFleet()

const PATIENCE_MS = 120_000

const COMBINATIONS = [
  { name: 'wide and light', viewport: WIDE, theme: 'light', skip: false },
  { name: 'narrow and dark', viewport: NARROW, theme: 'dark', skip: WHOLE_ONLY },
] as const

describe('The reference page', { skip: withoutBrowser }, () => {
  for (const { name, viewport, theme, skip } of COMBINATIONS) {
    it(`sends a request with a test key, and shows the answer: ${name}`, { skip }, async () => {
      const { key } = await testKey(fleet, fleet.take())
      const context = await openContext(viewport, theme)
      // The script of the page is large.
      context.setDefaultTimeout(PATIENCE_MS)
      const page = await openPage(context)
      await page.goto(`${fleet.server.api}/docs#tag/objects/GET/objects`)
      await page.getByPlaceholder('QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT').first().fill(key)
      await page.getByRole('button', { name: 'Test Request (get /objects)' }).click()
      const answered = page.waitForResponse(/\/public\/v1\/objects/)
      await page.getByRole('button', { name: 'Send' }).first().click()
      const answer = await answered
      assert.equal(answer.status(), 200)
      await page.getByRole('dialog').getByText('TEST-1').first().waitFor()
      assert.deepEqual(page.faults, [])
    })

    it(`shows a whole request with x-api-key, and JSON: ${name}`, { skip }, async () => {
      const context = await openContext(viewport, theme)
      context.setDefaultTimeout(PATIENCE_MS)
      const page = await openPage(context)
      await page.goto(`${fleet.server.api}/docs#tag/positions/GET/positions/latest`)
      const request = page.locator('.scalar-code-block', { hasText: '/positions/latest?' }).first()
      await request.getByText('x-api-key: ').waitFor()
      const scrolled = request.locator('.custom-scroll')
      const [shown, needed] = await scrolled.evaluate((box) => [box.clientWidth, box.scrollWidth])
      assert.equal(needed, shown, 'the line of the request is cut off')
      const answer = page.locator('.scalar-code-block', { hasText: '"statusCode": 200' })
      await answer.first().waitFor()
      assert.deepEqual(page.faults, [])
    })
  }
})
