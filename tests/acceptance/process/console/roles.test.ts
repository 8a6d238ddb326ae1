import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAccessible, NARROW, WIDE, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import { newPerson } from '../../harness/people.ts'

const OF_VIEWER = ['Map', 'Objects', 'Trips and stops', 'Places', 'Usage']
const ALL = [
  ...['Map', 'Objects', 'Trips and stops', 'Places', 'Attributes', 'API keys', 'Webhooks'],
  ...['Usage', 'Settings', 'People', 'Audit log'],
]

/** The tabs of an organization, and whether there are buttons and fields that change something. */
const ROLES = [
  { role: 'viewer', isLocal: true, tabs: OF_VIEWER, changes: false },
  { role: 'administrator', isLocal: true, tabs: ALL, changes: true },
  { role: 'support', isLocal: false, tabs: ALL, changes: false },
]

const CHANGING = /^(new|issue|import|publish|save|delete|add|revoke|create|invite)\b/i

describe('The console of each role', { skip: withoutBrowser }, () => {
  for (const { role, isLocal, tabs, changes } of ROLES) {
    it(`shows a person with the role ${role} what it may open`, async () => {
      const { server, operator, open } = await sharedConsole()
      const { id } = await operator.post('/organizations', { name: `Fleet of a ${role}` })
      const at = `/organizations/${id}`
      await operator.post(`${at}/objects`, { name: 'Van', ident: `van of ${role}` })
      await operator.post(`${at}/keys`, { name: 'Report' })
      const origin = () => server.admin
      const { cookie } = await newPerson(origin, operator, role, isLocal ? id : null)
      const page = await open('/', isLocal ? WIDE : NARROW, isLocal ? 'light' : 'dark', cookie)
      await page.getByRole('link', { name: `Fleet of a ${role}` }).click()
      const links = page.getByRole('navigation', { name: 'Organization' }).getByRole('link')
      await links.first().waitFor()
      assert.deepEqual(await links.allInnerTexts(), tabs)
      const changing = page.getByRole('button', { name: CHANGING })
      for (const [index, tab] of tabs.entries()) {
        await links.nth(index).click()
        await page.locator('.skeleton').first().waitFor({ state: 'detached' })
        if (tab === 'Objects') {
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
        if (!changes) assert.deepEqual(await changing.allInnerTexts(), [], tab)
      }
      await page.goto(`${server.admin}${at}/objects`)
      await page.getByRole('link', { name: 'Van' }).waitFor()
      assert.equal(await changing.count(), changes ? 2 : 0)
      const console = page.getByRole('navigation', { name: 'Console' }).getByRole('link')
      const ofConsole = await console.allInnerTexts()
      assert.equal(ofConsole.includes('Audit log'), !isLocal)
      assert.deepEqual(page.faults, [], 'no request was refused')
    })
  }

  it('lets an administrator read what limits the organization, and change the rest', async () => {
    const { server, operator, open } = await sharedConsole()
    const { id } = await operator.post('/organizations', { name: 'Limited' })
    const { cookie } = await newPerson(() => server.admin, operator, 'administrator', id)
    const page = await open(`/organizations/${id}/settings`, WIDE, 'light', cookie)
    await page.getByLabel('Maximum objects').waitFor()
    for (const name of ['Maximum objects', 'Subscription', 'Positions are kept for']) {
      assert.equal(await page.getByLabel(name).isDisabled(), true, name)
    }
    await page.getByLabel('Name').fill('Renamed')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByRole('heading', { name: 'Renamed' }).waitFor()
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
