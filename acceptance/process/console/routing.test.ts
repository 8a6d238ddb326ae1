import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAccessible, NARROW, picture, WIDE, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import { newPerson } from '../../harness/people.ts'
import { postRows } from '../../harness/sender.ts'

describe('The waiting idents of the console', { skip: withoutBrowser }, () => {
  it('are assigned to two organizations, moved or dismissed', async () => {
    const { server, operator, open } = await sharedConsole()
    const [north, south, east] = await Promise.all(
      ['North', 'South', 'East'].map(async (name) => {
        const { id } = await operator.post('/organizations', { name })
        return `/organizations/${id}`
      }),
    )
    const { secret } = await operator.post('/routing/tokens', { name: 'Traccar' })
    const rows = ['bus-1', 'bus-2'].map((ident) => ({
      ...{ ident, latitude: 41.4, longitude: 2.17 },
      time_device: new Date().toISOString(),
    }))
    await postRows(server.feed, secret, rows)
    const identsOf = async (at: string | undefined) =>
      (await operator.get(`${at}/objects`)).items.map(({ ident }: { ident: string }) => ident)

    const page = await open('/waiting', WIDE, 'light')
    const dialog = page.getByRole('dialog')
    const choose = async (name: string) => {
      await dialog.getByLabel('Organizations', { exact: true }).fill(name)
      await dialog.getByLabel('Organizations', { exact: true }).press('Enter')
    }
    await page.getByRole('row', { name: /bus-1/ }).getByText('41.4, 2.17').waitFor()
    await assertAccessible(page)
    await picture(page, 'waiting-idents')
    await page.getByRole('button', { name: 'Assign bus-1' }).click()
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await dialog.getByText('Choose at least one organization.').waitFor()
    for (const name of ['North', 'South']) await choose(name)
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.getByText('bus-1 was assigned.').first().waitFor()
    for (const at of [north, south]) assert.deepEqual(await identsOf(at), ['bus-1'])
    await page.getByRole('button', { name: 'Dismiss bus-2' }).click()
    await page.getByText('No ident waits.').waitFor()
    assert.deepEqual((await operator.get('/routing/waiting')).items, [])

    await page.getByRole('button', { name: 'Assign an ident' }).click()
    await dialog.getByLabel('Ident', { exact: true }).fill('bus-1')
    await choose('East')
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('If another organization owns it').selectOption('move')
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(await identsOf(east), ['bus-1'])
    const tried = await operator.post('/routing/test', { ident: 'bus-1' })
    assert.deepEqual(tried.owners.length, 1)

    await postRows(server.feed, secret, [{ ...rows[1], ident: 'bus-3' }])
    const support = await newPerson(() => server.admin, operator, 'support', null)
    const seen = await open('/waiting', NARROW, 'dark', support.cookie)
    await seen.getByText('bus-3').first().waitFor()
    assert.equal(await seen.getByRole('button', { name: /^(Assign|Dismiss)/ }).count(), 0)
    await assertAccessible(seen)
    await picture(seen, 'waiting-idents-narrow')
    assert.deepEqual(seen.faults, [])
  })
})
