import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAccessible, NARROW, WIDE, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import { newPerson } from '../../harness/people.ts'

const OF_VIEWER = ['Overview', 'Map', 'Vehicles', 'Trips', 'Reports', 'Places', 'Usage']
const OF_ORGANIZATION = [
  ...['Overview', 'Map', 'Vehicles', 'Trips', 'Reports', 'Places'],
  ...['API keys', 'Webhooks', 'Attributes', 'Usage'],
  ...['Shared', 'Settings', 'People', 'Audit log'],
]
const OF_DEPLOYMENT = ['Organizations', 'Routing', 'People', 'Audit log']

/** The pages in the menu, and whether they have buttons and fields that change something. */
const ROLES = [
  { role: 'viewer', isLocal: true, pages: OF_VIEWER, changes: false },
  { role: 'administrator', isLocal: true, pages: OF_ORGANIZATION, changes: true },
  {
    role: 'support',
    isLocal: false,
    pages: [...OF_ORGANIZATION, ...OF_DEPLOYMENT],
    changes: false,
  },
]

const CHANGING = /^(new|issue|import|publish|save|delete|add|revoke|create|invite|share)\b/i

describe('The console of each role', { skip: withoutBrowser }, () => {
  for (const { role, isLocal, pages, changes } of ROLES) {
    it(`shows a person with the role ${role} what it may open`, async () => {
      const { server, operator, open } = await sharedConsole()
      const { id } = await operator.post('/organizations', { name: `Fleet of a ${role}` })
      const at = `/organizations/${id}`
      await operator.post(`${at}/objects`, { name: 'Van', ident: `van of ${role}` })
      await operator.post(`${at}/keys`, { name: 'Report' })
      const origin = () => server.admin
      const { cookie } = await newPerson(origin, operator, role, isLocal ? id : null)
      const page = await open('/', isLocal ? WIDE : NARROW, isLocal ? 'light' : 'dark', cookie)
      // A person with one organization is led there.
      if (!isLocal) await page.getByRole('link', { name: `Fleet of a ${role}` }).click()
      await page.waitForURL(`**${at}/overview`)
      const links = page.getByRole('navigation', { name: 'Menu' }).getByRole('link')
      const openMenu = async () => {
        if (!isLocal) await page.getByRole('button', { name: 'Menu', exact: true }).click()
        await links.first().waitFor()
      }
      await openMenu()
      assert.deepEqual(await links.allInnerTexts(), pages)
      const changing = page.getByRole('button', { name: CHANGING })
      for (const [index, name] of pages.entries()) {
        if (index > 0) await openMenu()
        // Where organizations are listed, the menu has the pages of none.
        const ofDeployment = page.getByRole('list', { name: 'Deployment' })
        const isOfDeployment = index >= OF_ORGANIZATION.length
        await (isOfDeployment ? ofDeployment.getByRole('link', { name }) : links.nth(index)).click()
        await page.locator('.skeleton').first().waitFor({ state: 'detached' })
        if (name === 'Vehicles') {
          await page.getByRole('link', { name: 'Van' }).click()
          await page.getByRole('region', { name: 'Details' }).waitFor()
          const vehicle = page.getByRole('navigation', { name: 'Vehicle' })
          if (role !== 'viewer') {
            await vehicle.getByRole('link', { name: 'Settings' }).click()
            await page.getByLabel('Name').waitFor()
            assert.equal(await page.getByLabel('Name').isDisabled(), !changes)
          }
        }
        await assertAccessible(page)
        if (!changes) assert.deepEqual(await changing.allInnerTexts(), [], name)
      }
      await page.goto(`${server.admin}${at}/objects`)
      await page.getByRole('link', { name: 'Van' }).waitFor()
      assert.equal(await changing.count(), changes ? 2 : 0)
      assert.deepEqual(page.faults, [], 'no request was refused')
    })
  }

  it('lets an administrator read what limits the organization, and change the rest', async () => {
    const { server, operator, open } = await sharedConsole()
    const { id } = await operator.post('/organizations', { name: 'Limited' })
    const { cookie } = await newPerson(() => server.admin, operator, 'administrator', id)
    const page = await open(`/organizations/${id}/settings`, WIDE, 'light', cookie)
    await page.getByLabel('Maximum objects').waitFor()
    for (const name of ['Maximum objects', 'Subscription', 'Keep positions for']) {
      assert.equal(await page.getByLabel(name).isDisabled(), true, name)
    }
    await page.getByLabel('Name').fill('Renamed')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByRole('link', { name: 'Renamed' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Delete organization' }).count(), 0)
  })

  it('has no page beyond the role at its address', async () => {
    const { server, operator, open } = await sharedConsole()
    const { id } = await operator.post('/organizations', { name: 'Looked at' })
    const { cookie } = await newPerson(() => server.admin, operator, 'viewer', id)
    const page = await open(`/organizations/${id}/webhooks`, WIDE, 'light', cookie)
    await page.getByText('This page does not exist').waitFor()
    assert.deepEqual(page.faults, [])
  })
})
