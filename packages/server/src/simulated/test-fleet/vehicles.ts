import type { Attribute } from '../../domain/attributes/attribute.ts'
import { bareFix } from '../../domain/position/fix.ts'
import { DAY_MS, MINUTE_MS } from '../../domain/time/time.ts'
import type { NewFix } from '../../tracking/outcome.ts'
import { attributesOf } from '../attributes.ts'
import { ROUND_MS, type Spot, sinceDepot, spotAt } from './round.ts'

/** The packets of the simulated vehicles: a function of the time alone. */

/** Packets arrive at multiples of this time. */
export const TICK_MS = 15_000
const EVERY_MS = 30_000

/** The ids of the objects, by what is special about them. */
export const OBJECT = {
  frequent: 1,
  second: 2,
  silent: 3,
  late: 4,
  gap: 5,
  corrected: 6,
  comesBack: 7,
} as const

/** A packet is sent again with other values this long after the wrong one. */
const CORRECTED_AFTER_MS = MINUTE_MS
/** The wrong packet of each round is taken this long after its start, and lies this far north. */
const WRONG_AT_MS = 6 * MINUTE_MS
const WRONG_BY_DEGREES = 0.003
/** Packets that are held back arrive this long after they were taken. */
const DELAY_MS = 61 * MINUTE_MS

/** All packets that arrive at a tick, by object. */
export function packetsAt(tick: number): NewFix[] {
  return [
    ...(isDriving(OBJECT.frequent, tick)
      ? [taken(OBJECT.frequent, tick)]
      : steady(OBJECT.frequent, tick)),
    ...steady(OBJECT.second, tick),
    ...late(tick),
    ...(isInGap(tick) ? [] : steady(OBJECT.gap, tick)),
    ...corrected(tick),
    ...(isGone(tick) ? [] : steady(OBJECT.comesBack, tick)),
  ]
}

/** Whether the object that is deleted and comes back is deleted: in the last two of each ten minutes. */
export function isGone(tick: number): boolean {
  return minuteIn(10, tick) >= 8
}

function steady(object: number, tick: number): NewFix[] {
  return isDue(object, tick) ? [taken(object, tick)] : []
}

/** The packets of the sixth of each ten minutes are held back. */
function late(tick: number): NewFix[] {
  const isHeldBack = (time: number) => minuteIn(10, time) === 5
  const delayed = tick - DELAY_MS
  const now = isHeldBack(tick) ? [] : steady(OBJECT.late, tick)
  if (!isHeldBack(delayed) || !isDue(OBJECT.late, delayed)) return now
  return [taken(OBJECT.late, delayed, tick), ...now]
}

/** Twenty minutes of each hour are lost. */
function isInGap(tick: number): boolean {
  const minute = minuteIn(60, tick)
  return minute >= 20 && minute < 40
}

/** One packet of each round has a wrong place. The right one has a better HDOP, so it replaces the wrong one. */
function corrected(tick: number): NewFix[] {
  const isWrong = (time: number) => sinceDepot(time, aheadOf(OBJECT.corrected)) === WRONG_AT_MS
  const now = steady(OBJECT.corrected, tick)
  if (isWrong(tick)) return now.map(misplaced)
  const earlier = tick - CORRECTED_AFTER_MS
  return isWrong(earlier) ? [taken(OBJECT.corrected, earlier, tick), ...now] : now
}

function misplaced({ object, fix }: NewFix): NewFix {
  return { object, fix: { ...fix, latitude: fix.latitude + WRONG_BY_DEGREES, hdop: 4 } }
}

function taken(object: number, time: number, arrival = time): NewFix {
  const spot = spotAt(time, aheadOf(object))
  const quality = { hdop: 0.8, gpsLevel: 12 }
  return {
    object,
    fix: {
      ...bareFix(time, arrival, spot.latitude, spot.longitude),
      ...{ ...spot, ...quality, altitude: 200 },
      attributes: onBoard(object, time, spot),
    },
  }
}

/** A tank for the 72 rounds of a day. The second van is refrigerated: it is coldest when its engine has run longest. */
function onBoard(object: number, time: number, { ignition, odometer }: Spot): Attribute[] {
  const values = {
    fuelLevel: Number((98 - 72 * ((time % DAY_MS) / DAY_MS)).toFixed(1)),
    battery: ignition ? 13.8 : 12.6,
    driverUniqueId: `Driver ${object}`,
  }
  if (object !== OBJECT.second) return attributesOf(values)
  return attributesOf({ ...values, temp1: Number((-17 - (odometer % 6) / 2).toFixed(1)) })
}

function isDriving(object: number, time: number): boolean {
  return spotAt(time, aheadOf(object)).speed > 0
}

/** The vehicles are spread over the round, so that one of them always drives. */
function aheadOf(object: number): number {
  return ((object - 1) * ROUND_MS) / 8
}

/** Twice a minute. Half of the vehicles report between the others. */
function isDue(object: number, time: number): boolean {
  return (time + (object % 2) * TICK_MS) % EVERY_MS === 0
}

/** The minute of the UTC day, counted in groups of some minutes. */
function minuteIn(minutes: number, time: number): number {
  return Math.floor((time % DAY_MS) / MINUTE_MS) % minutes
}
