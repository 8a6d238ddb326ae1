import { isTripOver } from '../../tracking/rules/trip-end.ts'
import type { TrackRow } from '../../tracking/track-row.ts'

/** All that decides whether a trip starts at a next row: what came since the object last moved. */
export type Movement = {
  /** When the object last moved in the sense of a trip. Null: never, or long ago. */
  activeAt: number | null
  /** Whether it has been stationary since. */
  hasStood: boolean
  /** Whether it was moving at the newest believed row, which is the first one or ended a silence. */
  isSettingOut: boolean
}

export function noMovement(): Movement {
  return { activeAt: null, hasStood: false, isSettingOut: false }
}

/** The row at which a trip starts: the newest believed row before this one, or the newest one of all. */
export type TripStart = 'believed' | 'previous'

const NONE: readonly TripStart[] = []

/**
 * Advances the movement by the next row. Returns the starts of the trips that it shows. `advanceSegments` and
 * `endSilences` start the same trips, and derive them. A trip that only set out counts once it has a leg, or if no
 * row follows.
 */
export function tripStarts(
  movement: Movement,
  row: TrackRow,
  isFirst: boolean,
): readonly TripStart[] {
  if (row.isSuspect) return NONE
  if (row.silence !== null) return startsAfterSilence(movement, row)
  if (isFirst) {
    setOut(movement, row)
    return NONE
  }
  const starts = movement.isSettingOut ? BELIEVED : startsOrdinary(movement, row) ? PREVIOUS : NONE
  advanceMovement(movement, row)
  return starts
}

const BELIEVED: readonly TripStart[] = ['believed']
const PREVIOUS: readonly TripStart[] = ['previous']

function startsOrdinary({ activeAt, hasStood }: Movement, { time, isActive }: TrackRow): boolean {
  return isActive && (activeAt === null || isTripOver(activeAt, hasStood, time))
}

function advanceMovement(movement: Movement, { time, isActive, motion }: TrackRow): void {
  movement.isSettingOut = false
  movement.hasStood = (movement.hasStood && !isActive) || motion !== 'moving'
  if (isActive) movement.activeAt = time
}

function startsAfterSilence(movement: Movement, row: TrackRow): TripStart[] {
  const { before, confirms, beforeConfirmed } = row.silence!
  const starts: TripStart[] = []
  if (beforeConfirmed || (confirms && movement.isSettingOut)) starts.push('believed')
  if (before === 'trip') starts.push(confirms ? 'previous' : 'believed')
  if (before !== null) {
    setOut(movement, row)
    return starts
  }
  // It was stationary at the confirmed row.
  Object.assign(movement, noMovement())
  if (row.isActive) starts.push('previous')
  advanceMovement(movement, row)
  return starts
}

/** Movements before a silence begin nothing after it. */
function setOut(movement: Movement, row: TrackRow): void {
  Object.assign(movement, noMovement())
  advanceMovement(movement, row)
  movement.isSettingOut = row.isActive
}

/** Finds the movement after some rows by going back from the newest one, as far as needed. */
export class MovementSearch {
  private newest: number | null = null
  private hasStood = false

  /** Adds the next older row. Returns the movement, or null as long as that needs older rows. */
  add({ time, isActive, motion, silence }: TrackRow): Movement | null {
    this.newest ??= time
    this.hasStood ||= motion !== 'moving'
    // It may be setting out: its trip starts before the rows that follow, and counts there.
    if (isActive) return { activeAt: time, hasStood: this.hasStood, isSettingOut: false }
    // At any later row the object has been stationary long enough for another trip, however long ago it moved.
    const isOver = isTripOver(time, this.hasStood, this.newest + 1)
    return isOver || silence !== null ? noMovement() : null
  }
}
