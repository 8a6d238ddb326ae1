import {
  ATTRIBUTE_DEFAULTS,
  type AttributeEntry,
} from '../../../base/domain/attributes/attribute-catalogue.ts'
import { capacityOf } from '../../../base/domain/attributes/takers.ts'
import type { Motion } from '../../../base/domain/position/fold-state.ts'

/*
 * The values of stored positions that the rules of levels take. docs/design/levels.md has the reasons and the sources.
 */

/** How a level is smoothed, and the least change of it that counts. */
export type LevelSettings = {
  /** Whole units of the level, at least 1. A rise above it is a filling, a fall above it a draining. */
  readonly threshold: number
  /** Milliseconds before and after a value over which it is smoothed. */
  readonly halfWindow: number
}

/** The share of a tank that counts as a change. Slosh, quantization and drift are shares of the tank too. */
const THRESHOLD_SHARE = 0.05

/** The change that counts if nobody knows the tank: a tenth of a van's fuel, and less than a lorry's driver notices. */
const PLAIN_THRESHOLD = 10

/**
 * The settings of a level for which nobody chose others. `capacity`: the full tank, in units of the level: 100 of a
 * percentage. Null: unknown. `unit`: the whole units of 1 (10^decimals).
 */
export function defaultLevelSettings(capacity: number | null, unit: number): LevelSettings {
  const threshold = capacity === null ? PLAIN_THRESHOLD : capacity * THRESHOLD_SHARE
  return settingsOf(threshold, ATTRIBUTE_DEFAULTS.smoothing, unit)
}

/** The settings of the level that an entry shows of an object. */
export function levelSettings(entry: AttributeEntry, object: number): LevelSettings {
  const { threshold, smoothing, decimals } = entry
  const unit = 10 ** decimals
  const byTank = defaultLevelSettings(capacityOf(entry, object), unit)
  return threshold === null
    ? { ...byTank, halfWindow: smoothing * 1_000 }
    : settingsOf(threshold, smoothing, unit)
}

function settingsOf(threshold: number, smoothing: number, unit: number): LevelSettings {
  return { threshold: Math.max(1, Math.round(threshold * unit)), halfWindow: smoothing * 1_000 }
}

/** One position of an object. Their times rise strictly. */
export type LevelRow = {
  /** Milliseconds since the epoch. */
  readonly time: number
  /** Whole units of 10^-decimals, after table, range and error values. Null: it has none. */
  readonly value: number | null
  /** `stopped`: standing with the engine off, as far as known. `idle`: standing with the engine on. */
  readonly motion: Motion | null
  /** Whether the object drove in the silence before it. */
  readonly hasDriven: boolean
}

/** A value that can be believed. */
export type Sample = {
  readonly time: number
  readonly value: number
  readonly isMoving: boolean
  /** The most that an engine may have used since the previous sample, in units of the level. */
  readonly usable: number
  /** The state of the reader before its row. */
  readonly reader: ReaderState
}

/** Everything that the reader of a later row needs to know of the earlier ones. */
export type ReaderState = {
  readonly last: Pick<LevelRow, 'time' | 'motion'> | null
  /** When the sensor is awake. */
  readonly awakeAt: number
  /** The last value before the engine stopped. Null: another one has come since. */
  readonly old: number | null
  /** As `Sample.usable`, up to the last row. */
  readonly usable: number
}

export const NO_ROWS: ReaderState = { last: null, awakeAt: 0, old: null, usable: 0 }

/**
 * The most that an object uses an hour, as a part of the threshold. A lorry of 400 l: 120 l/h moving, 10 l/h idle, 0.4
 * l/h parked. Moving and idle are generous, because nobody drains a tank then without a stop.
 */
const USED_AN_HOUR = { moving: 6, idle: 0.5, stopped: 0.02 } as const

const HOUR_MS = 3_600_000

/** After the engine starts, a sensor wakes up: it first sends 0, or what it had before. */
const WAKING_MS = 60_000

/**
 * Takes the next row of an object, and leaves out values that sensors send while their power is off or comes on. The
 * sample is null if the row has no value that can be believed.
 */
export function readRow(
  reader: ReaderState,
  row: LevelRow,
  threshold: number,
): { sample: Sample | null; next: ReaderState } {
  const { time, value, motion } = row
  const { last } = reader
  let { awakeAt, old, usable } = reader
  if (last !== null) {
    const driven = row.hasDriven ? 'moving' : (last.motion ?? 'stopped')
    usable += (threshold * USED_AN_HOUR[driven] * (time - last.time)) / HOUR_MS
    const isStarted = last.motion === 'stopped' && motion !== 'stopped' && motion !== null
    if (isStarted) awakeAt = time + WAKING_MS
  }
  let sample: Sample | null = null
  if (value !== null && time >= awakeAt) {
    const isOff = motion === 'stopped'
    const isOld = isOff && value === old
    const isUnpowered = isOld || (isOff && 8 * value <= threshold)
    old = isOff && !isOld ? null : value
    if (!isUnpowered) sample = { time, value, isMoving: motion === 'moving', usable, reader }
  }
  if (sample !== null) usable = 0
  return { sample, next: { last: { time, motion }, awakeAt, old, usable } }
}
