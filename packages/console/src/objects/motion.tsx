import type { FleetObject } from '../api/types.ts'
import './motion.css'

export type Motion = FleetObject['motion']

export const MOTION_NAMES = { moving: 'Moving', idle: 'Idle', stopped: 'Stopped' } as const

/** Told by a shape and a word, not by its colour alone. */
export function MotionMark({ motion }: { motion: Motion }) {
  if (motion === null) return <span className="soft">Unknown</span>
  return (
    <span className="motion">
      <i className={`motion-${motion}`} />
      {MOTION_NAMES[motion]}
    </span>
  )
}
