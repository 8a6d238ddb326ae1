import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertAccessible, NARROW, WIDE, withoutBrowser } from '../../harness/browser.ts'
import { sharedConsole } from '../../harness/console.ts'
import { postRows } from '../../harness/sender.ts'

describe('The page of an object', { skip: withoutBrowser }, () => {
  it('lists the packets that were not accepted, with why and when', async () => {
    const { server, operator, open } = await sharedConsole()
    const at = `/organizations/${(await operator.post('/organizations', { name: 'Jumps' })).id}`
    const { id } = await operator.post(`${at}/objects`, { name: 'Van', ident: 'van' })
    const { secret } = await operator.post(`${at}/feed-tokens`, { name: 'feed' })
    const rowAt = (secondsAgo: number, more: object) => ({
      ...{ ident: 'van', latitude: 41, longitude: 2 },
      time_device: new Date(Date.now() - secondsAgo * 1_000).toISOString(),
      ...more,
    })
    await postRows(server.feed, secret, [
      rowAt(40, {}),
      rowAt(30, { hdop: 50 }),
      rowAt(20, { latitude: 0, longitude: 0 }),
    ])
    for (const [viewport, theme] of [
      [WIDE, 'light'],
      [NARROW, 'dark'],
    ] as const) {
      const page = await open(`${at}/objects/${id}`, viewport, theme)
      const card = page.getByRole('region', { name: 'Packets that were not accepted' })
      const inaccurate = card.getByRole('row').filter({ hasText: 'the HDOP of 50 is above' })
      await inaccurate.getByText('41, 2').waitFor()
      await inaccurate.locator('time').first().waitFor()
      await card.getByText(/^The receiver did not know where it was/).waitFor()
      const causes = page.getByRole('region', { name: 'Why does it not move?' })
      await causes.getByText(/was rejected: latitude and longitude are 0/).waitFor()
      await assertAccessible(page)
      const [needed, there] = (await page.evaluate(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )) as [number, number]
      assert.ok(needed <= there, `${needed} of ${there} pixels wide`)
      assert.deepEqual(page.faults, [])
    }
  })
})
