import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'

const HOSTILE = '</script><img src=x onerror=alert(1)><b>=cmd|x'
const RING = [
  [2.1, 41.3],
  [2.2, 41.3],
  [2.2, 41.4],
]

describe('Names that are markup', { skip: withoutBrowser }, () => {
  it('are shown as text on every page of the console, and run nothing', async () => {
    const fleet = await sharedConsole()
    const { id } = await fleet.operator.post('/organizations', { name: HOSTILE })
    const at = `/organizations/${id}`
    const { post } = fleet.operator
    const object = await post(`${at}/objects`, { ident: 'A1', name: HOSTILE })
    const place = { name: HOSTILE, description: HOSTILE }
    const geofence = await post(`${at}/geofences`, { ...place, coordinates: RING })
    await post(`${at}/sites`, { ...place, latitude: 41.3, longitude: 2.1 })
    await post(`${at}/keys`, { name: HOSTILE })
    await post(`${at}/feed-tokens`, { name: HOSTILE })
    const pages = ['/', '/audit', `${at}/map`, `${at}/objects`, `${at}/objects/${object.id}`]
    pages.push(`${at}/places/geofences`, `${at}/places/geofences/${geofence.id}`)
    pages.push(`${at}/keys`, `${at}/settings`)
    for (const path of pages) {
      const page = await fleet.open(path)
      await page.getByText(HOSTILE).first().waitFor()
      assert.equal(await page.locator('img[src=x]').count(), 0, path)
      assert.deepEqual(page.faults, [], path)
      await page.close()
    }
  })
})
