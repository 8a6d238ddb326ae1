import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { workOfFrames } from '../packages/console/measure/work-of-frames.ts'
import { threadSeconds } from './processor.ts'
import { type Figure, percentile } from './report.ts'
import { OBJECTS, sendPackets, type WatchedFleet } from './watched-fleet.ts'

const SECONDS = 15
const PACKETS_A_SECOND = 2_000
/** The flight to the fleet, tiles and names. */
const SETTLE_MS = 8_000
const LOOK_MS = 100
/** Software draws in another process: a quarter of the pixels leaves the main thread's work as it is. */
const SCALE = 0.25
const ARGS = [
  '--headless',
  '--no-sandbox',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
]

/** Opens the map of the console in Chromium while packets come. */
export async function measureFrames(name: string, fleet: WatchedFleet): Promise<Figure[]> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ARGS })
  try {
    const url = `http://127.0.0.1:${fleet.server.adminPort}`
    const [cookie, value] = fleet.cookie.split('=') as [string, string]
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      deviceScaleFactor: SCALE,
    })
    await context.addCookies([{ name: cookie, value, url }])
    const page = await context.newPage()
    await page.goto(`${url}/organizations/${fleet.organization}/map`)
    await untilWhole(page)
    await sleep(SETTLE_MS)
    const categories = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline']
    await browser.startTracing(page, { categories })
    const usedBefore = threadSeconds(fleet.server.pid)
    await sendPackets(fleet, PACKETS_A_SECOND, SECONDS, new Map())
    const used = threadSeconds(fleet.server.pid) - usedBefore
    const { cpu, slots } = workOfFrames(await browser.stopTracing())
    const about = `${name}, map open`
    return [
      { name: `${about}, frames`, value: cpu.length / SECONDS, unit: 'a second' },
      { name: `${about}, main thread a frame, p50`, value: percentile(cpu, 0.5), unit: 'ms' },
      { name: `${about}, main thread a frame, p99`, value: percentile(cpu, 0.99), unit: 'ms' },
      { name: `${about}, a sixtieth of a second, p99`, value: percentile(slots, 0.99), unit: 'ms' },
      { name: `${about}, server`, value: (used * 1_000) / SECONDS, unit: 'ms a second' },
    ]
  } finally {
    await browser.close()
  }
}

/** Waits until the legend counts all objects: the map has taken all of them over. */
async function untilWhole(page: Page): Promise<void> {
  const objects = page.getByRole('group', { name: 'Objects' })
  for (;;) {
    const counts = (await objects.textContent()) ?? ''
    const numbers = [...counts.matchAll(/\d[\d,]*/g)].map(([count]) => count.replaceAll(',', ''))
    if (numbers.reduce((sum, count) => sum + Number(count), 0) === OBJECTS) return
    await sleep(LOOK_MS)
  }
}
