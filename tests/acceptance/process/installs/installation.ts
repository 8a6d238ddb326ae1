import assert from 'node:assert/strict'
import { execFileSync, execSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { isEmbedded } from '../../harness/deployment.ts'
import type { Json } from '../../harness/fleetgate.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Why nothing is installed here; false where it is. */
export const withoutInstalls = !isEmbedded
  ? 'about installations, whatever the deployment'
  : process.env.INSTALLS !== 'whole'
    ? 'INSTALLS=whole makes installations'
    : !existsSync(CHROMIUM) && `there is no browser at ${CHROMIUM}`

/** Packages that were fetched before are not fetched again. */
const NPM = {
  ...process.env,
  NODE_TEST_CONTEXT: undefined,
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
}

/** Runs a line of a shell to its end. */
export function sh(command: string, cwd: string): void {
  execSync(command, { cwd, env: NPM, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })
}

/** Runs a program to its end and returns its standard output. */
export function outputOf(command: string, args: string[], cwd: string): string {
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit']
  return execFileSync(command, args, { cwd, env: NPM, stdio, encoding: 'utf8' })
}

/** Packs a folder as npm does. Returns the name of the package, and those of its files. */
export function pack(folder: string, ...options: string[]): { filename: string; files: string[] } {
  const printed = outputOf('npm', ['pack', '--json', ...options], folder)
  // A build may print before the JSON.
  const [{ filename, files }]: Json = JSON.parse(printed.slice(printed.search(/^\[/m)))
  return { filename, files: files.map(({ path }: Json) => path) }
}

/** Opens the console of a server in a browser. */
export async function assertConsole(url: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByRole('heading').first().waitFor()
    assert.match(await page.title(), /Fleetgate/)
  } finally {
    await browser.close()
  }
}
