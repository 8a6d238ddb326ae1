import { isExpired } from '../../base/domain/organization.ts'
import type { Attribute } from '../../base/domain/position/attribute.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import type { RejectReason } from '../../base/domain/position/fold-state.ts'
import { isPrivate } from '../../base/domain/private-hours.ts'
import { rangeAt } from '../../base/domain/time/ranges.ts'
import { isWithin, type TimeRange } from '../../base/domain/time/time.ts'
import type { FoldTarget, NewFix, Reject } from './fold-tables.ts'
import { WITHHELD, type Withheld } from './rules/judge.ts'

const WRONG_CLOCK: readonly RejectReason[] = [
  'bad_time',
  'in_future',
  'implausible_past',
  'beyond_retention',
]

/** Why an object stores no fix of a moment. Everything that takes fixes asks this first. Null: it stores them. */
export function withheldAt(target: FoldTarget, time: number): Withheld | null {
  if (isPrivate(target.object, time)) return 'private'
  return isErased(target, time) ? 'erased' : null
}

/** Whether the positions of a moment were erased. */
export function isErased({ erased }: Pick<FoldTarget, 'erased'>, time: number): boolean {
  return rangeAt(erased, time) !== undefined
}

/** The same of a packet. If the clock of its device is wrong, or it is expired, its arrival counts too. */
export function withheldAs(target: FoldTarget, { fix, isClockWrong }: NewFix): Withheld | null {
  const { timeDevice, timeServer } = fix
  const hasNoTime = isClockWrong || isExpired(target.object, timeDevice, timeServer)
  return withheldAt(target, timeDevice) ?? (hasNoTime ? withheldAt(target, timeServer) : null)
}

/** The fix of a packet without the values of attributes that were erased, by the same rule. */
export function withoutErased({ erasedValues }: FoldTarget, { fix, isClockWrong }: NewFix): Fix {
  if (fix.attributes === null || erasedValues.size === 0) return fix
  const isIn = (ranges: readonly TimeRange[], time: number) => rangeAt(ranges, time) !== undefined
  return withoutValues(fix, ({ name }) => {
    const ranges = erasedValues.get(name)
    if (ranges === undefined) return false
    return isIn(ranges, fix.timeDevice) || (isClockWrong === true && isIn(ranges, fix.timeServer))
  })
}

/** A fix without some of its attributes: the same one if it has none of them. */
export function withoutValues(fix: Fix, isGone: (attribute: Attribute) => boolean): Fix {
  const kept = fix.attributes?.filter((each) => !isGone(each)) ?? []
  if (kept.length === (fix.attributes?.length ?? 0)) return fix
  return { ...fix, attributes: kept.length === 0 ? null : kept }
}

/** Whether a rejected packet that is kept is of a range, by the same rule. */
export function isOfRange(range: TimeRange, { fix, reason }: Reject): boolean {
  const isWrong = WRONG_CLOCK.includes(reason)
  return isWithin(range, fix.timeDevice) || (isWrong && isWithin(range, fix.timeServer))
}

export function isWithheld(outcome: unknown): outcome is Withheld {
  return WITHHELD.includes(outcome as Withheld)
}
