import type { ReactNode } from 'react'
import type { FleetObject } from '../api/types.ts'
import { MotionShape } from '../ui/MotionShape.tsx'
import { MOTION_NAMES } from '../ui/motion-names.ts'
import './motion.css'

export type Motion = FleetObject['motion']

type MotionMarkProps = { motion: Motion; children?: ReactNode }

/** A shape and words show the motion, not its color alone. */
export function MotionMark({ motion, children }: MotionMarkProps) {
  if (motion === null) return <span className="soft">{MOTION_NAMES.unknown}</span>
  return (
    <span className="motion">
      <MotionShape motion={motion} />
      {children ?? MOTION_NAMES[motion]}
    </span>
  )
}
