/** How long an object takes to where it was last told to be. */
export const GLIDE_MS = 800

/**
 * A leap over more than this (of the Mercator world; some 2 km at the equator) is shown as one:
 * gliding over it would draw a way that nobody drove.
 */
export const LONGEST_GLIDE = 5e-5

/** What part of the way back to where it came from is left. */
export function leftOfGlide(since: number, now: number): number {
  return Math.max(0, Math.min(1, 1 - (now - since) / GLIDE_MS))
}
