import type { LiveObjects } from '../../api/types.ts'

export type LiveObject = LiveObjects['items'][number]
export type Motion = NonNullable<LiveObject[5]>

/** Motions by their codes in columns and shaders. */
export const MOTIONS = ['moving', 'idle', 'stopped', 'no_signal', 'unknown'] as const

export type MotionOrUnknown = (typeof MOTIONS)[number]

const CODES = new Map<MotionOrUnknown, number>(MOTIONS.map((motion, code) => [motion, code]))

export function motionCode(motion: Motion | null): number {
  return CODES.get(motion ?? 'unknown')!
}
