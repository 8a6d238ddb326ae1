import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator } from 'playwright-core'
import {
  assertAccessible,
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

describe('The page that tries requests', { skip: withoutBrowser }, () => {
  for (const { name, viewport, theme, skip } of COMBINATIONS) {
    it(`sends a request with a test key, and shows the answer: ${name}`, { skip }, async () => {
      const { key } = await testKey(fleet, fleet.take())
      const context = await openContext(viewport, theme)
      // The script of the page is large.
      context.setDefaultTimeout(PATIENCE_MS)
      const page = await openPage(context)
      await page.goto(`${fleet.server.api}/docs/try#tag/objects/GET/objects`)
      await page.getByPlaceholder('QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT').first().fill(key)
      await page.getByRole('button', { name: 'Test Request (get /objects)' }).click()
      const answered = page.waitForResponse(/\/public\/v1\/objects/)
      await page.getByRole('button', { name: /^Send/ }).first().click()
      const answer = await answered
      assert.equal(answer.status(), 200)
      await page.getByRole('dialog').getByText('TEST-1').first().waitFor()
      assert.deepEqual(page.faults, [])
    })

    it(`shows a whole request with x-api-key, and JSON: ${name}`, { skip }, async () => {
      const context = await openContext(viewport, theme)
      context.setDefaultTimeout(PATIENCE_MS)
      const page = await openPage(context)
      await page.goto(`${fleet.server.api}/docs/try#tag/positions/GET/positions/latest`)
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

describe('The reference page', { skip: withoutBrowser }, () => {
  for (const { name, viewport, theme, skip } of COMBINATIONS) {
    it(`shows an operation by its address, and loads nothing else: ${name}`, { skip }, async () => {
      const page = await openPage(await openContext(viewport, theme))
      const loaded: string[] = []
      page.on('request', (request) => loaded.push(request.url()))
      await page.goto(`${fleet.server.api}/docs#tag/positions/GET/positions/latest`)
      const heading = page.getByRole('heading', { name: 'Get latest positions', level: 3 })
      await heading.waitFor()
      assert.ok(await isInSight(heading, viewport.height), 'the operation is out of sight')
      await assertAccessible(page)
      const addresses = new Set(loaded.filter((url) => !url.startsWith('data:')))
      assert.equal(addresses.size, 1, `${[...addresses]}`)
      const width = await page.locator('html').evaluate((html) => html.scrollWidth)
      assert.ok(width <= viewport.width, `${width} pixels wide`)
      assert.deepEqual(page.faults, [])
    })
  }

  it('has its contents behind a menu on a phone', { skip: WHOLE_ONLY }, async () => {
    const page = await openPage(await openContext(NARROW))
    await page.goto(`${fleet.server.api}/docs`)
    const contents = page.getByRole('navigation', { name: 'Contents' })
    assert.equal(await contents.isVisible(), false)
    await page.getByRole('link', { name: 'Menu' }).click()
    await contents.getByRole('link', { name: 'List trips' }).click()
    const heading = page.getByRole('heading', { name: 'List trips', level: 3 })
    assert.ok(await isInSight(heading, NARROW.height), 'the operation is out of sight')
    assert.equal(await contents.isVisible(), false)
  })

  it('leads to the page that tries an operation', async () => {
    const page = await openPage(await openContext())
    await page.goto(`${fleet.server.api}/docs`)
    const link = page.getByRole('link', { name: 'Try it: List objects' })
    assert.equal(await link.getAttribute('href'), '/docs/try#tag/objects/GET/objects')
  })
})

async function isInSight(heading: Locator, height: number): Promise<boolean> {
  const { y, height: own } = (await heading.boundingBox())!
  return y >= 0 && y + own <= height
}
