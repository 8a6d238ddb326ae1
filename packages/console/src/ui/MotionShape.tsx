import type { MOTION_NAMES } from './motion-names.ts'
import './MotionShape.css'

/** The shapes of objects on the map, for legends, cards and tables. */
export function MotionShape({ motion }: { motion: keyof typeof MOTION_NAMES }) {
  return (
    <svg
      className={`fleetmap-shape fleetmap-shape-${motion}`}
      viewBox="-10 -10 20 20"
      width="18"
      height="18"
      aria-hidden="true"
    >
      {motion === 'moving' && <path d="M0 -9 6.5 8 0 4.5 -6.5 8Z" />}
      {motion === 'idle' && <circle r="5" fill="none" strokeWidth="4" stroke="currentColor" />}
      {motion === 'stopped' && <rect x="-5" y="-5" width="10" height="10" />}
      {motion === 'no_signal' && (
        <path d="M-6 -6 6 6M-6 6 6 -6" fill="none" strokeWidth="3" stroke="currentColor" />
      )}
      {motion === 'unknown' && (
        <path d="M0 -6 6 0 0 6 -6 0Z" fill="none" strokeWidth="2.4" stroke="currentColor" />
      )}
    </svg>
  )
}
