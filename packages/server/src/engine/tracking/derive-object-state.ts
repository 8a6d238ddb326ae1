import type { AttributeValue } from '../../base/domain/position/attribute.ts'
import { sameNames } from '../../base/domain/position/attribute-section.ts'
import {
  type CurrentAttribute,
  type CurrentAttributes,
  withoutStored,
  withStored,
  withValue,
} from '../../base/domain/position/current-attributes.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import type { FoldState, Motion, Spot, Step } from '../../base/domain/position/fold-state.ts'
import type { Dated, ObjectState } from '../../base/domain/position/object-state.ts'
import { rangeAt } from '../../base/domain/time/ranges.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import type { FindFoldTarget, FoldTarget, Positions } from './fold-tables.ts'
import type { RefoldResult } from './refold-after.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import { withheldAt } from './withheld.ts'
import { DAMAGED, unlessDamaged, type Work } from './work.ts'

/*
 * This file derives the state of an object: after a fix, after a fold of stored positions, and the fold state at a
 * stored position.
 */

/** The state of an object after a fix that is newer than all before. */
export function afterInOrder(state: ObjectState, fix: Fix, { fold }: Step): ObjectState {
  const { motion } = fold
  const { timeDevice: at, address, attributes } = fix
  return {
    // The history shows a suspect fix, but the object's place does not jump there.
    lastFix: fold.last.time === at ? shownFix(fix) : state.lastFix,
    timeServer: later(state.timeServer, fix.timeServer),
    timeLastIdle: motion === 'idle' ? at : state.timeLastIdle,
    timeLastMove: motion === 'moving' ? at : state.timeLastMove,
    timeLastStop: motion === 'stopped' ? at : state.timeLastStop,
    address: address === null ? state.address : newer(state.address, { value: address, at }),
    fold,
    attributes:
      attributes === null ? state.attributes : withStored(state.attributes, attributes, at),
  }
}

/**
 * The state after a packet that only shows that the object is alive. Returns the same state if nothing
 * changed.
 */
export function withContact(state: ObjectState, timeServer: number): ObjectState {
  const newest = later(state.timeServer, timeServer)
  return newest === state.timeServer ? state : { ...state, timeServer: newest }
}

/** The fold state after a late fix has added `shift` to all later counters. */
function shifted(
  fold: FoldState,
  shift: { from: number; odometer: number; mileage: number; engineHours: number },
): FoldState {
  // A sum is below zero only while a fold is unfinished. The rest of the fold corrects it.
  const plus = (value: number | null, by: number) =>
    value === null ? null : Math.max(0, value + by)
  const isTripShifted = fold.tripFrom === null || fold.tripFrom < shift.from
  return {
    ...fold,
    odometer: plus(fold.odometer, shift.odometer),
    mileage: isTripShifted ? plus(fold.mileage, shift.mileage) : fold.mileage,
    engineHours: plus(fold.engineHours, shift.engineHours),
  }
}

/** The field of the state that holds the last time of each motion. */
const TIME_FIELD = {
  moving: 'timeLastMove',
  idle: 'timeLastIdle',
  stopped: 'timeLastStop',
} as const satisfies Record<Motion, keyof ObjectState>

/** The fix as a state keeps it, without the device's own counters and its attributes. */
export function shownFix(fix: Fix): Fix {
  if (fix.engineHours === null && fix.odometer === null && fix.attributes === null) return fix
  return { ...fix, engineHours: null, odometer: null, attributes: null }
}

export function newer<T>(existing: Dated<T> | null, incoming: Dated<T>): Dated<T> {
  return existing !== null && existing.at > incoming.at ? existing : incoming
}

function later(a: number | null, b: number): number {
  return a === null || b > a ? b : a
}

type Refolded = Pick<RefoldResult, 'fold' | 'shift' | 'turned'>

/**
 * The state of an object after some of its positions have changed. `gone`: those whose fixes were replaced. `incoming`: the
 * fix that replaced one, or came between others. If positions that it needs are damaged, only the fold changes.
 */
export function* stateAfterRefold(
  positions: Positions,
  owned: Owned,
  state: ObjectState,
  refolded: Refolded,
  gone: readonly StoredPosition[],
  incoming: Fix | null,
): Work<ObjectState> {
  const fold = foldAfter(state, refolded)
  const read = yield* unlessDamaged(() =>
    changedParts(positions, owned, { ...state, fold }, refolded.turned, gone, incoming),
  )
  return { ...state, ...(read === DAMAGED ? {} : read), fold }
}

/**
 * The state of an object after some of its positions were removed. Throws `UnreadablePositions`: a state must not keep what
 * it has of them.
 */
export function* stateWithout(
  positions: Positions,
  owned: Owned,
  state: ObjectState,
  refolded: Refolded,
  gone: readonly StoredPosition[],
): Work<ObjectState> {
  const fold = foldAfter(state, refolded)
  const { turned } = refolded
  const changed = changedParts(positions, owned, { ...state, fold }, turned, gone, null)
  return { ...state, ...(yield* changed), fold }
}

function foldAfter(state: ObjectState, { fold, shift }: Refolded): FoldState {
  return fold ?? (shift === null ? state.fold! : shifted(state.fold!, shift))
}

function* changedParts(
  positions: Positions,
  owned: Owned,
  state: ObjectState & { fold: FoldState },
  turned: RefoldResult['turned'],
  gone: readonly StoredPosition[],
  incoming: Fix | null,
): Work<Partial<ObjectState>> {
  return {
    ...(yield* lastTimes(positions, owned, state, turned)),
    address: yield* addressAfter(positions, owned, state, gone, incoming),
    lastFix: yield* lastFixAfter(positions, owned, state, state.fold, gone),
    attributes: yield* attributesAfter(positions, owned, state, gone, incoming),
  }
}

function* lastFixAfter(
  positions: Positions,
  owned: Owned,
  { lastFix }: ObjectState,
  fold: FoldState,
  gone: readonly StoredPosition[],
): Work<Fix | null> {
  const { time } = fold.last
  if (lastFix?.timeDevice === time && !gone.some(({ fix }) => fix.timeDevice === time))
    return lastFix
  const last = yield* positions.at(owned, time)
  return shownFix(last!.fix)
}

/**
 * If the position that gave a motion its last time no longer has that motion, finds the newest position that has it.
 */
function* lastTimes(
  positions: Positions,
  owned: Owned,
  state: ObjectState,
  turned: RefoldResult['turned'],
): Work<Partial<ObjectState>> {
  const times: { -readonly [Field in keyof ObjectState]?: number | null } = {}
  for (const motion of ['moving', 'idle', 'stopped'] as const) {
    const field = TIME_FIELD[motion]
    const gone = turned.some(({ at, is }) => at === state[field] && is !== motion)
    if (gone) {
      const newest = yield* positions.newest(owned, ({ rowFold }) => rowFold.motion === motion)
      times[field] = newest?.fix.timeDevice ?? null
      continue
    }
    let time = state[field]
    for (const { at, is } of turned) if (is === motion) time = later(time, at)
    times[field] = time
  }
  return times as Partial<ObjectState>
}

function* addressAfter(
  positions: Positions,
  owned: Owned,
  { address }: ObjectState,
  gone: readonly StoredPosition[],
  incoming: Fix | null,
): Work<ObjectState['address']> {
  const isGone = gone.some(({ fix }) => fix.address !== null && address?.at === fix.timeDevice)
  if (isGone) {
    const newest = yield* positions.newest(owned, ({ fix }) => fix.address !== null)
    return newest === null ? null : { value: newest.fix.address!, at: newest.fix.timeDevice }
  }
  if (incoming === null || incoming.address === null) return address
  return newer(address, { value: incoming.address, at: incoming.timeDevice })
}

/** The state has the names of both fixes. */
function* attributesAfter(
  positions: Positions,
  owned: Owned,
  { attributes: current }: ObjectState,
  gone: readonly StoredPosition[],
  incoming: Fix | null,
): Work<CurrentAttributes> {
  const brought = incoming?.attributes ?? null
  const without = withoutAll(current, gone)
  const next = brought === null ? without : withStored(without, brought, incoming!.timeDevice)
  const missing = new Set<string>()
  for (const [place, has] of next.entries()) {
    const [had, left] = [current[place], without[place]]
    if (had !== undefined && has.count > 0 && isLost(had, left!, has)) missing.add(has.name)
  }
  return missing.size === 0 ? next : yield* withNewest(positions, owned, next, missing)
}

/** Whether a name lost one of its two values with fixes that are gone, and no other fix brought the same. */
function isLost(had: CurrentAttribute, left: CurrentAttribute, has: CurrentAttribute): boolean {
  const isWhole = left.value === had.value && left.other === had.other
  if (had.value === null || isWhole) return false
  const isSame = (a?: { value: unknown; at: number }, b?: { value: unknown; at: number }) =>
    a?.value === b?.value && a?.at === b?.at
  return !(isSame(had, has) && isSame(had.other, has.other))
}

/** The current attributes after positions were replaced or removed. */
export function withoutAll(
  current: CurrentAttributes,
  gone: readonly StoredPosition[],
): CurrentAttributes {
  return gone.reduce(
    (left, { fix }) => withoutStored(left, fix.attributes, fix.timeDevice),
    current,
  )
}

/**
 * The current attributes of an object after values of one were taken from `count` of its positions. Those of all these
 * ranges are gone from it, also while some are left in positions. If older positions are damaged, none of their values is found.
 */
export function* withoutErasedValues(
  positions: Positions,
  owned: Owned,
  current: CurrentAttributes,
  name: string,
  ranges: readonly TimeRange[],
  count: number,
): Work<CurrentAttributes> {
  const isErased = (time: number) => rangeAt(ranges, time) !== undefined
  const known = current.find((each) => each.name === name)
  if (known === undefined) return current
  const { other, ...newest } = { ...known, count: Math.max(known.count - count, 0) }
  const isGone = newest.value !== null && isErased(newest.at)
  const isOtherGone = other !== undefined && isErased(other.at)
  if (count === 0 && !isGone && !isOtherGone) return current
  const kept = isGone ? { ...newest, value: null, at: 0 } : newest
  const left = other === undefined || isOtherGone ? kept : { ...kept, other }
  const next = sameNames(
    current,
    current.map((each) => (each === known ? left : each)),
  )
  if (!isGone && !isOtherGone) return next
  const since = isGone ? known.at : other!.at
  const found = yield* unlessDamaged(() => withOlder(positions, owned, left, ranges, since))
  if (found === DAMAGED) return next
  return next.map((each) => (each === left ? found : each))
}

/**
 * One transaction reads this many positions for older values, because it must be short. It finds
 * none of those before them.
 */
const READ_FOR_OLDER = 10_000

/** A name with its newest two values before a moment, without those of these ranges, which are not read. */
function* withOlder(
  positions: Positions,
  owned: Owned,
  known: CurrentAttribute,
  ranges: readonly TimeRange[],
  since: number,
): Work<CurrentAttribute> {
  let found = known
  const seen = new Set<AttributeValue>()
  for (let [end, read] = [since, 0]; seen.size < 2 && read < READ_FOR_OLDER; read += 1) {
    const next = yield* positions.before(owned, rangeAt(ranges, end - 1)?.from ?? end)
    if (next === null) break
    end = next.fix.timeDevice
    if (rangeAt(ranges, end) !== undefined) continue
    const has = next.fix.attributes?.find(({ name }) => name === known.name)
    if (has === undefined) continue
    seen.add(has.value)
    found = withValue(found, has.value, end)
  }
  return found
}

/** Finds the newest positions with each of these names, until it has two values or there are no older ones. */
function* withNewest(
  positions: Positions,
  owned: Owned,
  current: CurrentAttributes,
  missing: Set<string>,
): Work<CurrentAttributes> {
  const found = new Map(current.map((each) => [each.name, each]))
  const seen = new Map<string, AttributeValue>()
  yield* positions.newest(owned, ({ fix }) => {
    for (const { name, value } of fix.attributes ?? []) {
      if (!missing.has(name)) continue
      found.set(name, withValue(found.get(name)!, value, fix.timeDevice))
      const first = seen.get(name)
      if (first === undefined) seen.set(name, value)
      else if (first !== value) missing.delete(name)
    }
    return missing.size === 0
  })
  return current.map(({ name }) => found.get(name)!)
}

/** The fold state at a stored position. */
export function* foldStateAt(
  positions: Positions,
  owned: Owned,
  position: StoredPosition,
): Work<FoldState> {
  const { fix, counters, rowFold } = position
  const here = spotOf(fix)
  const { lastAt, anchorAt, shownAt } = rowFold
  const believed = lastAt === here.time ? position : yield* positions.at(owned, lastAt)
  const last = believed === position ? here : spotOf((believed ?? position).fix)
  return {
    at: here.time,
    last,
    lastSpeed: (believed ?? position).fix.speed,
    before: yield* believedBefore(positions, owned, believed ?? position),
    repeats: rowFold.repeats,
    start: yield* keptSpotAt(positions, owned, rowFold.startAt),
    origin: yield* keptSpotAt(positions, owned, rowFold.originAt),
    anchor: anchorAt === lastAt ? last : yield* spotAt(positions, owned, anchorAt, here),
    shown: shownAt === lastAt ? last : yield* spotAt(positions, owned, shownAt, here),
    suspect: rowFold.suspect ? here : null,
    suspectSpeed: rowFold.suspect ? fix.speed : null,
    group: rowFold.group,
    joins: rowFold.joins,
    motion: rowFold.motion,
    moved: rowFold.moved,
    parked: rowFold.parked,
    running: rowFold.running,
    silence: rowFold.silence,
    doubtedAt: rowFold.doubtedAt,
    activeAt: rowFold.activeAt,
    tripFrom: rowFold.tripFrom,
    ...counters,
    odometerReading: rowFold.odometerReading,
    engineHoursReading: rowFold.engineHoursReading,
  }
}

/** The believed position before a believed one, which no row names: it is in the row before. */
function* believedBefore(
  positions: Positions,
  owned: Owned,
  { fix, rowFold }: StoredPosition,
): Work<Spot | null> {
  const previous = yield* positions.before(owned, fix.timeDevice)
  if (previous === null) return null
  const { lastAt } = previous.rowFold
  const isBelieved = rowFold.joins || lastAt === previous.fix.timeDevice
  return isBelieved ? spotOf(previous.fix) : yield* keptSpotAt(positions, owned, lastAt)
}

/** Null: the fold state does not point at any position, or retention has removed it. */
function* keptSpotAt(positions: Positions, owned: Owned, time: number | null): Work<Spot | null> {
  const pointed = time === null ? null : yield* positions.at(owned, time)
  return pointed && spotOf(pointed.fix)
}

/** Retention may have removed the position that the fold state points at. */
function* spotAt(positions: Positions, owned: Owned, time: number, here: Spot): Work<Spot> {
  if (time === here.time) return here
  const pointed = yield* positions.at(owned, time)
  return pointed === null ? here : spotOf(pointed.fix)
}

function spotOf({ timeDevice, latitude, longitude }: Fix): Spot {
  return { time: timeDevice, latitude, longitude }
}

/** The objects whose newest known address changes, by id. Each keeps the later of its two addresses. */
export function takeAddresses(
  find: FindFoldTarget,
  addresses: ReadonlyMap<number, Dated<string>>,
): Map<number, FoldTarget> {
  const touched = new Map<number, FoldTarget>()
  for (const [id, incoming] of addresses) {
    const existing = find(id)
    if (existing === null || newer(existing.state.address, incoming) !== incoming) continue
    if (withheldAt(existing, incoming.at) !== null) continue
    touched.set(id, { ...existing, state: { ...existing.state, address: incoming } })
  }
  return touched
}
