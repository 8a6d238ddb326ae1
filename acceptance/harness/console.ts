import { after } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { type Operator, operatorBy, setUp } from './admin.ts'
import { openContext, openPage, type Theme, WIDE } from './browser.ts'
import { newDeployment } from './new-deployment.ts'
import { type Server, serve } from './server.ts'

/** A server with a demo fleet and a console whose password is set. */
export type DemoConsole = {
  server: Server
  operator: Operator
  /** A page of somebody who has come in, at a path. */
  open(path: string, viewport?: typeof WIDE, theme?: Theme): Promise<Page & { faults: string[] }>
}

const servers: Server[] = []
after(() => Promise.all(servers.map((server) => server.stop())))

/** It is stopped when the file's tests are over. */
export async function startDemoConsole(): Promise<DemoConsole> {
  const server = await serve(await newDeployment(), ['--geocoder', 'off', '--demo'])
  servers.push(server)
  const cookie = await setUp(server)
  const [name, value] = cookie.split('=') as [string, string]
  const contexts = new Map<string, BrowserContext>()

  async function contextOf(viewport: typeof WIDE, theme: Theme): Promise<BrowserContext> {
    const kind = `${viewport.width} ${theme}`
    const known = contexts.get(kind)
    if (known !== undefined) return known
    const context = await openContext(viewport, theme)
    await context.addCookies([{ name, value, url: server.admin }])
    contexts.set(kind, context)
    return context
  }

  return {
    server,
    operator: operatorBy(() => server.admin, { cookie }),
    async open(path, viewport = WIDE, theme = 'light') {
      const page = await openPage(await contextOf(viewport, theme))
      await page.goto(server.admin + path)
      return page
    },
  }
}
