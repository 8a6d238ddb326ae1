import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAccessible, picture, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'

/** No delivery leaves this machine, and none arrives. */
const NOWHERE = 'https://127.0.0.1:1/fleet?token=secret'

describe('The webhooks of the console', { skip: withoutBrowser }, () => {
  it('are registered, tested, changed, switched off, rotated and deleted', async () => {
    const fleet = await sharedConsole()
    const { id } = await fleet.operator.post('/organizations', { name: 'Sender' })
    const listed = async () => (await fleet.operator.get(`/organizations/${id}/webhooks`)).items
    const page = await fleet.open(`/organizations/${id}/webhooks`)
    const shows = (text: string | RegExp) => page.getByText(text).first().waitFor()
    const dialog = page.getByRole('dialog')
    const van = await fleet.operator.post(`/organizations/${id}/objects`, {
      name: 'Van',
      ident: 'v',
    })
    const act = async (action: string) => {
      await page.getByRole('button', { name: /^Actions for/ }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    await page.getByRole('button', { name: 'New webhook' }).click()
    await dialog.getByLabel('Address').fill('ftp://example.com')
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    await shows(/Must be an https or mqtts URL/)
    await assertAccessible(page)
    await dialog.getByLabel('Address').fill(NOWHERE)
    await dialog.getByLabel('Start with').selectOption('now')
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    const secret = await page.getByText(/^whsec_[\w+/]{43}=$/).innerText()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'I have copied it' }).click()
    assert.equal(await page.getByText(secret).count(), 0)
    const [webhook] = await listed()
    assert.deepEqual([webhook.url, webhook.types, webhook.from], [NOWHERE, null, 'now'])

    await act('Deliveries')
    await dialog.getByRole('button', { name: 'Send test' }).click()
    await dialog.getByText('Test', { exact: true }).waitFor()
    await dialog.getByText('127.0.0.1 is not a public address').first().waitFor()
    await assertAccessible(page)
    await picture(page, 'webhook-deliveries')
    await dialog.getByRole('button', { name: 'Close' }).last().click()

    await act('Change')
    await dialog.getByLabel('Changes').selectOption('some')
    await dialog.getByRole('button', { name: 'Save webhook' }).click()
    await shows('Choose at least one.')
    await dialog.getByLabel('Positions').check()
    await shows(/This restarts the webhook/)
    await dialog.getByLabel('Exact counters').check()
    await dialog.getByLabel('Recipient').fill('Port Authority')
    await dialog.getByLabel('Access').selectOption('limited')
    const vehicles = dialog.getByLabel('Selected vehicles', { exact: true })
    // A list that is open closes when the dialog scrolls.
    await vehicles.click()
    await vehicles.pressSequentially('van')
    await page.getByRole('option', { name: 'Van v' }).click()
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Save webhook' }).click()
    await shows('The webhook was changed.')
    const [changed] = await listed()
    assert.deepEqual(
      [changed.types, changed.grants[0].objects, changed.include, changed.recipient],
      [['positions'], [van.id], ['exact'], 'Port Authority'],
    )

    await page.getByRole('button', { name: 'New webhook' }).click()
    await dialog.getByLabel('Format').selectOption('osmand')
    await dialog.getByLabel('Address').fill('https://127.0.0.1:1/osmand')
    await dialog.getByLabel('Credentials', { exact: true }).fill('Authorization: Bearer token')
    assert.equal(await dialog.getByLabel('Changes').count(), 0)
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Create webhook' }).click()
    await shows('OsmAnd')
    const [, relay] = await listed()
    assert.deepEqual([relay.form, relay.has_credentials], ['osmand', true])
    await fleet.operator.delete(`/organizations/${id}/webhooks/${relay.id}`)
    await page.reload()

    await act('Turn off')
    await shows('The webhook is off.')
    assert.equal((await listed())[0].state, 'off')

    await act('Rotate secret')
    await dialog.getByRole('button', { name: 'Rotate secret' }).click()
    assert.notEqual(await page.getByText(/^whsec_/).innerText(), secret)
    await page.getByRole('button', { name: 'I have copied it' }).click()

    await act('Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete webhook' }).click()
    await shows('No webhooks yet')
    assert.deepEqual(page.faults, [])
  })
})
