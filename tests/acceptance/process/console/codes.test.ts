import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { codeOf, stepAt } from '../../../../packages/server/src/base/access/totp.ts'
import { PASSWORD } from '../../harness/admin.ts'
import {
  assertAccessible,
  NARROW,
  openContext,
  openPage,
  picture,
  type Theme,
  WIDE,
  withoutBrowser,
} from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import { newPerson } from '../../harness/people.ts'

type Pixels = { width: number; height: number; data: number[] }

/** The text of the QR code on a page, as a camera sees it. */
async function scanned(page: Page): Promise<string> {
  const code = page.getByRole('img', { name: 'QR code with the secret' })
  // The tests draw a page with half of its pixels.
  const metrics = { ...page.viewportSize()!, deviceScaleFactor: 2, mobile: false }
  const chromium = await page.context().newCDPSession(page)
  await chromium.send('Emulation.setDeviceMetricsOverride', metrics)
  const png = (await code.screenshot()).toString('base64')
  await chromium.detach()
  const blank = await page.context().newPage()
  const pixels = (await blank.evaluate(`(async () => {
    const picture = await fetch('data:image/png;base64,${png}')
    const image = await createImageBitmap(await picture.blob())
    const { width, height } = image
    const canvas = new OffscreenCanvas(width, height).getContext('2d')
    canvas.drawImage(image, 0, 0)
    return { width, height, data: [...canvas.getImageData(0, 0, width, height).data] }
  })()`)) as Pixels
  await blank.close()
  return decodeQR({ ...pixels, data: Uint8Array.from(pixels.data) })
}

async function openItem(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('Codes for sign-in in the console', { skip: withoutBrowser }, () => {
  it('are set up with the scanned picture, asked for, and ended', async () => {
    const { server, operator, open } = await sharedConsole()
    const person = await newPerson(() => server.admin, operator, 'operator', null)
    const page = await open('/', WIDE, 'light', person.cookie)
    const dialog = page.getByRole('dialog')
    await openItem(page, 'Set up two-factor authentication')
    const uri = new URL(await scanned(page))
    assert.equal(uri.protocol, 'otpauth:')
    const secret = uri.searchParams.get('secret')!
    await dialog.getByText(secret, { exact: true }).waitFor()
    await assertAccessible(page)
    await picture(page, 'codes')
    await dialog.getByRole('button', { name: 'Set up two-factor authentication' }).click()
    await dialog.getByText('Enter the code.').waitFor()
    // Each code works once, so sign-in takes the next one.
    const step = stepAt(Date.now())
    await dialog.getByLabel('Code', { exact: true }).fill(codeOf(secret, step))
    await dialog.getByLabel('Current password', { exact: true }).fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Set up two-factor authentication' }).click()
    const [recovery] = (await dialog.getByText(/^\w{4}(-\w{4})+\n/).innerText()).split('\n')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'I have saved these codes' }).click()

    const other = await openPage(await openContext(NARROW, 'dark'))
    await other.goto(server.admin)
    await other.getByRole('textbox', { name: 'Email address' }).fill(person.email)
    await other.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByLabel('Code').fill('000000')
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByText(/^This code is wrong or has expired/).waitFor()
    await assertAccessible(other)
    await picture(other, 'sign-in-code')
    await other.getByLabel('Code').fill(recovery!)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()

    await page.getByRole('link', { name: 'People' }).click()
    const required = page.getByRole('checkbox', { name: /^Require two-factor/ })
    await required.click()
    await page.getByText('Two-factor authentication is now required.').first().waitFor()
    assert.deepEqual(await person.get('/access'), { requires_totp: true })
    await required.click()
    await page.getByText('Two-factor authentication is now optional.').first().waitFor()

    await openItem(page, 'Turn off two-factor authentication')
    await dialog.getByRole('button', { name: 'Turn off two-factor authentication' }).click()
    await dialog.getByText('Enter your current password.').waitFor()
    await assertAccessible(page)
    await dialog.getByLabel('Current password', { exact: true }).fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Turn off two-factor authentication' }).click()
    await page.getByText('Two-factor authentication is off.').first().waitFor()
    assert.equal((await person.get('/session')).account.has_totp, false)
    assert.deepEqual(page.faults, [])
  })

  for (const [theme, viewport] of [
    ['light', NARROW],
    ['dark', WIDE],
  ] as [Theme, typeof WIDE][]) {
    it(`can be scanned in a ${theme} console of ${viewport.width} pixels`, async () => {
      const { open } = await sharedConsole()
      const page = await open('/', viewport, theme)
      await openItem(page, 'Set up two-factor authentication')
      assert.match(await scanned(page), /^otpauth:\/\/totp\/Fleetgate/)
      await assertAccessible(page)
    })
  }
})
