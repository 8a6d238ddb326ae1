import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAccessible, NARROW, picture, WIDE, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { postRows } from '../../harness/sender.ts'

const MINUTE_MS = 60_000

/** An organization with a van that has sent these values, a minute apart, until now. */
async function organizationWith(values: Json[]) {
  const { operator, server, open } = await sharedConsole()
  const settings = { name: 'Cold chain', create_objects: true }
  const { id } = await operator.post('/organizations', settings)
  const at = `/organizations/${id}`
  const { secret } = await operator.post(`${at}/feed-tokens`, { name: 'Trackers' })
  const rows = values.map((attributes, index) => ({
    ...{ ident: `van ${id}`, latitude: 41 + index / 1_000, longitude: 2, speed: 40, attributes },
    time_device: new Date(Date.now() - (values.length - index) * MINUTE_MS).toISOString(),
  }))
  await postRows(server.feed, secret, rows)
  const [van] = (await operator.get(`${at}/objects`)).items
  return { at, operator, open, van }
}

describe('The attributes of the console', { skip: withoutBrowser }, () => {
  it('are published, changed with a preview, hidden and removed', async () => {
    const values = Array.from({ length: 30 }, (_, index) => ({
      ...{ temp1: -180 + index, batt: 90, driver: 'Núria' },
      ...(index % 10 === 0 && { door: true }),
    }))
    const { at, operator, open, van } = await organizationWith(values)
    const page = await open(`${at}/attributes`)
    const dialog = page.getByRole('dialog')
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    const listed = async (name: string): Promise<Json> =>
      (await operator.get(`${at}/attributes`)).items.find((each: Json) => each.name === name)

    await page.getByText('No attributes yet').waitFor()
    await press('Publish all')
    await dialog.getByText(/Battery level, Door, Driver, Temperature 1/).waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Publish all' }).click()
    await row('battery_level').getByText('90 %').waitFor()
    await assertAccessible(page)
    await picture(page, 'attributes')

    await press('Change Temperature 1')
    await dialog.getByLabel('Scale').fill('0')
    await press('Save attribute')
    await dialog.getByText(/and not 0/).waitFor()
    await dialog.getByLabel('Scale').fill('0.1')
    await dialog.getByText('-15.1 °C').waitFor()
    await dialog.getByText(/positions on this day have this value/).waitFor()
    await assertAccessible(page)
    await dialog.getByText(/positions on this day have this value/).scrollIntoViewIfNeeded()
    await picture(page, 'attribute-form')
    await press('Save attribute')
    await row('temp1').first().getByText('-15.1 °C').waitFor()
    assert.equal((await listed('temp1')).scale, 0.1)

    await press('Hide Driver')
    await page.getByText('Driver is now hidden from API keys.').first().waitFor()
    assert.equal((await listed('driver')).is_public, false)
    await press('Forget unused names')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Forget names' }).click()
    await page.getByText('0 names forgotten.').first().waitFor()
    await press('Remove Door')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove attribute' }).click()
    await page.getByText('Door was removed.').first().waitFor()
    await press('Add an attribute for door')
    await dialog.getByLabel('Label').fill('Cargo door')
    await press('Save attribute')
    await row('Cargo door').first().waitFor()
    assert.deepEqual((await listed('door')).type, 'boolean')

    await page.goto(`${new URL(page.url()).origin}${at}/objects/${van.id}`)
    const card = page.getByRole('region', { name: 'Attributes' })
    await card.getByText('-15.1 °C').waitFor()
    await card.getByText('Núria').waitFor()
    await assertAccessible(page)
    await page.goto(`${new URL(page.url()).origin}${at}/map?object=${van.id}`)
    await page.getByRole('definition').filter({ hasText: '90 %' }).waitFor()
    await assertAccessible(page)
    assert.deepEqual(page.faults, [])
  })

  for (const [width, viewport] of Object.entries({ wide: WIDE, narrow: NARROW })) {
    it(`fit a ${width} screen, and limit a key`, async () => {
      const { at, operator, open } = await organizationWith([{ fuelLevel: 61.5, power: 27.9 }])
      await operator.post(`${at}/attributes/publish`, { names: null })
      const page = await open(`${at}/attributes`, viewport, width === 'wide' ? 'light' : 'dark')
      await page.getByText('61.5 %').waitFor()
      await assertAccessible(page)
      const [needed, there] = (await page.evaluate(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )) as [number, number]
      assert.ok(needed <= there, `${needed} of ${there} pixels wide`)
      if (width === 'narrow') await picture(page, 'attributes-narrow')

      await page.goto(`${new URL(page.url()).origin}${at}/keys`)
      await page.getByRole('button', { name: 'Issue key' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Fuel report')
      await dialog.getByLabel('Access').selectOption('limited')
      await dialog.getByLabel('Vehicles', { exact: true }).selectOption('all')
      await dialog.getByText('More limits').click()
      await dialog.getByLabel('Attributes').selectOption('some')
      await dialog.getByLabel('Fuel level').check()
      await assertAccessible(page)
      await dialog.getByRole('button', { name: 'Issue key' }).click()
      await page.getByRole('button', { name: 'I have copied it' }).click()
      await page.getByText('Attributes: fuel_level').waitFor()
      const [key] = (await operator.get(`${at}/keys`)).items
      assert.deepEqual(key.scope.attributes, ['fuel_level'])
      assert.deepEqual(page.faults, [])
    })
  }
})
