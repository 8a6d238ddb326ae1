import type { Fix } from '../../domain/position/fix.ts'

/** km/h. A higher reading is an error value of a sensor, such as 255 mph. No vehicle is faster. */
export const MAX_SPEED_KMH = 250

/** The speed of a fix in km/h, or null if it is missing or cannot be believed. */
export function believedSpeed({ speed }: Pick<Fix, 'speed'>): number | null {
  return speed !== null && speed <= MAX_SPEED_KMH ? speed : null
}
