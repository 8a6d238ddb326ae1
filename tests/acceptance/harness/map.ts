import type { Page } from 'playwright-core'

/**
 * Resolves when the map shows a city and has drawn it. A map opens on the whole world, which it may have drawn before
 * it knows what it has to show.
 */
export async function mapFitted(page: Page): Promise<void> {
  const scale = page.locator('.maplibregl-ctrl-scale', { hasText: /^(\d+\sm|\d\d?\skm)$/ })
  // A day's track hides the scale.
  await scale.waitFor({ state: 'attached' })
  await mapSettled(page)
}

/** Resolves when the map has drawn what it is going to be. */
export async function mapSettled(page: Page): Promise<void> {
  await page.locator('[aria-busy=false] .maplibregl-canvas').waitFor()
}
