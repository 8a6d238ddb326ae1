import type { Fix } from '../domain/fix.ts'
import type { Motion } from '../domain/track.ts'
import type { Accuracy } from '../domain/tracked-object.ts'

/** km/h. A reading above it is no vehicle's on the ground: a sensor's error value, such as 255 mph. */
export const FASTEST = 250

/** The speed that a fix tells, where it can be believed: km/h. */
export function believedSpeed({ speed }: Fix): number | null {
  return speed !== null && speed <= FASTEST ? speed : null
}

/**
 * How an object was moving at a fix. At or above `minimum_moving_speed` it moves; below it the
 * ignition tells idle from stopped; where that is unknown, a speed above `idle_speed_threshold` is
 * idle. With the stop detection method `ignition` only an ignition that is off stops it. Where the
 * speed is unknown, `travelled` says whether it evidently went somewhere since the fix before. Null
 * where nothing tells.
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
