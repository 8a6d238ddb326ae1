import assert from 'node:assert/strict'
import { copyFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import {
  NARROW,
  openContext,
  openPage,
  WHOLE,
  WHOLE_ONLY,
  WIDE,
  withoutBrowser,
} from '../../harness/browser.ts'
import { type Console, startConsole } from '../../harness/console.ts'
import { mapFitted, mapSettled } from '../../harness/map.ts'
import { postRows } from '../../harness/sender.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { DEMO_STREETS, pictureTiles } from '../../harness/tiles.ts'

/** Colours of the map (`palette.ts`), in the light and in the dark. */
const COLOURS = {
  light: { houses: 'e8e3d9', streets: 'ffffff', green: 'dde8d3', water: 'd5e3ee' },
  dark: { houses: '29323f', streets: '3f4b5c', green: '1f3130', water: '10161f' },
}
const RED = 'c8321e'

/**
 * Two places in the city of the tiles: the map opens on both. Near enough for streets that are wider than a pixel, one
 * step of zoom later, and far enough for a park and the sea.
 */
const CORNERS = [
  { latitude: 41.368, longitude: 2.165 },
  { latitude: 41.398, longitude: 2.205 },
]

describe('The map with a file of tiles', { skip: withoutBrowser }, async () => {
  const file = join(temporaryFolder(), 'city.pmtiles')

  copyFileSync(DEMO_STREETS, file)
  const console = await startConsole(['--map-tiles', file])
  const at = await fleetAt(console, CORNERS)

  for (const [width, viewport] of [
    ['wide', WIDE],
    ['narrow', NARROW],
  ] as const) {
    const skip = width === 'narrow' && WHOLE_ONLY
    it(`shows streets, houses, parks and the sea, light and dark, near and far: ${width}`, {
      skip,
    }, async () => {
      const page = await openMap(viewport)
      const requests = requestsOf(page)
      await assertDrawn(page, 'light', ['green', 'water'])
      // An open map takes the colours of the other theme.
      await turn(page, 'dark')
      await assertDrawn(page, 'dark', ['green', 'water'])
      await zoomBy(page, 'in', 1)
      await assertDrawn(page, 'dark', ['houses', 'streets'])
      await turn(page, 'light')
      await assertDrawn(page, 'light', ['houses', 'streets'])
      if (WHOLE) {
        await zoomBy(page, 'in', 5)
        await zoomBy(page, 'out', 5)
      }
      await zoomBy(page, 'out', 10)
      const { houses, water } = await sharesOf(page, COLOURS.light)
      assert.ok(houses === 0 && water > 0.05, `far out there is the world: ${houses} ${water}`)
      assert.deepEqual(page.faults, [])
      assert.ok(requests.some((url) => url.endsWith('/server/map.pmtiles')))
      assert.deepEqual(
        requests.filter((url) => !url.startsWith(`${console.server.admin}/`)),
        [],
        'nothing is asked of another machine',
      )
    })
  }

  it('goes on with the successor of a file that was replaced', async () => {
    const page = await openMap(WIDE)
    copyFileSync(DEMO_STREETS, `${file}.new`)
    renameSync(`${file}.new`, file)
    const answers: number[] = []
    page.on('response', (response) => {
      if (response.url().endsWith('.pmtiles')) answers.push(response.status())
    })
    await zoomBy(page, 'in', 1)
    assert.ok(answers.length > 1 && answers.every((status) => status === 206), `${answers}`)
    assert.ok((await sharesOf(page, COLOURS.light)).houses > 0.005)
    assert.deepEqual(page.faults, [])
  })

  it('shows pictures, if the file holds some', async () => {
    const painter = await openPage(await openContext())
    await painter.setContent(`<body style="background: #${RED}">`)
    const clip = { x: 0, y: 0, width: 256, height: 256 }
    writeFileSync(`${file}.new`, pictureTiles(await painter.screenshot({ clip })))
    renameSync(`${file}.new`, file)
    const page = await openMap(WIDE)
    const { red } = await sharesOf(page, { red: RED })
    assert.ok(red > 0.8, String(red))
    assert.deepEqual(page.faults, [])
  })

  /** The map where it shows the fleet. */
  async function openMap(viewport: typeof WIDE): Promise<Page & { faults: string[] }> {
    const page = await console.open(`${at}/map`, viewport)
    // It opens where another test has left it.
    await page.getByRole('button', { name: 'Fit all' }).click()
    await mapFitted(page)
    return page
  }
})

/** Makes a fleet with an object at each of these places, and returns its path. */
async function fleetAt(
  { operator, server }: Console,
  places: readonly { latitude: number; longitude: number }[],
): Promise<string> {
  const { id } = await operator.post('/organizations', { name: 'Acme' })
  const at = `/organizations/${id}`
  const { secret } = await operator.post(`${at}/feed-tokens`, { name: 'feed' })
  const rows = places.map((place, n) => ({
    ident: `van-${n}`,
    time_device: new Date().toISOString(),
    ...place,
  }))
  for (const { ident } of rows) await operator.post(`${at}/objects`, { ident, name: ident })
  await postRows(server.feed, secret, rows)
  return at
}

/** Fails where one of these covers less than 0.05 % of the map. */
async function assertDrawn<Theme extends keyof typeof COLOURS>(
  page: Page,
  theme: Theme,
  what: readonly (keyof (typeof COLOURS)[Theme])[],
): Promise<void> {
  const shares = await sharesOf(page, COLOURS[theme])
  const told = `${theme}: ${JSON.stringify(shares)}`
  for (const each of what) assert.ok(shares[each as keyof typeof shares] > 0.0005, told)
}

async function zoomBy(page: Page, direction: 'in' | 'out', steps: number): Promise<void> {
  const button = page.getByRole('button', { name: `Zoom ${direction}` })
  for (let step = 0; step < steps; step += 1) await button.click({ force: true })
  await mapSettled(page)
}

/** Changes the theme. Resolves when the page has received the change, which keeps the map busy. */
async function turn(page: Page, theme: keyof typeof COLOURS): Promise<void> {
  const turned = page.evaluate(
    `new Promise((done) => matchMedia('(prefers-color-scheme: dark)').onchange = () => done())`,
  )
  await page.emulateMedia({ colorScheme: theme })
  await turned
}

function requestsOf(page: Page): string[] {
  const urls: string[] = []
  page.on('request', (request) => {
    if (/^(http|ws)/.test(request.url())) urls.push(request.url())
  })
  return urls
}

/** The share of a map's pixels that have exactly one of these colours. */
async function sharesOf<Name extends string>(
  page: Page,
  colours: Record<Name, string>,
): Promise<Record<Name, number>> {
  await mapSettled(page)
  const picture = await page.locator('.fleetmap-canvas').screenshot()
  const counted = await page.evaluate(countColours, picture.toString('base64'))
  const all = Object.values(counted).reduce((sum, count) => sum + count, 0)
  const shares = Object.entries<string>(colours).map(([name, colour]) => [
    name,
    (counted[colour] ?? 0) / all,
  ])
  return Object.fromEntries(shares)
}

/** The parts of a browser that the page below uses. */
type Drawing = {
  Image: new () => { src: string; width: number; height: number; decode(): Promise<void> }
  OffscreenCanvas: new (
    width: number,
    height: number,
  ) => {
    getContext(kind: '2d'): {
      drawImage(image: object, x: number, y: number): void
      getImageData(x: number, y: number, width: number, height: number): { data: Uint8Array }
    }
  }
}

/** Runs in the page. */
async function countColours(base64: string): Promise<Record<string, number>> {
  const { Image, OffscreenCanvas } = globalThis as unknown as Drawing
  const image = new Image()
  image.src = `data:image/png;base64,${base64}`
  await image.decode()
  const canvas = new OffscreenCanvas(image.width, image.height)
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, image.width, image.height)
  const counts: Record<string, number> = {}
  for (let i = 0; i < data.length; i += 4) {
    const colour = ((data[i]! << 16) | (data[i + 1]! << 8) | data[i + 2]!)
      .toString(16)
      .padStart(6, '0')
    counts[colour] = (counts[colour] ?? 0) + 1
  }
  return counts
}
