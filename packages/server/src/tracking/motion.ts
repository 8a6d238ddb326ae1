import type { Fix } from '../domain/fix.ts'
import type { Accuracy } from '../domain/tracked-object.ts'

export type Motion = 'moving' | 'idle' | 'stopped'

/**
 * How an object was moving at a fix. At or above `minimum_moving_speed` it moves; below it the
 * ignition tells idle from stopped; where that is unknown, a speed above `idle_speed_threshold` is
 * idle. With the stop detection method `ignition` only an ignition that is off stops it. Null where
 * neither speed nor ignition is known.
 */
export function motionOf(fix: Fix, accuracy: Accuracy): Motion | null {
  const { speed, ignition } = fix
  if (speed !== null && speed >= accuracy.minimumMovingSpeed) return 'moving'
  if (ignition !== null) return ignition ? 'idle' : 'stopped'
  if (speed === null) return null
  if (accuracy.stopDetectionMethod === 'ignition') return 'idle'
  return speed > accuracy.idleSpeedThreshold ? 'idle' : 'stopped'
}
