import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, NARROW, picture, WIDE, withoutBrowser } from '../../harness/browser.ts'
import { type Console, sharedConsole } from '../../harness/console.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { newPerson } from '../../harness/people.ts'
import { postRows } from '../../harness/sender.ts'

const rowOf = (ident: string) => ({
  ...{ ident, latitude: 41.4, longitude: 2.17 },
  time_device: new Date().toISOString(),
})

/** Organizations of these names, and the names of the objects' idents in each. */
async function organizationsOf({ operator }: Console, names: string[]) {
  const ids = new Map<string, number>()
  for (const name of names) {
    ids.set(name, (await operator.post('/organizations', { name })).id)
  }
  const identsOf = async (name: string): Promise<string[]> => {
    const { items } = await operator.get(`/organizations/${ids.get(name)}/objects`)
    return items.map(({ ident }: Json) => ident)
  }
  return { ids, identsOf }
}

async function choose(page: Page, organization: string): Promise<void> {
  const field = page.getByRole('dialog').getByLabel('Organizations', { exact: true })
  await field.fill(organization)
  await page.getByRole('option', { name: new RegExp(`^${organization} `) }).click()
  await page.keyboard.press('Escape')
}

async function fits(page: Page): Promise<void> {
  const [needed, there] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number]
  assert.ok(needed <= there, `${needed} of ${there} pixels wide`)
}

describe('The routing of the console', { skip: withoutBrowser }, () => {
  it('assigns waiting idents to two organizations, moves or dismisses them', async () => {
    const fleet = await sharedConsole()
    const { server, operator, open } = fleet
    const { ids, identsOf } = await organizationsOf(fleet, ['North', 'South', 'East'])
    const { secret } = await operator.post('/routing/tokens', { name: 'Traccar' })
    await postRows(server.feed, secret, ['bus-1', 'bus-2'].map(rowOf))

    const page = await open('/', WIDE, 'light')
    const dialog = page.getByRole('dialog')
    await page.getByRole('link', { name: 'Routing' }).click()
    await page.getByRole('row', { name: /bus-1/ }).getByText('41.4, 2.17').waitFor()
    await assertAccessible(page)
    await picture(page, 'waiting-idents')
    await page.getByRole('button', { name: 'Assign bus-1' }).click()
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await dialog.getByText('Choose at least one organization.').waitFor()
    for (const name of ['North', 'South']) await choose(page, name)
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.getByText('bus-1 was assigned.').first().waitFor()
    for (const name of ['North', 'South']) assert.deepEqual(await identsOf(name), ['bus-1'])
    await page.getByRole('button', { name: 'Dismiss bus-2' }).click()
    await page.getByText('No waiting idents.').waitFor()
    assert.deepEqual((await operator.get('/routing/waiting')).items, [])

    await page.getByRole('button', { name: 'Assign ident' }).click()
    await dialog.getByLabel('Ident', { exact: true }).fill('bus-1')
    await choose(page, 'East')
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('If another organization owns the ident').selectOption('move')
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(await identsOf('East'), ['bus-1'])
    const tried = await operator.post('/routing/test', { ident: 'bus-1' })
    assert.deepEqual(tried.owners.length, 1)

    await page.getByRole('button', { name: 'Assign ident' }).click()
    await dialog.getByLabel('Ident', { exact: true }).fill('never-sent')
    await choose(page, 'East')
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.getByText('No tracker has sent this ident yet').first().waitFor()

    const own = await operator.post(`/organizations/${ids.get('North')}/feed-tokens`, {
      name: 'own',
    })
    await postRows(server.feed, own.secret, [rowOf('stray-1')])
    const stray = page.getByRole('row', { name: /stray-1/ })
    await stray.getByText('Objects are not created automatically.').waitFor()
    await assertAccessible(page)
    await stray.getByRole('link', { name: 'North' }).waitFor()

    await postRows(server.feed, secret, [rowOf('bus-3')])
    const support = await newPerson(() => server.admin, operator, 'support', null)
    const seen = await open('/routing/waiting', NARROW, 'dark', support.cookie)
    await seen.getByText('bus-3').first().waitFor()
    assert.equal(await seen.getByRole('button', { name: /^(Assign|Dismiss)/ }).count(), 0)
    await assertAccessible(seen)
    await fits(seen)
    await picture(seen, 'waiting-idents-narrow')
    assert.deepEqual(
      [...page.faults, ...seen.faults],
      ['logged: Failed to load resource: the server responded with a status of 409 (Conflict)'],
    )
  })

  it('adds rules of each kind, orders and deletes them, and says which one decides', async () => {
    const fleet = await sharedConsole()
    const { server, operator, open } = fleet
    const { ids } = await organizationsOf(fleet, ['Harbour', 'Airport'])
    const rules = async () => (await operator.get('/routing/rules')).items as Json[]
    const page = await open('/routing/rules', WIDE, 'light')
    const dialog = page.getByRole('dialog')
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const add = async (condition: string, values: string, organizations: string[], name = '') => {
      await press('Add rule')
      await dialog.getByLabel('Match by').selectOption(condition)
      if (name !== '') await dialog.getByLabel('Attribute name').fill(name)
      await dialog.getByLabel('Any of these values').fill(values)
      for (const organization of organizations) await choose(page, organization)
      await dialog.getByRole('button', { name: 'Add rule' }).click()
      await dialog.waitFor({ state: 'detached' })
    }

    await page.getByText('No rules yet').waitFor()
    await assertAccessible(page)
    await press('Add rule')
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    await dialog.getByText('Enter at least one value.').waitFor()
    await dialog.getByText('Choose at least one organization.').waitFor()
    await assertAccessible(page)
    await press('Cancel')
    await add('prefix', '86430\n 86431 ', ['Harbour'])
    await add('ident', 'crane-1', ['Harbour', 'Airport'])
    await add('group', '12', ['Airport'])
    await add('attribute', 'North', ['Airport'], 'customer')
    const words = [
      '1. The ident starts with 86430 or 86431',
      '2. The ident is crane-1',
      '3. The group is 12',
      '4. The attribute customer is North',
    ]
    for (const each of words) await page.getByRole('rowheader', { name: each }).waitFor()
    assert.deepEqual((await rules())[1]!.organizations, [ids.get('Harbour'), ids.get('Airport')])
    await assertAccessible(page)

    const test = page.getByRole('region', { name: 'Where would this ident go?' })
    const tried = async (ident: string, group: string, answer: string) => {
      await test.getByLabel('Ident').fill(ident)
      await test.getByLabel('Group').fill(group)
      await test.getByRole('button', { name: 'Test' }).click()
      await test.getByRole('status').getByText(answer).waitFor()
    }
    await test.getByRole('button', { name: 'Test' }).click()
    await test.getByText('Enter an ident.').waitFor()
    await tried('8643099', '12', 'Goes to Harbour by rule 1. The ident starts with 86430 or 86431.')
    await page.getByRole('button', { name: 'Move rule 3 up' }).click()
    await page.getByRole('rowheader', { name: '2. The group is 12' }).waitFor()
    await page.getByRole('button', { name: 'Move rule 2 up' }).click()
    await page.getByRole('rowheader', { name: '1. The group is 12' }).waitFor()
    await page.getByRole('button', { name: 'Move rule 2 down' }).click()
    await page.getByRole('rowheader', { name: '3. The ident starts with' }).waitFor()
    await page.waitForFunction('document.activeElement?.ariaLabel?.startsWith("Move rule 3")')
    assert.deepEqual(
      (await rules()).map(({ condition }) => condition),
      ['group', 'ident', 'prefix', 'attribute'],
    )
    await tried('8643099', '12', 'Goes to Airport by rule 1. The group is 12.')
    await tried('crane-1', '', 'Goes to Harbour and Airport by rule 2')
    await tried('unknown', '', 'Waits, because no organization owns it and no rule matches.')
    await picture(page, 'routing-rules')

    await page.getByRole('button', { name: 'Delete rule 4' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete rule' }).click()
    await page.getByText('The rule was deleted.').first().waitFor()
    assert.equal((await rules()).length, 3)

    const support = await newPerson(() => server.admin, operator, 'support', null)
    const seen = await open('/routing/rules', NARROW, 'dark', support.cookie)
    await seen.getByText('1. The group is 12').waitFor()
    assert.equal(await seen.getByRole('button', { name: /^(Add|Move|Delete)/ }).count(), 0)
    await seen.getByRole('textbox', { name: 'Ident' }).fill('crane-1')
    await seen.getByRole('button', { name: 'Test' }).click()
    await seen.getByText('Goes to Harbour and Airport by rule 2').waitFor()
    await assertAccessible(seen)
    await fits(seen)
    await picture(seen, 'routing-rules-narrow')
    for (const { id } of await rules()) await operator.delete(`/routing/rules/${id}`)
    assert.deepEqual([...page.faults, ...seen.faults], [])
  })

  it('issues a token of the deployment with the lines for Traccar, and revokes it', async () => {
    const { server, operator, open } = await sharedConsole()
    const page = await open('/routing/tokens', NARROW, 'light')
    await page.getByRole('button', { name: 'Issue feed token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Main Traccar')
    await dialog.getByRole('button', { name: 'Issue feed token' }).click()
    const entries = await page.getByText("<entry key='forward.type'>json</entry>").innerText()
    const token = /x-feed-token: (fg_feed_\w+)</.exec(entries)?.[1]
    assert.ok(entries.includes(`${server.feed}/feed/v1/traccar`))
    assert.equal(await page.getByText(/\/osmand$/).count(), 0)
    await assertAccessible(page)
    await fits(page)
    await page.getByRole('button', { name: 'I have copied it' }).click()
    const { rejects } = await postRows(server.feed, token!, [rowOf('bus-9')])
    assert.equal(rejects[0].reason, 'waiting_ident')
    const issued = (await operator.get('/routing/tokens')).items.find(
      ({ name }: Json) => name === 'Main Traccar',
    )
    const menu = page.getByRole('button', { name: 'Actions for Main Traccar' })
    await menu.click()
    await page.getByRole('menuitem', { name: 'Rotate' }).click()
    await dialog.getByRole('button', { name: 'Rotate feed token' }).click()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await menu.nth(1).waitFor()
    await assertAccessible(page)
    await menu.first().click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Revoke/ })
      .click()
    await page.getByText('Main Traccar was revoked.').first().waitFor()
    const { items } = await operator.get('/routing/tokens')
    const revoked = items.find(({ id }: Json) => id === issued.id)
    assert.notEqual(revoked.revoked_at, null)
    assert.deepEqual(page.faults, [])
  })
})
