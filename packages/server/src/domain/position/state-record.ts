import type { CounterReading } from './counter-reading.ts'
import { packFix, unpackFix } from './fix-record.ts'
import { type FoldState, MOTIONS, type Spot } from './fold-state.ts'
import type { ObjectState } from './object-state.ts'
import { SILENCES } from './silence.ts'

export type StateNumbers = Omit<ObjectState, 'lastFix' | 'address'>

const FLAG = { moved: 1, parked: 2, running: 4 } as const
const COUNT = 42
/** Bytes of the packed numbers. */
export const STATE_NUMBERS_BYTES = COUNT * 8

/** Reused, because each packet packs a state, and a small array costs more than all that goes into it. */
const scratch = new Float64Array(COUNT)

/**
 * Packs an object's state, without its last fix and its address, into one blob: 64-bit floats,
 * little-endian, in the order below, NaN for null. A batch writes one for each of its objects.
 */
export function packNumbers(state: StateNumbers): Uint8Array {
  scratch.fill(Number.NaN)
  let end = 0
  const put = (value: number | null) => {
    if (value !== null) scratch[end] = value
    end += 1
  }
  const putSpot = (spot: Spot | null) => {
    put(spot?.time ?? null)
    put(spot?.latitude ?? null)
    put(spot?.longitude ?? null)
  }
  const putCounter = (reading: CounterReading | null) => {
    put(reading?.value ?? null)
    put(reading?.grewAt ?? null)
    put(reading?.doubted?.value ?? null)
    put(reading?.doubted?.at ?? null)
    put(reading?.before?.value ?? null)
    put(reading?.before?.grewAt ?? null)
    put(reading?.before?.droppedAt ?? null)
    put(reading?.before?.counted ?? null)
  }
  put(state.timeServer)
  put(state.timeLastIdle)
  put(state.timeLastMove)
  put(state.timeLastStop)
  const { fold } = state
  if (fold !== null) {
    put(fold.at)
    putSpot(fold.last)
    putSpot(fold.anchor)
    putSpot(fold.shown)
    putSpot(fold.suspect)
    put(fold.activeAt)
    put(fold.tripFrom)
    put(fold.odometer)
    put(fold.mileage)
    put(fold.engineHours)
    putCounter(fold.odometerReading)
    putCounter(fold.engineHoursReading)
    put(MOTIONS.indexOf(fold.motion))
    put(SILENCES.indexOf(fold.silence))
    put(fold.doubtedAt)
    const moved = fold.moved ? FLAG.moved : 0
    put(moved | (fold.parked ? FLAG.parked : 0) | (fold.running ? FLAG.running : 0))
  }
  return Buffer.copyBytesFrom(scratch)
}

export function unpackNumbers(blob: Uint8Array): StateNumbers {
  // A blob may start anywhere in its buffer, but a Float64Array only at a multiple of eight.
  const numbers = new Float64Array(new Uint8Array(blob).buffer)
  let end = 0
  const take = (): number | null => {
    const value = numbers[end++]!
    return Number.isNaN(value) ? null : value
  }
  const takeSpot = (): Spot | null => {
    const time = take()
    const [latitude, longitude] = [numbers[end++]!, numbers[end++]!]
    return time === null ? null : { time, latitude, longitude }
  }
  const takeCounter = (): CounterReading | null => {
    const [value, grewAt] = [take(), numbers[end++]!]
    const doubted = { value: numbers[end++]!, at: numbers[end++]! }
    const before = {
      value: numbers[end++]!,
      grewAt: numbers[end++]!,
      droppedAt: numbers[end++]!,
      counted: numbers[end++]!,
    }
    if (value === null) return null
    return {
      value,
      grewAt,
      doubted: Number.isNaN(doubted.at) ? null : doubted,
      before: Number.isNaN(before.droppedAt) ? null : before,
    }
  }
  const times = {
    timeServer: take(),
    timeLastIdle: take(),
    timeLastMove: take(),
    timeLastStop: take(),
  }
  const at = take()
  if (at === null) return { ...times, fold: null }
  const last = takeSpot()!
  const anchor = takeSpot()!
  const shown = takeSpot()!
  const fold: Omit<FoldState, 'moved' | 'parked' | 'running'> = {
    at,
    last,
    anchor,
    shown,
    suspect: takeSpot(),
    activeAt: take(),
    tripFrom: take(),
    odometer: take(),
    mileage: take(),
    engineHours: take(),
    odometerReading: takeCounter(),
    engineHoursReading: takeCounter(),
    motion: MOTIONS[take()!]!,
    silence: SILENCES[take()!]!,
    doubtedAt: take(),
  }
  const flags = take()!
  return {
    ...times,
    fold: {
      ...fold,
      moved: (flags & FLAG.moved) !== 0,
      parked: (flags & FLAG.parked) !== 0,
      running: (flags & FLAG.running) !== 0,
    },
  }
}

/**
 * The stored parts of a state: two records, and the address as text with the time since which it is
 * known.
 */
export type StateParts = {
  lastFix: Uint8Array | null
  numbers: Uint8Array
  address: string | null
  addressAt: number | null
}

const NO_COUNTERS = { odometer: null, mileage: null, engineHours: null }

export function packState(state: ObjectState): StateParts {
  const { lastFix, address, fold } = state
  return {
    lastFix: lastFix === null ? null : packFix(lastFix, fold ?? NO_COUNTERS),
    numbers: packNumbers(state),
    address: address?.value ?? null,
    addressAt: address?.at ?? null,
  }
}

export function unpackState({ lastFix, numbers, address, addressAt: at }: StateParts): ObjectState {
  return {
    ...unpackNumbers(numbers),
    lastFix: lastFix === null ? null : unpackFix(lastFix),
    address: address === null || at === null ? null : { value: address, at },
  }
}
