import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import {
  assertAccessible,
  NARROW,
  picture,
  type Theme,
  WHOLE,
  WHOLE_ONLY,
  WIDE,
  withoutBrowser,
} from '../../harness/browser.ts'
import { type Console, shownDemoConsole } from '../../harness/console.ts'
import { isEmbedded } from '../../harness/deployment.ts'
import { mapFitted } from '../../harness/map.ts'

/** Each screen, and a condition that holds when it is complete. */
const SCREENS: { name: string; path: string; ready(page: Page): Promise<unknown> }[] = [
  {
    name: 'organizations',
    path: '/organizations',
    ready: (page) => page.getByRole('link', { name: /demo/ }).waitFor(),
  },
  {
    name: 'overview',
    path: '/organizations/1',
    ready: (page) => page.getByRole('region', { name: 'Never sent data' }).waitFor(),
  },
  {
    name: 'map',
    path: '/organizations/1/map',
    ready: async (page) => {
      await page.getByText('Loading positions…').waitFor({ state: 'detached' })
      await mapFitted(page)
    },
  },
  {
    name: 'objects',
    path: '/organizations/1/objects',
    ready: (page) => page.getByRole('link', { name: 'Van 1 Tramuntana' }).waitFor(),
  },
  {
    name: 'object',
    path: '/organizations/1/objects/1',
    ready: async (page) => {
      await page
        .getByRole('region', { name: 'Today' })
        .getByText('Trips', { exact: true })
        .waitFor()
      await mapFitted(page)
    },
  },
  {
    name: 'object settings',
    path: '/organizations/1/objects/1/settings',
    ready: (page) => page.getByRole('heading', { name: 'Accuracy' }).waitFor(),
  },
  {
    name: 'records',
    path: '/organizations/1/records/trips',
    ready: (page) => page.getByRole('link', { name: 'Van 1 Tramuntana' }).first().waitFor(),
  },
  {
    name: 'places',
    path: '/organizations/1/places',
    ready: (page) => page.getByText('Depot yard').first().waitFor(),
  },
  {
    name: 'place',
    path: '/organizations/1/places/geofences/1',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Save geofence' }).waitFor()
      await mapFitted(page)
    },
  },
  {
    name: 'keys',
    path: '/organizations/1/keys',
    ready: (page) => page.getByText('Night report').waitFor(),
  },
  {
    name: 'webhooks',
    path: '/organizations/1/webhooks',
    ready: (page) => page.getByText('No webhooks yet').waitFor(),
  },
  {
    name: 'shared',
    path: '/organizations/1/shared',
    ready: (page) => page.getByText('Night report').waitFor(),
  },
  {
    name: 'usage',
    path: '/organizations/1/usage',
    ready: (page) => page.getByRole('heading', { name: 'Requests by day' }).waitFor(),
  },
  {
    name: 'settings',
    path: '/organizations/1/settings',
    ready: (page) => page.getByRole('button', { name: 'Save settings' }).waitFor(),
  },
  {
    name: 'audit',
    path: '/organizations/1/audit',
    ready: (page) => page.getByText('Night report').first().waitFor(),
  },
  {
    name: 'audit of all',
    path: '/audit',
    ready: (page) => page.getByText('Night report').first().waitFor(),
  },
  {
    name: 'nothing there',
    path: '/nowhere',
    ready: (page) => page.getByText('This page does not exist').waitFor(),
  },
]

const skip = withoutBrowser || (isEmbedded ? false : 'the demo has a data folder')

describe('Every screen of the console', { skip }, () => {
  let console: Console

  before(async () => {
    if (skip !== false) return
    console = await shownDemoConsole()
    const { server, operator } = console
    const { secret } = await operator.post('/organizations/1/keys', { name: 'Night report' })
    for (let i = 0; i < 14; i += 1) {
      const path = i % 3 === 0 ? 'objects' : 'positions/latest?ids=1,2,3,4,5'
      await fetch(`${server.api}/public/v1/${path}`, { headers: { 'x-api-key': secret } })
    }
  })

  for (const theme of ['light', 'dark'] as Theme[]) {
    for (const [width, viewport] of Object.entries({ wide: WIDE, narrow: NARROW })) {
      // The quick form shows each screen once, either wide and light or narrow and dark.
      const isLeftOut = !WHOLE && (theme === 'light') !== (width === 'wide')
      describe(`${theme}, ${width}`, { skip: isLeftOut && WHOLE_ONLY }, () => {
        for (const [index, { name, path, ready }] of SCREENS.entries()) {
          const isOther = !WHOLE && (index % 2 === 0) !== (width === 'wide')
          const skip = isOther && WHOLE_ONLY
          it(`is accessible and fits: ${name}`, { skip }, async () => {
            const page = await console.open(path, viewport, theme)
            await ready(page)
            await assertAccessible(page)
            const [needed, there] = (await page.evaluate(
              '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
            )) as [number, number]
            assert.ok(needed <= there, `${needed} of ${there} pixels wide`)
            await picture(page, `${name.replaceAll(' ', '-')}-${width}-${theme}`)
            assert.deepEqual(page.faults, [])
          })
        }
      })
    }
  }
})
