import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, afterEach } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** Debian's; another by the environment's `CHROMIUM`. */
const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium'
const CONSOLE = join(import.meta.dirname, '../../packages/console/dist/index.html')

/** Why the console cannot be looked at here; false where it can. */
export const withoutBrowser: string | false = !existsSync(EXECUTABLE)
  ? `there is no browser at ${EXECUTABLE}`
  : existsSync(CONSOLE)
    ? false
    : 'the console was not built'

/** WebGL in software, and nothing that asks the network by itself. */
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

/** For anything to appear, on a machine that is busy. */
const PATIENCE_MS = 30_000

export const WIDE = { width: 1280, height: 800 }
export const NARROW = { width: 375, height: 812 }
export type Theme = 'light' | 'dark'

/** Pictures for docs/, taken where `SCREENSHOTS` says `write`. */
const PICTURES = join(import.meta.dirname, '../../docs/images/console')
const isWriting = process.env.SCREENSHOTS === 'write'

let browser: Promise<Browser> | undefined
after(async () => (await browser)?.close())

/** A map that nobody looks at any more would draw on beside the tests that follow. */
const pages = new Set<Page>()
afterEach(async () => {
  for (const page of pages) await page.close()
  pages.clear()
})

/** In one browser for a file's tests. */
export async function openContext(
  viewport = WIDE,
  theme: Theme = 'light',
): Promise<BrowserContext> {
  browser ??= chromium.launch({ executablePath: EXECUTABLE, args: ARGS })
  const context = await (await browser).newContext({
    viewport,
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'Europe/Madrid',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(PATIENCE_MS)
  return context
}

/** Open until its test ends. `faults`: what it threw, logged as an error or was refused. */
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

const require = createRequire(import.meta.url)
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

type Violation = { id: string; help: string; nodes: { html: string; failureSummary: string }[] }

/** By axe, WCAG 2.2 A and AA and its best practices. */
export async function assertAccessible(page: Page): Promise<void> {
  // By the protocol, which no content security policy is asked about.
  await page.evaluate(axe)
  const violations = await page.evaluate(async () => {
    type Run = { axe: { run(options: object): Promise<{ violations: unknown[] }> } }
    const { axe } = globalThis as unknown as Run
    return (await axe.run({ resultTypes: ['violations'] })).violations
  })
  const told = (violations as Violation[]).map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join('\n')}`,
  )
  assert.deepEqual(told, [], `${page.url()}`)
}

/** A picture of a page as it is, for docs/images/console. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!isWriting) return
  const path = join(PICTURES, `${name}.png`)
  mkdirSync(dirname(path), { recursive: true })
  await page.screenshot({ path, animations: 'disabled' })
}
