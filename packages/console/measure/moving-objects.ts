/**
 * How much work moving objects are for the main thread: 20,000 objects on the real map, built as
 * the console is, in headless Chromium, with a small server that plays the admin API. Chromium's
 * own trace shows of every task of the page's main thread; those from one animation frame to the
 * next are that frame's work. Drawing itself is done in software by another process, which this
 * does not count; so that it lets through as many frames as a graphics card would, it draws each
 * side with a quarter of the pixels. What the main thread asks it to draw is the same.
 *
 *     node packages/console/measure/moving-objects.ts
 *     OBJECTS=50000 MOVES=5000 SECONDS=20 node packages/console/measure/moving-objects.ts
 */
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { buildPage } from './built-page.ts'
import { memoryOf } from './memory-of.ts'
import { CITIES, type City, movingFleet } from './moving-fleet.ts'
import { playApi } from './played-api.ts'
import { workOfFrames } from './work-of-frames.ts'

const OBJECTS = Number(process.env.OBJECTS ?? 20_000)
const MOVES = Number(process.env.MOVES ?? 2_000)
const SECONDS = Number(process.env.SECONDS ?? 15)
const EVENTS_PER_SECOND = 10
const BUDGET_MS = 8
/** Share of the screen's pixels, in each direction. The main thread makes the same calls. */
const SCALE = Number(process.env.SCALE ?? 0.25)

/** All in one city, so that at the zoom from which nothing is clustered all are in view. */
const ONE_CITY: City[] = [{ longitude: 28.98, latitude: 41.02, share: 1, spread: 0.024 }]

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
]

const files = await mkdtemp(join(tmpdir(), 'moving-objects-'))
await buildPage(files)
const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium'
console.log(
  `${OBJECTS.toLocaleString('en')} objects, ${MOVES.toLocaleString('en')} moves/s in ${EVENTS_PER_SECOND} events/s, ${SECONDS} s each, scale ${SCALE}; load ${loadavg()[0]!.toFixed(1)}`,
)
const HEADS = [
  'frames',
  'p50',
  'p95',
  'p99',
  'max',
  'over 8',
  '1/60 p95',
  'p99',
  'max',
  'wall p50',
  'heap MB',
  'rend. MB',
]
console.log('main-thread ms a frame'.padEnd(22) + HEADS.map((head) => head.padStart(9)).join(''))
try {
  await measured('clusters', CITIES, null)
  await measured('clusters, panning', CITIES, ['ArrowLeft', 'ArrowRight'])
  await measured('all points', ONE_CITY, null)
  await measured('all points, panning', ONE_CITY, ['ArrowLeft', 'ArrowRight'])
  await measured('zooming out and in', ONE_CITY, ['Minus', 'Equal'])
} finally {
  await rm(files, { recursive: true })
}

/** With `keys`, the map is moved by them in turn while it is looked at. */
async function measured(name: string, cities: City[], keys: string[] | null): Promise<void> {
  const server = playApi(files, movingFleet(OBJECTS, cities), {
    perSecond: MOVES,
    eventsPerSecond: EVENTS_PER_SECOND,
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ARGS })
  try {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 800 },
      deviceScaleFactor: SCALE,
    })
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.waitForFunction(isWhole, OBJECTS, { timeout: 120_000 })
    // The flight to the fleet, tiles and names.
    await page.waitForTimeout(8_000)
    await report(name, browser, page, keys)
  } finally {
    await browser.close()
    server.closeAllConnections()
    server.close()
  }
}

async function report(
  name: string,
  browser: Browser,
  page: Page,
  keys: string[] | null,
): Promise<void> {
  await browser.startTracing(page, {
    categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
  })
  await passTime(page, keys)
  const work = workOfFrames(await browser.stopTracing())
  const { heapMb, rendererMb } = await memoryOf(browser, page)
  const over = work.cpu.filter((milliseconds) => milliseconds > BUDGET_MS).length
  const columns = [
    String(work.cpu.length),
    ...[0.5, 0.95, 0.99, 1].map((part) => quantile(work.cpu, part).toFixed(2)),
    String(over),
    ...[0.95, 0.99, 1].map((part) => quantile(work.slots, part).toFixed(2)),
    quantile(work.wall, 0.5).toFixed(1),
    heapMb.toFixed(1),
    rendererMb.toFixed(0),
  ]
  console.log(name.padEnd(22) + columns.map((column) => column.padStart(9)).join(''))
}

function quantile(ascending: number[], part: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * part))]!
}

/** Whether the list counts all objects: the map has taken all of them over. */
function isWhole(objects: number): boolean {
  const counts = document.querySelectorAll('.vehicles-filter strong')
  const numbers = Array.from(counts, ({ textContent }) => Number(textContent.replaceAll(',', '')))
  return numbers.reduce((sum, count) => sum + count, 0) === objects
}

async function passTime(page: Page, keys: string[] | null): Promise<void> {
  const end = Date.now() + SECONDS * 1_000
  if (keys !== null) await page.locator('.maplibregl-canvas').focus()
  for (let turn = 0; Date.now() < end; turn++) {
    if (keys !== null) await page.keyboard.press(keys[turn % keys.length]!)
    await page.waitForTimeout(500)
  }
}
