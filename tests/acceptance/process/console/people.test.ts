import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EMAIL, PASSWORD, useLink } from '../../harness/admin.ts'
import { assertAccessible, NARROW, picture, WIDE, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { newPerson } from '../../harness/people.ts'

describe('The people of the console', { skip: withoutBrowser }, () => {
  it('are invited by a link, change their role, and are disabled and enabled', async () => {
    const { server, operator, open } = await sharedConsole()
    const { id } = await operator.post('/organizations', { name: 'Staffed' })
    const at = `/organizations/${id}`
    const administrator = await newPerson(() => server.admin, operator, 'administrator', id)
    const page = await open(`${at}/people`, WIDE, 'light', administrator.cookie)
    const dialog = page.getByRole('dialog')
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const choose = async (name: string, item: string) => {
      await press(`Actions for ${name}`)
      await page.getByRole('menuitem', { name: item, exact: true }).click()
    }
    const listed = async (email: string): Promise<Json> =>
      (await operator.get(`${at}/people`)).items.find((each: Json) => each.email === email)

    const invite = async (email: string): Promise<string> => {
      await press('Invite')
      await dialog.getByLabel('Email address').fill(email)
      await assertAccessible(page)
      await press('Create link')
      const link = await page.getByText(/\/setup#fg_init_\w{36}$/).innerText()
      await assertAccessible(page)
      await press('I have copied it')
      return link
    }
    await press('Invite')
    await press('Create link')
    await dialog.getByText('Enter an email address.').waitFor()
    await press('Cancel')
    await invite('late@example.com')
    await page.getByRole('row', { name: /late@example.com/ }).waitFor()
    await press('Revoke the invitation for late@example.com')
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Revoke invitation/ })
      .click()
    await page.getByText('The invitation for late@example.com was revoked.').first().waitFor()
    assert.deepEqual((await operator.get(`${at}/invitations`)).items, [])

    const link = await invite('bea@example.com')
    const setUp = { name: 'Bea', password: PASSWORD }
    await useLink(server.admin, new URL(link).hash.slice(1), setUp)
    await page.reload()
    await page
      .getByRole('row', { name: /bea@example.com/ })
      .getByText('Viewer')
      .waitFor()

    await choose('Bea', 'Change role')
    await dialog.getByLabel('Role in this organization').selectOption('administrator')
    await press('Save role')
    await page.getByText('Bea’s role was changed.').first().waitFor()
    assert.equal((await listed('bea@example.com')).roles[0].role, 'administrator')

    await choose('Bea', 'Sessions')
    await dialog.getByRole('button', { name: /^Sign out the session/ }).waitFor()
    await assertAccessible(page)
    await press('Sign out all…')
    await page.getByRole('alertdialog').getByText('in all browsers').waitFor()
    await assertAccessible(page)
    await press('Sign out all sessions')
    await dialog.getByText('No active sessions.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()

    await choose('Bea', 'Reset password')
    await press('Create link')
    await page.getByText(/\/setup#fg_\w+$/).waitFor()
    await press('I have copied it')

    await press('Actions for Bea')
    await assertAccessible(page)
    await picture(page, 'people')
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await dialog.getByLabel('Name').fill(' ')
    await press('Save name')
    await dialog.getByText('Enter a name.').waitFor()
    await dialog.getByLabel('Name').fill('Beatrix')
    await assertAccessible(page)
    await press('Save name')
    await page.getByText('Bea was renamed to Beatrix.').first().waitFor()
    assert.equal((await listed('bea@example.com')).name, 'Beatrix')

    await choose('Beatrix', 'Disable')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disable person' }).click()
    await page.getByText('Disabled', { exact: true }).waitFor()
    await assertAccessible(page)
    assert.notEqual((await listed('bea@example.com')).disabled_at, null)
    await choose('Beatrix', 'Enable')
    await page.getByText('Disabled', { exact: true }).waitFor({ state: 'detached' })
    assert.equal((await listed('bea@example.com')).disabled_at, null)

    await choose('Beatrix', 'Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete person' }).click()
    await page.getByText('Beatrix was deleted.').first().waitFor()
    assert.equal(await listed('bea@example.com'), undefined)
    assert.deepEqual(page.faults, [])
  })

  it('have all their roles in the list of the deployment, and list own sessions', async () => {
    const { server, operator, open } = await sharedConsole()
    const { id } = await operator.post('/organizations', { name: 'Of a viewer' })
    await newPerson(() => server.admin, operator, 'viewer', id)
    const support = await newPerson(() => server.admin, operator, 'support', null)
    const page = await open('/people', NARROW, 'dark')
    await page.getByRole('row', { name: EMAIL }).getByText('Operator').waitFor()
    await page.getByText('Viewer in Of a viewer').waitFor()
    await assertAccessible(page)
    await picture(page, 'people-narrow')
    const [needed, there] = (await page.evaluate(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    )) as [number, number]
    assert.ok(needed <= there, `${needed} of ${there} pixels wide`)

    const { requires_totp: before } = await operator.get('/access')
    assert.equal(before, false)
    await page.getByRole('checkbox', { name: /^Require two-factor/ }).click()
    await page.getByRole('alert').filter({ hasText: 'two-factor' }).waitFor()
    await assertAccessible(page)

    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sessions' }).click()
    await page.getByRole('dialog').getByText('This session').waitFor()
    await assertAccessible(page)

    const audit = await open('/audit', NARROW, 'dark', support.cookie)
    const rowOf = (action: string, whom: string) =>
      audit.getByRole('row').filter({ hasText: action }).filter({ hasText: whom })
    await rowOf('Person deleted', 'bea@example.com')
      .getByText('administrator1@example.com')
      .first()
      .waitFor()
    await rowOf('Signed in', EMAIL).first().waitFor()
    assert.equal(await audit.getByText(/\bperson \d/).count(), 0, 'people have names')
    await assertAccessible(audit)
    assert.deepEqual(audit.faults, [])

    const seen = await open('/people', WIDE, 'dark', support.cookie)
    await seen.getByRole('button', { name: 'Actions for Ada' }).waitFor()
    assert.equal(await seen.getByRole('button', { name: /^(Invite|Change|Disable)/ }).count(), 0)
    await assertAccessible(seen)
    await seen.getByRole('button', { name: 'Actions for Ada' }).click()
    assert.deepEqual(await seen.getByRole('menuitem').allTextContents(), ['Sessions'])
    assert.match(page.faults.join(), /^[^,]*409 \(Conflict\)$/, 'the operator has no codes yet')
    assert.deepEqual(seen.faults, [])
  })
})
