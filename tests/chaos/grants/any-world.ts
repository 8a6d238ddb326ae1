import fc from 'fast-check'
import type { Grant } from '../../../packages/server/src/base/domain/grant.ts'
import type { Attribute } from '../../../packages/server/src/base/domain/position/attribute.ts'
import { bareFix } from '../../../packages/server/src/base/domain/position/fix.ts'

/*
 * Drives of objects, grants that show parts of them, and what another world has in place of the hidden rest.
 */

export const NOW = Date.UTC(2026, 10, 20, 12)
export const MINUTE = 60_000
/** The minutes of drives, and of grants. */
export const LAST = 240
export const BEGIN = NOW - 2 * LAST * MINUTE
/** A third object is outside of all grants. */
export const OBJECTS = [1, 2, 3]
const GRANTED = [1, 2]
const NAMES = ['door', 'driver', 'fuel'] as const

/** The values of a position that no other position depends on. */
type Values = { altitude: number; fuel: number | null; driver: string | null; door: boolean | null }

const anyValues: fc.Arbitrary<Values> = fc.record({
  altitude: fc.nat(99),
  fuel: fc.option(fc.integer({ min: 1, max: 99 })),
  driver: fc.option(fc.constantFrom('Ada', 'Bo', 'Cy')),
  door: fc.option(fc.boolean()),
})

/**
 * A position each minute, or fewer, that moves in some of them. Those that come late arrive after the others. `other`: what
 * another world has in its place if it is hidden. `offset`: seconds of time, and 10^-4 degrees.
 */
const anyDrive = fc.array(
  fc.record({
    minutes: fc.integer({ min: 1, max: 9 }),
    isMoving: fc.boolean(),
    isLate: fc.boolean(),
    values: anyValues,
    other: fc.record({
      values: anyValues,
      is: fc.constantFrom('there', 'absent', 'elsewhere', 'twice'),
      offset: fc.integer({ min: -25, max: 25 }),
    }),
  }),
  { minLength: 10, maxLength: 60 },
)
type Drive = typeof anyDrive extends fc.Arbitrary<infer Value> ? Value : never

export const anyDrives = fc.array(anyDrive, {
  minLength: OBJECTS.length,
  maxLength: OBJECTS.length,
})

/** Drives without stops. Which values of a stopped object count depends on those before them. */
export const anyMovingDrives = anyDrives.map((drives) =>
  drives.map((drive) => drive.map((each) => ({ ...each, isMoving: true }))),
)

function anyGrant(
  minutes: fc.Arbitrary<number>,
  attributes: fc.Arbitrary<string[] | null>,
): fc.Arbitrary<Grant> {
  const objects = fc.option(fc.subarray(GRANTED, { minLength: 1 }), { nil: GRANTED, freq: 4 })
  return fc
    .record({ objects, from: fc.nat(LAST), minutes, isAdjacent: fc.boolean(), attributes })
    .map(({ from, minutes, isAdjacent, ...grant }) => ({
      ...grant,
      from: BEGIN + from * MINUTE,
      until: BEGIN + (from + minutes) * MINUTE - (isAdjacent ? 1 : 0),
    }))
}

export const anyGrants = fc.array(anyGrant(fc.nat(90), fc.option(fc.subarray([...NAMES]))), {
  minLength: 1,
  maxLength: 6,
})

/** Grants that show the whole of some changes of levels. */
export const anyLongGrants = fc.array(
  anyGrant(fc.integer({ min: 60, max: 200 }), fc.constant(null)),
  {
    minLength: 1,
    maxLength: 2,
  },
)

/**
 * How the hidden part of another world differs: in values that no other position depends on, a little in a level, or in the
 * positions that are far from the shown ones.
 */
export type Difference = 'none' | 'values' | 'levels' | 'positions'

/** Motion, trips and stops near the end of an interval depend on hidden positions at most so far away. */
const FAR = 30 * MINUTE

/** The positions of all objects, in the order of their times. */
export function fixesOf(
  drives: readonly Drive[],
  grants: readonly Grant[],
  difference: Difference,
) {
  return drives.flatMap((drive, index) => fixesOfOne(OBJECTS[index]!, drive, grants, difference))
}

function fixesOfOne(
  object: number,
  drive: Drive,
  grants: readonly Grant[],
  difference: Difference,
) {
  const openAt = (time: number) =>
    grants.filter(
      ({ objects, from, until }) => objects!.includes(object) && from! <= time && time <= until!,
    )
  const isNear = (time: number) =>
    grants.some(
      ({ objects, from, until }) =>
        objects!.includes(object) && from! - FAR <= time && time <= until! + FAR,
    )
  let [minute, longitude] = [0, object]
  return drive.flatMap(({ minutes, isMoving, isLate, values: own, other }, index) => {
    minute += minutes
    if (isMoving) longitude += 0.01
    const values = { ...own, fuel: own.fuel && (index % 12 < 6 ? 20 : 80) }
    const fixAt = (time: number, longitude: number) => {
      const open = openAt(time)
      const hidden = hiddenOf(values, other.values, difference)
      const attributes = NAMES.flatMap((name): Attribute[] => {
        const isOpen = open.some(({ attributes }) => attributes?.includes(name) ?? true)
        const value = (isOpen ? values : hidden)[name]
        return value === null ? [] : [{ name, value }]
      })
      const fix = {
        ...bareFix(time, NOW, 1, longitude),
        altitude: (open.length > 0 ? values : hidden).altitude,
        speed: isMoving ? 40 : 0,
        attributes: attributes.length > 0 ? attributes : null,
      }
      return { object, fix, isLate }
    }
    const time = BEGIN + minute * MINUTE
    const here = fixAt(time, longitude)
    if (difference !== 'positions' || isNear(time)) return [here]
    const [is, elsewhen] = [other.is, time + other.offset * 1_000]
    const isHidden = elsewhen !== time && !isNear(elsewhen)
    const there = isHidden
      ? [fixAt(elsewhen, longitude + (isMoving ? other.offset / 10_000 : 0))]
      : []
    if (is === 'there') return [here]
    if (is === 'absent') return []
    return is === 'twice' ? [here, ...there] : there
  })
}

function hiddenOf(own: Values, other: Values, difference: Difference): Values {
  if (difference === 'levels') return { ...own, fuel: own.fuel && own.fuel + 1 }
  return difference === 'none' ? own : other
}
