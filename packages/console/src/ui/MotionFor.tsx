import type { FleetObject } from '../api/types.ts'
import { t } from '../language/text.ts'
import { lastSignal } from './last-signal.ts'
import { MOTION_NAMES } from './motion-names.ts'
import { useNow } from './time/clock.ts'
import { duration } from './time/duration.ts'

/** `Stopped for 2 h`, as far as the start is known. */
export function MotionFor({ object }: { object: FleetObject }) {
  const motion = object.motion ?? 'unknown'
  const now = useNow()
  const since = motionSince(object)
  if (motion === 'unknown' || motion === 'moving' || since === null) return MOTION_NAMES[motion]
  return LASTING[motion](duration(now - Date.parse(since)))
}

const LASTING = {
  idle: (time: string) => t('Idle for {{time}}', { time }),
  stopped: (time: string) => t('Stopped for {{time}}', { time }),
  no_signal: (time: string) => t('Signal lost for {{time}}', { time }),
}

/** A stop includes the time in which its engine still ran, as in the list of stops. */
function motionSince(object: FleetObject): string | null {
  const { motion, time_last_move: moved, time_last_stop: stopped } = object
  if (motion === 'no_signal') return lastSignal(object)
  if (motion === 'idle' && stopped !== null && stopped > (moved ?? '')) return stopped
  return moved
}
