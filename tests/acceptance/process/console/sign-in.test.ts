import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { jsonHere } from '../../../../packages/server/testing/command-line/run-here.ts'
import {
  assertAccessible,
  openContext,
  openPage,
  picture,
  withoutBrowser,
} from '../../harness/browser.ts'
import { request } from '../../harness/client.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { serveHere } from '../../harness/server-here.ts'

const PASSWORD = 'correct horse battery'
const OTHER = 'staple correct horse'
const EMAIL = 'ada@example.com'

/** Signs in on a page that asks for it. */
async function signIn(page: Page, password: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Email address' }).fill(EMAIL)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** A page in a group of the menu: an organization and the deployment have pages of the same names. */
const inMenu = (page: Page, group: 'Organization' | 'Deployment', name: string) =>
  page.getByRole('list', { name: group }).getByRole('link', { name })

describe('The console of a new server', { skip: withoutBrowser }, async () => {
  const deployment = await newDeployment()
  const server = await serveHere(deployment, ['--geocoder', 'off'])
  const context = await openContext()
  after(() => server.stop())

  it('opens once by the link that the server prints', async () => {
    const { setup: link } = await server.secrets()
    assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/setup#fg_init_\w{36}$/)
    const page = await openPage(context)
    await page.goto(server.admin)
    await page.getByRole('heading', { name: 'Open the one-time URL' }).waitFor()
    await assertAccessible(page)

    await page.goto(link)
    const password = page.getByRole('textbox', { name: 'New password' })
    await page.getByRole('textbox', { name: 'Email address' }).fill(EMAIL)
    await page.getByRole('textbox', { name: 'Your name' }).fill('Ada')
    await password.fill('too short')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('Use at least 12 characters.').waitFor()
    await assertAccessible(page)
    await picture(page, 'set-up')
    await password.fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
    assert.equal(new URL(page.url()).hash, '', 'what opened it is in no history')
    assert.deepEqual(page.faults, [])

    const second = await openPage(await openContext())
    await second.goto(link)
    await second.getByText('This link was already used or has expired.').waitFor()
    await assertAccessible(second)
    await signIn(second, PASSWORD)
    await second.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
    assert.equal(new URL(second.url()).pathname, '/organizations')
  })

  it('shows a phone on the map in five steps', async () => {
    const page = await openPage(context)
    await page.goto(server.admin)
    const startedAt = performance.now()
    await page.getByRole('button', { name: 'New organization' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('My phone')
    await page.getByRole('button', { name: 'Create organization' }).click()
    await page.getByRole('button', { name: 'Issue feed token' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Phone')
    await page.getByRole('dialog').getByRole('button', { name: 'Issue feed token' }).click()
    const url = await page.getByText(/\/feed\/v1\/fg_feed_\w+\/osmand$/).innerText()
    await picture(page, 'feed-token')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('link', { name: 'Map', exact: true }).click()
    await page.getByRole('region', { name: 'Live map' }).waitFor()

    // The request of Traccar Client.
    const now = Math.floor(Date.now() / 1_000)
    const query = `id=491570&timestamp=${now}&lat=41.4036&lon=2.1744&speed=3.2&bearing=90&altitude=12&accuracy=5&batt=81`
    const answer = await fetch(`${url}?${query}`, { method: 'POST' })
    assert.equal(answer.status, 200)
    await page.getByRole('button', { name: /^1 Moving$/ }).waitFor()
    const tookMs = performance.now() - startedAt
    console.log(`the phone was on the map ${Math.round(tookMs)} ms after the first click`)
    assert.deepEqual(page.faults, [])
  })

  it('asks for the password, reports a wrong one, and returns to the requested page', async () => {
    const page = await openPage(await openContext())
    await page.goto(`${server.admin}/audit`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await assertAccessible(page)
    await picture(page, 'sign-in')
    await signIn(page, OTHER)
    await page.getByText('Wrong email address or password.').waitFor()
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
  })

  it('changes the password and ends other sessions, which sign in again on their page', async () => {
    const mine = await openPage(context)
    await mine.goto(server.admin)
    const otherContext = await openContext()
    const other = await openPage(otherContext)
    await other.goto(server.admin)
    await signIn(other, PASSWORD)
    await other.getByRole('button', { name: 'My phone' }).waitFor()

    await mine.getByRole('button', { name: 'Account' }).click()
    await mine.getByRole('menuitem', { name: 'Change password' }).click()
    await mine.getByRole('textbox', { name: 'Current password' }).fill(PASSWORD)
    await mine.getByRole('textbox', { name: 'New password' }).fill(OTHER)
    await assertAccessible(mine)
    await mine.getByRole('button', { name: 'Change password' }).click()
    await mine.getByText('Your password was changed.').first().waitFor()

    // The map may have asked before, and a pointer reaches nothing below the dialog.
    await inMenu(other, 'Deployment', 'Audit log').dispatchEvent('click')
    await other.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    await assertAccessible(other)
    await signIn(other, OTHER)
    await other
      .getByText('person.change_password')
      .or(other.getByText(/password/i))
      .first()
      .waitFor()
    await other.getByRole('dialog', { name: 'Sign in again' }).waitFor({ state: 'detached' })
  })

  it('issues tokens that do as much as the form says', async () => {
    const page = await openPage(context)
    await page.goto(server.admin)
    await inMenu(page, 'Organization', 'People').click()
    await page.getByRole('button', { name: 'Issue token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Issue token' }).click()
    await dialog.getByText('Enter a name for the token.').waitFor()
    await dialog.getByLabel('Name').fill('Provisioning')
    await dialog.getByLabel('Role').selectOption('administrator')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Issue token' }).click()
    const token = await page.getByText(/^fg_oper_\w{36}$/).innerText()
    await assertAccessible(page)
    await page.getByRole('button', { name: /copied/i }).click()
    const { status, json } = await request(server.admin, '/admin/v1/organizations', {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(status, 200)
    assert.equal(json.items[0].name, 'My phone')
    const refused = await request(server.admin, '/admin/v1/audit', {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(refused.status, 403)
    const row = page.getByRole('row', { name: /Provisioning/ })
    for (const text of ['Administrator', 'Ada', /fg_oper_/]) await row.getByText(text).waitFor()
    await picture(page, 'tokens')
    await inMenu(page, 'Deployment', 'People').click()
    const listed = page.getByRole('row', { name: /Provisioning/ })
    for (const text of ['Administrator in My phone', 'Ada']) await listed.getByText(text).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Revoke the token Provisioning' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('The token Provisioning was revoked.').first().waitFor()
    const later = await request(server.admin, '/admin/v1/organizations', {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(later.status, 401)
  })

  it('signs out; the command line resets a lost password', async () => {
    const page = await openPage(context)
    await page.goto(server.admin)
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()

    const { link } = await jsonHere([
      ...['people', 'reset', EMAIL, '--console-url', server.admin],
      ...deployment.args,
    ])
    await page.goto(link)
    await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('button', { name: 'My phone' }).waitFor()
  })

  it('says once when to try again after too many wrong passwords', async () => {
    const page = await openPage(await openContext())
    await page.goto(server.admin)
    await page.getByRole('textbox', { name: 'Email address' }).fill(EMAIL)
    await page.getByRole('textbox', { name: 'Password' }).fill(OTHER)
    // The pause grows with each failure, so it outlasts the time between two clicks at some point.
    let status = 0
    for (let attempts = 0; status !== 429; attempts++) {
      assert.ok(attempts < 100, 'no attempt was refused')
      const answered = page.waitForResponse((each) => each.request().method() === 'POST')
      await page.getByRole('button', { name: 'Sign in' }).click()
      status = (await answered).status()
    }
    const refusal = page.getByRole('alert').filter({ hasText: 'too many failed sign-ins' })
    const text = await refusal.innerText()
    assert.equal(text.match(/try again/gi)?.length, 1, text)
    assert.match(text, /try again in \d+ s/)
    await assertAccessible(page)
  })
})
