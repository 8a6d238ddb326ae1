import { TRIP_END_MS } from '../../fold/rules/advance.ts'
import type { TrackRow } from '../../fold/track-row.ts'

/** All that decides whether a trip starts at a next row: what came since the object last moved. */
export type Movement = {
  /** When the object last moved in the sense of a trip. Null: never, or long ago. */
  activeAt: number | null
  /** Whether it has stood since. */
  hasStood: boolean
}

export function noMovement(): Movement {
  return { activeAt: null, hasStood: false }
}

/**
 * Advances the movement by the next row. Returns whether a trip starts with it: at the row before, or at the row
 * itself if it is the first one. `advanceSegments` starts the same trips, and derives them.
 */
export function startsTrip(movement: Movement, { time, isActive, motion }: TrackRow): boolean {
  const { activeAt, hasStood } = movement
  if (!isActive) {
    movement.hasStood ||= motion !== 'moving'
    return false
  }
  movement.activeAt = time
  movement.hasStood = motion !== 'moving'
  return activeAt === null || (hasStood && time - activeAt > TRIP_END_MS)
}

/** Finds the movement after some rows by going back from the newest one, as far as needed. */
export class MovementSearch {
  private newest: number | null = null
  private hasStood = false

  /** Adds the row before. Returns the movement, or null while that takes older rows. */
  add({ time, isActive, motion }: TrackRow): Movement | null {
    this.newest ??= time
    this.hasStood ||= motion !== 'moving'
    if (isActive) return { activeAt: time, hasStood: this.hasStood }
    // However long ago the object moved: it has stood long enough for another trip.
    const isOver = this.hasStood && this.newest - time >= TRIP_END_MS
    return isOver ? noMovement() : null
  }
}
