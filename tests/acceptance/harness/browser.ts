import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, afterEach } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const require = createRequire(import.meta.url)

/** Debian's path; `CHROMIUM` in the environment overrides it. */
const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium'
const CONSOLE = join(import.meta.dirname, '../../../packages/console/dist/index.html')

/** The reason why this machine cannot show the console; false if it can. */
export const withoutBrowser: string | false = !existsSync(EXECUTABLE)
  ? `there is no browser at ${EXECUTABLE}`
  : existsSync(CONSOLE)
    ? false
    : 'the console was not built'

/**
 * Features that are off: those that Playwright turns off, as this list replaces its own; the two pages that Chromium
 * loads for the address bar of each window, which take longer than a page of the console; and the processes for each
 * site and in reserve, because starting one and compiling the console again takes most of the time of a page.
 */
const FEATURES_OFF = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'CDPScreenshotNewSurface',
  'SkipListAccountsWithoutGaiaCookies',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'IsolateOrigins',
  'site-per-process',
  'SpareRendererForSitePerProcess',
]

/**
 * Chromium makes no network requests of its own. It draws maps with WebGL in software, and all else without WebGL,
 * which takes a third less processor time.
 */
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
  '--disable-gpu-rasterization',
  '--disable-gpu-compositing',
  // Pages share processes, which halves the number of processes that start.
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
  '--enable-features=NetworkServiceInProcess',
  // A page lives too short to gain from optimized code.
  '--js-flags=--no-opt,--single-threaded-gc',
  `--disable-features=${FEATURES_OFF}`,
]

/** Long enough for anything to appear on a busy machine. */
const PATIENCE_MS = 30_000

export const WIDE = { width: 1280, height: 800 }
export const NARROW = { width: 375, height: 812 }
export type Theme = 'light' | 'dark'

/** Each screen in all widths and themes, instead of in one. */
export const WHOLE = process.env.CONSOLE_TRIAL === 'whole'
/** For a screen that only the whole form shows: the reason why the quick form skips it. */
export const WHOLE_ONLY = !WHOLE && 'CONSOLE_TRIAL=whole'

/** Screenshots for docs/, written if `SCREENSHOTS` is `write`. */
const PICTURES = join(import.meta.dirname, '../../../docs/images/console')
const isWriting = process.env.SCREENSHOTS === 'write'

/**
 * Drawn pixels for each pixel of the layout. Sizes and places on a page are the same with fewer, and a map, which is
 * drawn in software, takes a third of the processor time with a quarter of the pixels.
 */
const PIXEL_RATIO = WHOLE || isWriting ? 1 : 0.5

/**
 * Outlines of the world, and simpler ones of the same form: cutting the outlines into tiles takes a fifth of the
 * processor time of a map.
 */
const WORLD = /\/assets\/countries-50m-[^/]*\.json$/
const COARSE_WORLD = { path: require.resolve('world-atlas/countries-110m.json') }

let browser: Promise<Browser> | undefined
after(async () => (await browser)?.close())

/** Closes pages after their test: the map of an open page would slow down the tests that follow. */
const pages = new Set<Page>()
afterEach(async () => {
  for (const page of pages) await page.close()
  pages.clear()
})

/** All tests of a process share one browser. */
export async function openContext(
  viewport = WIDE,
  theme: Theme = 'light',
): Promise<BrowserContext> {
  browser ??= chromium.launch({ executablePath: EXECUTABLE, args: ARGS })
  const context = await (await browser).newContext({
    viewport,
    deviceScaleFactor: PIXEL_RATIO,
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'Europe/Madrid',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(PATIENCE_MS)
  if (!WHOLE && !isWriting) await context.route(WORLD, (route) => route.fulfill(COARSE_WORLD))
  // An empty page keeps the window and the process of the context: pages that follow are tabs of them.
  await context.newPage()
  return context
}

/** Stays open until its test ends. `faults`: exceptions, logged errors and refused requests of the page. */
export async function openPage(context: BrowserContext): Promise<Page & { faults: string[] }> {
  const page = await context.newPage()
  pages.add(page)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`threw: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`logged: ${message.text()}`)
  })
  return Object.assign(page, { faults })
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

type Violation = { id: string; help: string; nodes: { html: string; failureSummary: string }[] }

/** Checks the page with axe: WCAG 2.2 A and AA, and its best practices. */
export async function assertAccessible(page: Page): Promise<void> {
  // The DevTools protocol can inject a script despite the content security policy.
  await page.evaluate(axe)
  // Texts that fade in have little contrast at first.
  await page.evaluate(`
    for (const animation of document.getAnimations()) {
      if (Number.isFinite(animation.effect.getComputedTiming().endTime)) animation.finish()
    }`)
  const violations = await page.evaluate(async () => {
    type Run = { axe: { run(options: object): Promise<{ violations: unknown[] }> } }
    const { axe } = globalThis as unknown as Run
    return (await axe.run({ resultTypes: ['violations'] })).violations
  })
  const faultsFound = (violations as Violation[]).map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join('\n')}`,
  )
  assert.deepEqual(faultsFound, [], `${page.url()}`)
}

/** Takes a screenshot of the page for docs/images/console. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!isWriting) return
  const path = join(PICTURES, `${name}.png`)
  mkdirSync(dirname(path), { recursive: true })
  await page.screenshot({ path, animations: 'disabled' })
}
