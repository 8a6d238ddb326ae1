import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the built console. */
export const CONSOLE = fileURLToPath(new URL('../../../console/dist', import.meta.url))

/** Whether this installation has a console. One without development packages cannot build it. */
export function hasConsole(): boolean {
  return existsSync(join(CONSOLE, 'index.html'))
}
