import assert from 'node:assert/strict'
import { it } from 'node:test'
import { NARROW, openContext, openPage, withoutBrowser } from '../../harness/browser.ts'
import { at, newLink, operator, server } from '../../links/shared-fleet.ts'

it('a page of a link shows its vehicle, in the unit of the organization, and ends within a second of its revocation', {
  skip: withoutBrowser,
}, async () => {
  await operator.patch(at, { distance_unit: 'mi' })
  const { link, path } = await newLink()
  const page = await openPage(await openContext(NARROW))
  await page.goto(new URL(path, server.api).href)
  await page.getByRole('heading', { name: 'Delivery' }).waitFor()
  await page.getByText('Van 1').waitFor()
  const place = page.getByRole('link', { name: 'Open Van 1 in a maps app' })
  assert.equal(await place.getAttribute('href'), 'geo:41,2.02?q=41,2.02')
  const scale = page.locator('.maplibregl-ctrl-scale')
  await scale.waitFor()
  assert.match((await scale.textContent()) ?? '', /(?:mi|ft)$/)
  assert.deepEqual(page.faults, [])
  const ended = page.getByText('This link has ended or does not exist')
  await operator.post(`${at}/links/${link.id}/revoke`)
  const revokedAt = performance.now()
  await ended.waitFor()
  // A second, and the time that the page takes to load on a machine under load.
  assert.ok(performance.now() - revokedAt < 20_000)
})
