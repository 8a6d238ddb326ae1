import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { EMAIL, PASSWORD } from '../../harness/admin.ts'
import { assertAccessible, openContext, openPage, withoutBrowser } from '../../harness/browser.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { serveHere } from '../../harness/server-here.ts'
import { ANN, signOnArgs, startSignOn } from '../../harness/sign-on.ts'

/** The provider is another site: it is `localhost`, and the console an address. */
describe('The console with single sign-on', { skip: withoutBrowser }, async () => {
  const { provider, origin } = await startSignOn(['--sign-on-role', 'admins=operator'])
  const signOn = (page: Page) => page.getByRole('link', { name: 'Sign in with Fleet ID' }).click()
  async function fromMenu(page: Page, item: string): Promise<void> {
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  it('leads to the provider, and back to the page that was asked for', async () => {
    provider.person = ANN
    const page = await openPage(await openContext())
    await page.goto(`${origin}/audit`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByRole('textbox', { name: 'Password' }).waitFor()
    await assertAccessible(page)
    await signOn(page)
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/audit')
    assert.deepEqual(page.faults, [])

    // Without the end at the provider, the next sign-in would be Ann's again.
    await fromMenu(page, 'Sign out')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.equal(page.url(), `${origin}/`)
    provider.person = null
    await signOn(page)
    await page.getByRole('alert').filter({ hasText: 'The sign-in was canceled' }).waitFor()
    await assertAccessible(page)
  })

  it('says why somebody is not let in, and takes the password then', async () => {
    provider.person = { ...ANN, sub: 'bob', email: 'bob@example.com', groups: [] }
    const page = await openPage(await openContext())
    await page.goto(origin)
    await signOn(page)
    await page.getByRole('alert').filter({ hasText: 'No account here is linked' }).waitFor()
    await page.getByRole('textbox', { name: 'Email address' }).fill(EMAIL)
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
  })

  it('links the account of somebody with a password, who then needs none', async () => {
    provider.person = { sub: 'ada at the provider' }
    const page = await openPage(await openContext())
    await page.goto(origin)
    await page.getByRole('textbox', { name: 'Email address' }).fill(EMAIL)
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await fromMenu(page, 'Link to Fleet ID')
    await assertAccessible(page)
    await page.getByRole('textbox', { name: 'Current password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`${origin}/organizations`)
    await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
    await fromMenu(page, 'Sign out')
    await signOn(page)
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByText(`Ada, ${EMAIL}`).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: 'Link to Fleet ID' }).count(), 0)
    await page.keyboard.press('Escape')

    await page.getByRole('link', { name: 'People' }).click()
    const ann = page.getByRole('row', { name: /ann@example.com/ })
    await ann.getByText('Single sign-on', { exact: true }).waitFor()
    await ann.getByRole('button', { name: 'Actions for Ann' }).click()
    await page.getByRole('menuitem', { name: 'Unlink single sign-on' }).click()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Unlink single sign-on' }).click()
    await ann.getByText('None yet').waitFor()
  })

  it('asks for no password if the server takes none', async () => {
    const deployment = await newDeployment()
    const args = [...signOnArgs(provider), '--sign-on-role', 'admins=operator', '--sign-on-only']
    const server = await serveHere(deployment, ['--geocoder', 'off', ...args])
    provider.register(server.admin)
    provider.person = ANN
    const page = await openPage(await openContext())
    await page.goto(server.admin)
    await page.getByRole('heading', { name: 'Open the one-time URL' }).waitFor()
    await signOn(page)
    await fromMenu(page, 'Sign out')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.equal(await page.getByRole('textbox').count(), 0)
    await assertAccessible(page)
    await server.stop()
  })
})
