import type { Box, SegmentSums } from '../../domain/record.ts'
import type { TrackRow } from '../../tracking/track-row.ts'

/** The counts of a segment so far. Each row changes them in place. */
export type Sums = {
  movingTime: number
  idleTime: number
  silentTime: number
  /** -1: no speed was believed. */
  maxSpeed: number
  positions: number
  longestGap: number
} & { -readonly [Side in keyof Box]: number }

/** Sums of rows after one at this place. */
export function sumsFrom({ latitude, longitude }: Pick<TrackRow, 'latitude' | 'longitude'>): Sums {
  return {
    movingTime: 0,
    idleTime: 0,
    silentTime: 0,
    maxSpeed: -1,
    positions: 0,
    longestGap: 0,
    west: longitude,
    south: latitude,
    east: longitude,
    north: latitude,
  }
}

/** Counts a row itself, without the time before it. */
export function addPosition(sums: Sums, { isShown, speed }: TrackRow): void {
  if (isShown) sums.positions += 1
  if (speed !== null && speed > sums.maxSpeed) sums.maxSpeed = speed
}

/** Counts a row and the time since the row before it, which belongs to the motion there. */
export function addRow(sums: Sums, previous: TrackRow, row: TrackRow): void {
  const time = row.time - previous.time
  if (previous.motion === 'moving') sums.movingTime += time
  else if (previous.motion === 'idle') sums.idleTime += time
  if (time > sums.longestGap) sums.longestGap = time
  addPosition(sums, row)
  if (!row.isSuspect) addPlace(sums, row)
}

export function addPlace(sums: Sums, { latitude, longitude }: TrackRow): void {
  if (longitude < sums.west) sums.west = longitude
  if (longitude > sums.east) sums.east = longitude
  if (latitude < sums.south) sums.south = latitude
  if (latitude > sums.north) sums.north = latitude
}

/** Adds the sums of the rows that follow. */
export function addSums(sums: Sums, later: Sums): void {
  sums.movingTime += later.movingTime
  sums.idleTime += later.idleTime
  sums.silentTime += later.silentTime
  addCounts(sums, later)
}

/** Adds the sums of rows that follow, without their times. */
export function addCounts(sums: Sums, later: Sums): void {
  sums.maxSpeed = Math.max(sums.maxSpeed, later.maxSpeed)
  sums.positions += later.positions
  sums.longestGap = Math.max(sums.longestGap, later.longestGap)
  sums.west = Math.min(sums.west, later.west)
  sums.south = Math.min(sums.south, later.south)
  sums.east = Math.max(sums.east, later.east)
  sums.north = Math.max(sums.north, later.north)
}

export function segmentSums({ west, south, east, north, ...sums }: Sums): SegmentSums {
  const { idleTime, positions, longestGap } = sums
  return { idleTime, positions, longestGap, box: { west, south, east, north } }
}
