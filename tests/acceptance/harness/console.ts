import { after } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { type Operator, operatorBy, setUp } from './admin.ts'
import { openContext, openPage, type Theme, WIDE } from './browser.ts'
import { newDeployment } from './new-deployment.ts'
import type { Server } from './server.ts'
import { serveHere } from './server-here.ts'

/** A server with a console whose password is set. */
export type Console = {
  server: Server
  operator: Operator
  /** Opens a page at a path as a signed-in operator, or as the person whose cookie is given. */
  open(
    path: string,
    viewport?: typeof WIDE,
    theme?: Theme,
    person?: string,
  ): Promise<Page & { faults: string[] }>
}

const servers: Server[] = []
after(() => Promise.all(servers.map((server) => server.stop())))

let shared: Promise<Console> | undefined

/** A server that all tests of the process share: each makes organizations of its own. */
export function sharedConsole(): Promise<Console> {
  shared ??= startConsole()
  return shared
}

let shownDemo: Promise<Console> | undefined

/**
 * A server with a fresh demo, of which the pictures of docs are taken. All tests of the process that only look at it
 * share it. A test that changes a demo starts its own with `startConsole(['--demo'])`.
 */
export function shownDemoConsole(): Promise<Console> {
  shownDemo ??= startConsole(['--demo'])
  return shownDemo
}

/** Starts the server. It stops after all tests of the process. */
export async function startConsole(args: string[] = []): Promise<Console> {
  const server = await serveHere(await newDeployment(), ['--geocoder', 'off', ...args])
  servers.push(server)
  const cookie = await setUp(server)
  const contexts = new Map<string, BrowserContext>()

  async function contextOf(
    viewport: typeof WIDE,
    theme: Theme,
    person: string,
  ): Promise<BrowserContext> {
    const kind = `${viewport.width} ${theme} ${person}`
    const known = contexts.get(kind)
    if (known !== undefined) return known
    const context = await openContext(viewport, theme)
    const [name, value] = person.split('=') as [string, string]
    await context.addCookies([{ name, value, url: server.admin }])
    contexts.set(kind, context)
    return context
  }

  return {
    server,
    operator: operatorBy(() => server.admin, { cookie }),
    async open(path, viewport = WIDE, theme = 'light', person = cookie) {
      const page = await openPage(await contextOf(viewport, theme, person))
      await page.goto(server.admin + path)
      return page
    },
  }
}
