import type { Fix } from '../domain/fix.ts'
import type { Motion } from '../domain/track.ts'
import type { Accuracy } from '../domain/tracked-object.ts'

/** km/h. A higher reading is an error value of a sensor, such as 255 mph. */
export const MAX_SPEED_KMH = 250

/** The speed of a fix in km/h, or null if it is missing or cannot be believed. */
export function believedSpeed({ speed }: Fix): number | null {
  return speed !== null && speed <= MAX_SPEED_KMH ? speed : null
}

/**
 * How an object was moving at a fix.
 *
 * At or above `minimum_moving_speed` it moves. Below, the ignition tells idle from stopped. If the
 * ignition is unknown, a speed above `idle_speed_threshold` is idle. With the stop detection method
 * `ignition`, only an ignition that is off stops it. If the speed is unknown, `travelled` says whether
 * the object clearly moved since the fix before. Null if nothing tells.
 */
export function motionOf(fix: Fix, accuracy: Accuracy, travelled: boolean): Motion | null {
  const { ignition } = fix
  const speed = believedSpeed(fix)
  if (speed !== null && speed >= accuracy.minimumMovingSpeed) return 'moving'
  if (ignition === false) return 'stopped'
  if (speed === null && travelled) return 'moving'
  if (ignition === true) return 'idle'
  if (speed === null) return null
  if (accuracy.stopDetectionMethod === 'ignition') return 'idle'
  return speed > accuracy.idleSpeedThreshold ? 'idle' : 'stopped'
}
