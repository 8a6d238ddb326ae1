import { packFix, unpackFix } from './fix-record.ts'
import type { ObjectState } from './object-state.ts'
import type { Motion, Spot, Track } from './track.ts'

export type StateNumbers = Omit<ObjectState, 'lastFix' | 'address'>

const MOTIONS: readonly (Motion | null)[] = [null, 'stopped', 'idle', 'moving']
const FLAG = { moved: 1, parked: 2, running: 4 } as const
const COUNT = 26

/**
 * Packs an object's state, without its last fix and its address, into one blob: 64-bit floats,
 * little-endian, in the order below, NaN for null. A batch writes one for each of its objects.
 */
export function packNumbers(state: StateNumbers): Uint8Array {
  const numbers = new Float64Array(COUNT).fill(Number.NaN)
  let end = 0
  const put = (value: number | null) => {
    if (value !== null) numbers[end] = value
    end += 1
  }
  const putSpot = (spot: Spot | null) => {
    if (spot !== null) numbers.set([spot.time, spot.latitude, spot.longitude], end)
    end += 3
  }
  put(state.timeServer)
  put(state.timeLastIdle)
  put(state.timeLastMove)
  put(state.timeLastStop)
  const { track } = state
  if (track !== null) {
    put(track.at)
    putSpot(track.last)
    putSpot(track.anchor)
    putSpot(track.shown)
    putSpot(track.suspect)
    put(track.activeAt)
    put(track.tripFrom)
    put(track.odometer)
    put(track.mileage)
    put(track.engineHours)
    put(track.odometerReading)
    put(track.engineHoursReading)
    put(MOTIONS.indexOf(track.motion))
    const moved = track.moved ? FLAG.moved : 0
    put(moved | (track.parked ? FLAG.parked : 0) | (track.running ? FLAG.running : 0))
  }
  return new Uint8Array(numbers.buffer)
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
  const times = {
    timeServer: take(),
    timeLastIdle: take(),
    timeLastMove: take(),
    timeLastStop: take(),
  }
  const at = take()
  if (at === null) return { ...times, track: null }
  const last = takeSpot()!
  const anchor = takeSpot()!
  const shown = takeSpot()!
  const track: Omit<Track, 'moved' | 'parked' | 'running'> = {
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
    odometerReading: take(),
    engineHoursReading: take(),
    motion: MOTIONS[take()!]!,
  }
  const flags = take()!
  return {
    ...times,
    track: {
      ...track,
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
  const { lastFix, address, track } = state
  return {
    lastFix: lastFix === null ? null : packFix(lastFix, track ?? NO_COUNTERS),
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
