import type { FleetObject } from '../api/types.ts'
import { MOTION_NAMES } from '../ui/motion-names.ts'
import './motion.css'

export type Motion = FleetObject['motion']

/** A shape and a word show the motion, not its colour alone. */
export function MotionMark({ motion }: { motion: Motion }) {
  if (motion === null) return <span className="soft">{MOTION_NAMES.unknown}</span>
  return (
    <span className="motion">
      <i className={`motion-${motion}`} />
      {MOTION_NAMES[motion]}
    </span>
  )
}
