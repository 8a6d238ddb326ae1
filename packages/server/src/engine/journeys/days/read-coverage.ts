import { oneAfterAnother } from '../../../base/domain/common/slots.ts'
import type { DistanceUnit } from '../../../base/domain/organization.ts'
import { timeIn } from '../../../base/domain/position/position-columns.ts'
import { type Clock, DAY_MS, type TimeRange } from '../../../base/domain/time/time.ts'
import type { ChangeLogStore, ChangeView } from '../../store/change-log.ts'
import type {
  CoverageState,
  CoverageStore,
  KeptDay,
  RejectCount,
} from '../../store/record-store.ts'
import { type DayContent, readTouchedDays, sumDays } from './coverage-sums.ts'

/** A day of an object with positions or rejected packets. */
export type CoverageDay = {
  object: number
  day: number
  /** Null without positions. */
  content: DayContent | null
  /** Rejected packets by reason. Null: the key may not see the whole day. */
  rejected: Readonly<Record<string, number>> | null
  changedAt: number | null
}

export type CoverageQuery = {
  /** Ascending. */
  objects: readonly number[]
  /** The first and the last day. */
  from: number
  to: number
  /** Positions of an object outside of it are not shown. */
  visible(object: number): TimeRange
}

/** The days of one object. */
type CoveredDays = Pick<CoverageQuery, 'from' | 'to'> & { visible: TimeRange }

type Stores = { changeLog: Pick<ChangeLogStore, 'view'>; coverage: CoverageStore }

/** Objects whose days are looked up at once. */
const OBJECTS_AT_ONCE = 50
/** Days that one view computes: a second or so of a busy object. */
const DAYS_AT_ONCE = 31

/** Reads coverage of organizations, by object, then by day. */
export type Coverage = {
  /** Null if the organization does not exist. */
  read(organization: number, query: CoverageQuery): AsyncGenerator<CoverageDay[]>
}

/** Keeps each day until a change touches it. */
export class KeptCoverage implements Coverage {
  private readonly changeLog: Pick<ChangeLogStore, 'view'>
  private readonly coverage: CoverageStore
  private readonly clock: Pick<Clock, 'now'>
  private readonly inTurn = oneAfterAnother()

  constructor({ changeLog, coverage }: Stores, clock: Pick<Clock, 'now'>) {
    this.changeLog = changeLog
    this.coverage = coverage
    this.clock = clock
  }

  async *read(
    organization: number,
    { objects, from, to, visible: visibleOf }: CoverageQuery,
  ): AsyncGenerator<CoverageDay[]> {
    await this.advance(organization)
    for (let at = 0; at < objects.length; at += OBJECTS_AT_ONCE) {
      const some = objects.slice(at, at + OBJECTS_AT_ONCE)
      const kept = byObject(await this.coverage.days(organization, some, from, to))
      const rejects = byObject(await this.coverage.rejects(organization, some, from, to))
      const rows: CoverageDay[] = []
      for (const object of some) {
        const visible = visibleOf(object)
        const days = await this.daysOf(
          organization,
          object,
          { from, to, visible },
          kept.get(object),
        )
        addRejects(days, object, rejects.get(object) ?? [], visible)
        for (const day of [...days.keys()].sort((a, b) => a - b)) {
          const found = days.get(day)!
          rows.push({ ...found, rejected: isWhole(day, visible) ? found.rejected : null })
        }
      }
      if (rows.length > 0) yield rows
    }
  }

  /** Brings the kept days to the newest change. Of those who ask at once, one reads the log. */
  private advance(organization: number): Promise<void> {
    return this.inTurn(organization, async () => {
      while (await this.advanceStep(organization));
    })
  }

  /** Returns whether there is more. */
  private async advanceStep(organization: number): Promise<boolean> {
    const state = await this.coverage.state(organization)
    const next = await this.changeLog.view(organization, async (view) => {
      const form = formOf(view)
      const isKnown = state?.form === form && view.oldest <= state.seq + 1
      if (!isKnown) return { form, seq: view.asOf, days: 'all' as const, hasMore: false }
      if (state.seq === view.asOf) return null
      const touched = await readTouchedDays(view, state.seq)
      return { form, ...touched, hasMore: touched.seq < view.asOf }
    })
    if (next === null) return false
    const { form, seq, days, hasMore } = next
    await this.coverage.advance(organization, { form, seq }, days)
    return hasMore
  }

  /** The days of an object that have positions. */
  private async daysOf(
    organization: number,
    object: number,
    { from, to, visible }: CoveredDays,
    kept: readonly KeptDay[] = [],
  ): Promise<Map<number, CoverageDay>> {
    const known = new Map(kept.map((each) => [each.day, each]))
    const isKept = (day: number) => {
      const there = known.get(day)
      return there !== undefined && !there.isOutdated && isWhole(day, visible)
    }
    const days = new Map<number, CoverageDay>()
    const put = (day: number, content: DayContent | null) => {
      if (content === null) return
      // The newest change may have touched a part of the day that is not visible.
      const newest = isWhole(day, visible) ? known.get(day)?.changedAt : null
      const changedAt = newest ?? content.stored
      days.set(day, { object, day, content, rejected: {}, changedAt })
    }
    const last = Math.min(to, dayOf(visible.to))
    let day = Math.max(from, dayOf(visible.from))
    let isBegun = false
    while (day <= last) {
      if (isKept(day)) {
        put(day, JSON.parse(known.get(day)!.content))
        day += 1
        continue
      }
      if (!isBegun) {
        // Years before the first position need neither reading nor keeping.
        day = Math.max(day, await this.firstDay(organization, object, visible))
        isBegun = true
        continue
      }
      let end = day
      while (end < last && end + 1 < day + DAYS_AT_ONCE && !isKept(end + 1)) end += 1
      const computed = await this.compute(organization, object, { from: day, to: end, visible })
      for (const [each, content] of computed) put(each, content)
      day = end + 1
    }
    return days
  }

  /** The day of the first visible position of an object. Infinite without one. */
  private async firstDay(
    organization: number,
    object: number,
    visible: TimeRange,
  ): Promise<number> {
    const first = await this.changeLog.view(organization, (view) =>
      view.range(object, visible.from - 1, visible.to, 1),
    )
    const [columns] = first ?? []
    return columns === undefined ? Number.POSITIVE_INFINITY : dayOf(timeIn(columns, 0))
  }

  /** Computes days, and keeps those that are wholly visible and have begun. */
  private async compute(
    organization: number,
    object: number,
    { from, to, visible }: CoveredDays,
  ): Promise<Map<number, DayContent>> {
    const range = {
      from: Math.max(from * DAY_MS, visible.from),
      to: Math.min((to + 1) * DAY_MS - 1, visible.to),
    }
    let asOf: CoverageState | undefined
    const computed = await this.changeLog.view(organization, (view) => {
      asOf = { form: formOf(view), seq: view.asOf }
      return sumDays(view, object, range, view.organization.distanceUnit)
    })
    if (computed === null || asOf === undefined) return new Map()
    const days = Array.from({ length: to - from + 1 }, (_, index) => from + index)
      .filter((day) => isWhole(day, visible) && day <= dayOf(this.clock.now()))
      .map((day) => ({ object, day, content: JSON.stringify(computed.get(day) ?? null) }))
    if (days.length > 0) await this.coverage.keep(organization, asOf, days)
    return computed
  }
}

/** Adds the counts of rejected packets to the days of an object that are wholly visible. */
function addRejects(
  days: Map<number, CoverageDay>,
  object: number,
  counts: readonly RejectCount[],
  visible: TimeRange,
): void {
  for (const { day, reason, packets } of counts) {
    if (!isWhole(day, visible)) continue
    const found = days.get(day) ?? { object, day, content: null, rejected: {}, changedAt: null }
    days.set(day, { ...found, rejected: { ...found.rejected, [reason]: packets } })
  }
}

/** Everything but its positions that the content of a day depends on. */
function formOf({ epoch, organization }: Pick<ChangeView, 'epoch' | 'organization'>): string {
  const unit: DistanceUnit = organization.distanceUnit
  return `1 ${epoch} ${unit}`
}

function isWhole(day: number, { from, to }: TimeRange): boolean {
  return from <= day * DAY_MS && (day + 1) * DAY_MS - 1 <= to
}

function dayOf(time: number): number {
  return Math.floor(time / DAY_MS)
}

function byObject<Each extends { object: number }>(all: readonly Each[]): Map<number, Each[]> {
  return Map.groupBy(all, ({ object }) => object)
}
