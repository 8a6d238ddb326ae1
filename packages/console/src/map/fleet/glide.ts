/** How long an object glides to its new place. */
export const GLIDE_MS = 800

/**
 * A longer jump (in Mercator world units; about 2 km at the equator) is shown as a jump: a glide would
 * draw a way that nobody drove.
 */
export const LONGEST_GLIDE = 5e-5

/** The part of the way that is left. */
export function leftOfGlide(since: number, now: number): number {
  return Math.max(0, Math.min(1, 1 - (now - since) / GLIDE_MS))
}
