import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import {
  assertAccessible,
  NARROW,
  picture,
  type Theme,
  WIDE,
  withoutBrowser,
} from '../harness/browser.ts'
import { type DemoConsole, startDemoConsole } from '../harness/console.ts'
import { isEmbedded } from '../harness/deployment.ts'

/** Each screen, and what is there when it has all that it shows. */
const SCREENS: { name: string; path: string; ready(page: Page): Promise<unknown> }[] = [
  {
    name: 'organizations',
    path: '/',
    ready: (page) => page.getByRole('link', { name: /demo/ }).waitFor(),
  },
  {
    name: 'map',
    path: '/organizations/1',
    ready: async (page) => {
      // Of the demo some always drive; on a narrow screen the legend is folded.
      await page.getByText('Loading positions…').waitFor({ state: 'detached' })
      await page.locator('[aria-busy=false] .maplibregl-canvas').waitFor()
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
    ready: (page) => page.getByRole('heading', { name: 'Accuracy' }).waitFor(),
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
      await page.locator('[aria-busy=false] .maplibregl-canvas').waitFor()
    },
  },
  {
    name: 'keys',
    path: '/organizations/1/keys',
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
    ready: (page) => page.getByText('There is no such page').waitFor(),
  },
]

/** Each screen in all four of width and theme, instead of in one. */
const WHOLE = process.env.CONSOLE_TRIAL === 'whole'

const skip = withoutBrowser || (isEmbedded ? false : 'the demo has a data folder')

describe('Every screen of the console', { skip }, () => {
  let console: DemoConsole

  before(async () => {
    if (skip !== false) return
    console = await startDemoConsole()
    const { server, operator } = console
    const { secret } = await operator.post('/organizations/1/keys', { name: 'Night report' })
    for (let i = 0; i < 14; i += 1) {
      const path = i % 3 === 0 ? 'objects' : 'positions/latest?ids=1,2,3,4,5'
      await fetch(`${server.api}/public/v1/${path}`, { headers: { 'x-api-key': secret } })
    }
  })

  for (const theme of ['light', 'dark'] as Theme[]) {
    for (const [width, viewport] of Object.entries({ wide: WIDE, narrow: NARROW })) {
      // Small: each screen once, either wide and light or narrow and dark.
      const isLeftOut = !WHOLE && (theme === 'light') !== (width === 'wide')
      describe(`${theme}, ${width}`, { skip: isLeftOut && 'CONSOLE_TRIAL=whole' }, () => {
        for (const [index, { name, path, ready }] of SCREENS.entries()) {
          const isOther = !WHOLE && (index % 2 === 0) !== (width === 'wide')
          const skip = isOther && 'CONSOLE_TRIAL=whole'
          it(`is sound, and fits: ${name}`, { skip }, async () => {
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
