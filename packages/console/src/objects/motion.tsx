import type { FleetObject } from '../api/types.ts'
import { t } from '../language/text.ts'
import { MOTION_NAMES } from '../ui/motion-names.ts'
import { useNow } from '../ui/time/clock.ts'
import { duration } from '../ui/time/duration.ts'
import './motion.css'

export type Motion = FleetObject['motion']

/** A shape and a word show the motion, not its color alone. */
export function MotionMark({ motion }: { motion: Motion }) {
  if (motion === null) return <span className="soft">{MOTION_NAMES.unknown}</span>
  return (
    <span className="motion">
      <i className={`motion-${motion}`} />
      {MOTION_NAMES[motion]}
    </span>
  )
}

/** A vehicle without a signal, and for how long. */
export function LostMark({ since }: { since: string }) {
  const time = duration(useNow() - Date.parse(since))
  return (
    <span className="motion">
      <i className="motion-no_signal" />
      {t('Signal lost for {{time}}', { time })}
    </span>
  )
}
