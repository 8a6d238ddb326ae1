import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { openContext, openPage, type Theme, WIDE } from './browser.ts'
import { type Admin, adminOf } from './driving-fleet.ts'
import { newDeployment } from './new-deployment.ts'
import { type Server, serve } from './server.ts'

export const PASSWORD = 'correct horse battery'

/** A server with its console, whose password is set. */
export type Console = {
  server: Server
  /** What a page of his would ask. */
  admin: Admin
  /** A page of somebody who has come in, at a path. */
  open(path: string, viewport?: typeof WIDE, theme?: Theme): Promise<Page & { faults: string[] }>
}

const servers: Server[] = []
after(() => Promise.all(servers.map((server) => server.stop())))

/** Starts a server, and sets its password by the link that it tells; stopped when the file's tests are over. */
export async function startConsole(...args: string[]): Promise<Console> {
  const server = await serve(await newDeployment(), ['--geocoder', 'off', ...args])
  servers.push(server)
  const token = new URL(server.log[0]!.setup).hash.slice(1)
  const answer = await fetch(`${server.admin}/admin/v1/setup`, {
    method: 'POST',
    headers: { Origin: server.admin, 'Content-Type': 'application/json' },
    body: JSON.stringify({ token, password: PASSWORD }),
  })
  assert.equal(answer.status, 204)
  const cookie = answer.headers.get('set-cookie')!.split(';')[0]!.split('=') as [string, string]
  const contexts = new Map<string, BrowserContext>()

  async function contextOf(viewport: typeof WIDE, theme: Theme): Promise<BrowserContext> {
    const name = `${viewport.width} ${theme}`
    const known = contexts.get(name)
    if (known !== undefined) return known
    const context = await openContext(viewport, theme)
    await context.addCookies([{ name: cookie[0], value: cookie[1], url: server.admin }])
    contexts.set(name, context)
    return context
  }

  return {
    server,
    admin: adminOf(server, { Cookie: cookie.join('=') }),
    async open(path, viewport = WIDE, theme = 'light') {
      const page = await openPage(await contextOf(viewport, theme))
      await page.goto(server.admin + path)
      return page
    },
  }
}
