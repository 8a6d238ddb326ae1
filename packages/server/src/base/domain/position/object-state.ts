import { NumberReader, NumberWriter } from '../common/packed-numbers.ts'
import type { Language } from '../organization.ts'
import { HOUR_MS } from '../time/time.ts'
import {
  type CurrentAttributes,
  NO_ATTRIBUTES,
  packCurrent,
  unpackCurrent,
} from './current-attributes.ts'
import type { Fix } from './fix.ts'
import { COORDINATE_SCALE, MICRO, packFix, scaled, unpackFix } from './fix-record.ts'
import {
  type CounterReading,
  type FoldState,
  MOTIONS,
  type Motion,
  SILENCES,
  type Spot,
} from './fold-state.ts'

/** A value with the device time of the fix that brought it, in milliseconds since the epoch. */
export type Dated<T> = { value: T; at: number }

/**
 * The current state of an object. Apart from `timeServer`, it is a fold over the object's fixes in the
 * order of their device times, so the order of arrival does not matter.
 */
export type ObjectState = {
  /** The newest believed fix, without attributes. The history may hide it. */
  readonly lastFix: Fix | null
  /** When the last packet came, in milliseconds since the epoch. */
  readonly timeServer: number | null
  readonly timeLastIdle: number | null
  readonly timeLastMove: number | null
  readonly timeLastStop: number | null
  readonly address: Dated<string> | null
  /** The fold state at the newest fix, including the counters. */
  readonly fold: FoldState | null
  /** Their places are the indexes in the records of the object's positions. */
  readonly attributes: CurrentAttributes
}

/** The state of an object that has never reported. */
export const UNSEEN: ObjectState = Object.freeze({
  lastFix: null,
  timeServer: null,
  timeLastIdle: null,
  timeLastMove: null,
  timeLastStop: null,
  address: null,
  fold: null,
  attributes: NO_ATTRIBUTES,
})

/**
 * The moment at which values are current: the time of the newest position of the object, and the last one at which it was parked
 * with the ignition off. Null: it never did, or its devices do not say.
 */
export type CurrentMoment = { readonly newest: number; readonly offAt: number | null }

/** The current attributes of an object at a moment. */
export type AttributesAt = { readonly attributes: CurrentAttributes } & CurrentMoment

/** The current attributes of an object. Its device says nothing of an ignition that it does not have. */
export function attributesNow(state: ObjectState): AttributesAt {
  const { attributes, fold, lastFix, timeLastStop } = state
  const hasIgnition = lastFix !== null && lastFix.ignition !== null
  return { attributes, newest: fold?.at ?? 0, offAt: hasIgnition ? timeLastStop : null }
}

/** How an object moves at present. Null: its packets do not show it. */
export type CurrentMotion = Motion | 'no_signal' | null

/**
 * When an object last gave a sign of life, in milliseconds since the epoch: the arrival of its packet, or
 * the packet's own time if it came late or by an import. Null: never.
 */
export function lastSignal({ timeServer, lastFix }: ObjectState): number | null {
  if (timeServer === null || lastFix === null) return timeServer
  return Math.min(timeServer, lastFix.timeDevice)
}

/** The last moment at which an object still has a signal, unless another packet comes. -Infinity: it never had one. */
export function signalUntil(state: ObjectState, timeoutHours: number): number {
  const signal = lastSignal(state)
  return signal === null ? Number.NEGATIVE_INFINITY : signal + timeoutHours * HOUR_MS
}

/** Since when an object has had no signal. Null: it has one, or never had one. */
export function objectWithoutSignalSince(
  state: ObjectState,
  now: number,
  timeoutHours: number,
): number | null {
  return signalUntil(state, timeoutHours) < now ? lastSignal(state) : null
}

/** The motion of an object as of `now`. Without a signal in the last `timeoutHours` it has `no_signal`. */
export function motionAt(state: ObjectState, now: number, timeoutHours: number): CurrentMotion {
  return signalUntil(state, timeoutHours) < now ? 'no_signal' : (state.fold?.motion ?? null)
}

/** The address of a point (degrees, WGS 84), or null where none is known. */
export type AddressAt = (latitude: number, longitude: number) => string | null

/**
 * Addresses that are known without asking anybody, for positions that are read. The function is fastest for
 * positions next to each other, as a vehicle sends them. Never rejects.
 */
export type KnownAddresses = (language: Language) => Promise<AddressAt>

export const nothingKnown: AddressAt = () => null

export type StateNumbers = Omit<ObjectState, 'lastFix' | 'address' | 'attributes'>

const FLAG = {
  moved: 1,
  parked: 2,
  running: 4,
  /** The speed and the believed fix before the last one follow, and what the next flags name. Not set by version 1 of the rules. */
  more: 8,
  joins: 16,
  repeats: 32,
  group: 64,
  start: 128,
  origin: 256,
} as const

/**
 * Packs the numbers of an object's state into one blob of whole numbers. Times are distances from
 * the newest fix, and spots from the last one, so most numbers take one to three bytes. Each packet packs a state.
 */
export function packNumbers(state: StateNumbers): Uint8Array {
  const out = new NumberWriter()
  const { fold } = state
  out.optional(fold?.at ?? null)
  const putTime = (time: number | null) =>
    out.optional(time === null ? null : time - (fold?.at ?? 0))
  const putSpot = (spot: Spot | null, from: Coordinates) => {
    putTime(spot?.time ?? null)
    if (spot === null) return
    out.signed(scaled(spot.latitude, COORDINATE_SCALE) - from.latitude)
    out.signed(scaled(spot.longitude, COORDINATE_SCALE) - from.longitude)
  }
  const putSpeed = (speed: number | null) =>
    out.optional(speed === null ? null : scaled(speed, MICRO))
  const putCounter = (reading: CounterReading | null) => {
    out.optional(reading?.value ?? null)
    if (reading === null) return
    const { grewAt, doubted, before } = reading
    putTime(grewAt)
    putTime(doubted?.at ?? null)
    if (doubted !== null) out.signed(doubted.value)
    putTime(before?.droppedAt ?? null)
    if (before === null) return
    putTime(before.grewAt)
    out.signed(before.value)
    out.signed(before.counted)
  }
  putTime(state.timeServer)
  putTime(state.timeLastIdle)
  putTime(state.timeLastMove)
  putTime(state.timeLastStop)
  if (fold !== null) {
    const last = coordinatesOf(fold.last)
    putSpot(fold.last, ORIGIN)
    putSpot(fold.anchor, last)
    putSpot(fold.shown, last)
    putSpot(fold.suspect, last)
    putTime(fold.activeAt)
    putTime(fold.tripFrom)
    putTime(fold.doubtedAt)
    out.optional(fold.odometer)
    out.optional(fold.mileage)
    out.optional(fold.engineHours)
    putCounter(fold.odometerReading)
    putCounter(fold.engineHoursReading)
    out.unsigned(MOTIONS.indexOf(fold.motion))
    out.unsigned(SILENCES.indexOf(fold.silence))
    out.unsigned(flagsOf(fold))
    putSpeed(fold.lastSpeed)
    putSpot(fold.before, last)
    if (fold.start !== null) putSpot(fold.start, last)
    if (fold.origin !== null) putSpot(fold.origin, last)
    if (fold.suspect !== null) putSpeed(fold.suspectSpeed)
    if (fold.repeats !== null) {
      putTime(fold.repeats.since)
      putTime(fold.repeats.speedSince)
    }
    if (fold.group !== null) {
      putTime(fold.group.since)
      out.unsigned(fold.group.count)
    }
  }
  return out.bytes()
}

function flagsOf(fold: FoldState): number {
  const { moved, parked, running, joins, repeats, group, start, origin } = fold
  return (
    FLAG.more |
    (moved ? FLAG.moved : 0) |
    (parked ? FLAG.parked : 0) |
    (running ? FLAG.running : 0) |
    (joins ? FLAG.joins : 0) |
    (repeats === null ? 0 : FLAG.repeats) |
    (group === null ? 0 : FLAG.group) |
    (start === null ? 0 : FLAG.start) |
    (origin === null ? 0 : FLAG.origin)
  )
}

/** Coordinates in the scale of records. */
type Coordinates = { latitude: number; longitude: number }

const ORIGIN: Coordinates = { latitude: 0, longitude: 0 }

function coordinatesOf({ latitude, longitude }: Spot): Coordinates {
  return {
    latitude: scaled(latitude, COORDINATE_SCALE),
    longitude: scaled(longitude, COORDINATE_SCALE),
  }
}

export function unpackNumbers(blob: Uint8Array): StateNumbers {
  const input = new NumberReader(blob)
  const at = input.optional()
  const takeTime = () => {
    const far = input.optional()
    return far === null ? null : far + (at ?? 0)
  }
  const takeSpot = (from: Coordinates): Spot | null => {
    const time = takeTime()
    if (time === null) return null
    const latitude = (input.signed() + from.latitude) / COORDINATE_SCALE
    return { time, latitude, longitude: (input.signed() + from.longitude) / COORDINATE_SCALE }
  }
  const takeSpeed = () => {
    const speed = input.optional()
    return speed === null ? null : speed / MICRO
  }
  const takeCounter = (): CounterReading | null => {
    const value = input.optional()
    if (value === null) return null
    const grewAt = takeTime()!
    const doubtedAt = takeTime()
    const doubted = doubtedAt === null ? null : { value: input.signed(), at: doubtedAt }
    const droppedAt = takeTime()
    if (droppedAt === null) return { value, grewAt, doubted, before: null }
    const before = { droppedAt, grewAt: takeTime()!, value: input.signed() }
    return { value, grewAt, doubted, before: { ...before, counted: input.signed() } }
  }
  const times = {
    timeServer: takeTime(),
    timeLastIdle: takeTime(),
    timeLastMove: takeTime(),
    timeLastStop: takeTime(),
  }
  if (at === null) return { ...times, fold: null }
  const last = takeSpot(ORIGIN)!
  const from = coordinatesOf(last)
  const fold: Omit<FoldState, keyof typeof FLAG | 'lastSpeed' | 'before' | 'suspectSpeed'> = {
    at,
    last,
    anchor: takeSpot(from)!,
    shown: takeSpot(from)!,
    suspect: takeSpot(from),
    activeAt: takeTime(),
    tripFrom: takeTime(),
    doubtedAt: takeTime(),
    odometer: input.optional(),
    mileage: input.optional(),
    engineHours: input.optional(),
    odometerReading: takeCounter(),
    engineHoursReading: takeCounter(),
    motion: MOTIONS[input.unsigned()]!,
    silence: SILENCES[input.unsigned()]!,
  }
  const flags = input.unsigned()
  return {
    ...times,
    fold: {
      ...fold,
      moved: (flags & FLAG.moved) !== 0,
      parked: (flags & FLAG.parked) !== 0,
      running: (flags & FLAG.running) !== 0,
      joins: (flags & FLAG.joins) !== 0,
      lastSpeed: (flags & FLAG.more) === 0 ? null : takeSpeed(),
      before: (flags & FLAG.more) === 0 ? null : takeSpot(from),
      start: (flags & FLAG.start) === 0 ? null : takeSpot(from),
      origin: (flags & FLAG.origin) === 0 ? null : takeSpot(from),
      suspectSpeed: (flags & FLAG.more) === 0 || fold.suspect === null ? null : takeSpeed(),
      repeats: (flags & FLAG.repeats) === 0 ? null : { since: takeTime()!, speedSince: takeTime() },
      group: (flags & FLAG.group) === 0 ? null : { since: takeTime()!, count: input.unsigned() },
    },
  }
}

/**
 * The stored parts of a state: two records, the address as text with the time since which it is known, and the attributes,
 * null for an object without.
 */
export type StateParts = {
  lastFix: Uint8Array | null
  numbers: Uint8Array
  address: string | null
  addressAt: number | null
  attributes: Uint8Array | null
}

const NO_COUNTERS = { odometer: null, mileage: null, engineHours: null }

export function packState(state: ObjectState): StateParts {
  const { lastFix, address, fold, attributes } = state
  return {
    lastFix: lastFix === null ? null : packFix(lastFix, fold ?? NO_COUNTERS),
    numbers: packNumbers(state),
    address: address?.value ?? null,
    addressAt: address?.at ?? null,
    attributes: packCurrent(attributes),
  }
}

export function unpackState(parts: StateParts): ObjectState {
  const { lastFix, numbers, address, addressAt: at, attributes } = parts
  return {
    ...unpackNumbers(numbers),
    lastFix: lastFix === null ? null : unpackFix(lastFix),
    address: address === null || at === null ? null : { value: address, at },
    attributes: unpackCurrent(attributes),
  }
}
