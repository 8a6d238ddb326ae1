import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'

const MB = 1024 * 1024

/** The page's JavaScript heap after a collection, and what its process holds in memory of its own. */
export async function memoryOf(
  browser: Browser,
  page: Page,
): Promise<{ heapMb: number; rendererMb: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  const system = await browser.newBrowserCDPSession()
  const { processInfo } = await system.send('SystemInfo.getProcessInfo')
  const sizes = await Promise.all(
    processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => privateBytes(id)),
  )
  // The browser keeps a spare renderer: the page's is the larger one.
  return { heapMb: usedSize / MB, rendererMb: Math.max(...sizes) / MB }
}

async function privateBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kilobytes = [...rollup.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].map(([, value]) =>
    Number(value),
  )
  return kilobytes.reduce((sum, value) => sum + value, 0) * 1024
}
