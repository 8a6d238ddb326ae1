import { latitudeAt, longitudeAt } from '../base/mercator.ts'
import { MOTIONS, type MotionOrUnknown } from '../base/motion.ts'
import type { Fleet } from './fleet.ts'

/** A vehicle as its newest position has it. */
export type Seen = {
  motion: MotionOrUnknown
  longitude: number
  latitude: number
  speed: number | null
  time: number
}

/** Null: it has no position yet. */
export function seenOf(fleet: Fleet, id: number): Seen | null {
  const row = fleet.rowOf.get(id)
  if (row === undefined) return null
  const speed = fleet.speed[row]!
  return {
    motion: MOTIONS[fleet.motion[row]!]!,
    longitude: longitudeAt(fleet.x[row]!),
    latitude: latitudeAt(fleet.y[row]!),
    speed: Number.isNaN(speed) ? null : speed,
    time: fleet.time[row]!,
  }
}

export function sameSeen(one: Seen | null | undefined, other: Seen | null | undefined): boolean {
  return (
    (one === null) === (other === null) &&
    one?.time === other?.time &&
    one?.motion === other?.motion
  )
}
