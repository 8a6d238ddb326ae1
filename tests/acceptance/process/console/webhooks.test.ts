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
    await page.getByRole('button', { name: 'New webhook' }).click()
    await dialog.getByLabel('Address').fill('http://example.com')
    await dialog.getByRole('button', { name: 'Register webhook' }).click()
    await shows(/It must be an https URL/)
    await assertAccessible(page)
    await dialog.getByLabel('Address').fill(NOWHERE)
    await dialog.getByLabel('Begin with').selectOption('now')
    await dialog.getByRole('button', { name: 'Register webhook' }).click()
    const secret = await page.getByText(/^whsec_[\w+/]{43}=$/).innerText()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'I have copied it' }).click()
    assert.equal(await page.getByText(secret).count(), 0)
    const [webhook] = await listed()
    assert.deepEqual([webhook.url, webhook.types, webhook.from], [NOWHERE, null, 'now'])

    await page.getByRole('button', { name: `Deliveries of webhook ${webhook.id}` }).click()
    await dialog.getByRole('button', { name: 'Send a test' }).click()
    await dialog.getByText('Test', { exact: true }).waitFor()
    await dialog.getByText('127.0.0.1 is not a public address').first().waitFor()
    await assertAccessible(page)
    await picture(page, 'webhook-deliveries')
    await dialog.getByRole('button', { name: 'Close' }).last().click()

    await page.getByRole('button', { name: `Change webhook ${webhook.id}` }).click()
    await dialog.getByLabel('Changes').selectOption('some')
    await dialog.getByRole('button', { name: 'Save webhook' }).click()
    await shows('Choose at least one.')
    await dialog.getByLabel('Positions').check()
    await shows(/The webhook starts again/)
    await dialog.getByLabel('Exact counters').check()
    await dialog.getByRole('button', { name: 'Save webhook' }).click()
    await shows('The webhook was changed.')
    const [changed] = await listed()
    assert.deepEqual([changed.types, changed.include], [['positions'], ['exact']])

    await page.getByRole('button', { name: `Switch off webhook ${webhook.id}` }).click()
    await page.getByRole('button', { name: `Switch on webhook ${webhook.id}` }).waitFor()
    assert.equal((await listed())[0].state, 'off')

    await page.getByRole('button', { name: `Rotate the secret of webhook ${webhook.id}` }).click()
    await dialog.getByRole('button', { name: 'Rotate secret' }).click()
    assert.notEqual(await page.getByText(/^whsec_/).innerText(), secret)
    await page.getByRole('button', { name: 'I have copied it' }).click()

    await page.getByRole('button', { name: `Delete webhook ${webhook.id}` }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete webhook' }).click()
    await shows('No webhooks yet')
    assert.deepEqual(page.faults, [])
  })
})
