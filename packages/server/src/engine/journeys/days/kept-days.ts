import type { ReaderView } from '../../store/change-log.ts'
import { RowReader } from '../row-reader.ts'
import { readTouched, startOf } from '../task-list.ts'
import type { ObjectDay } from './day-totals.ts'
import { type DaysSelection, readDays } from './read-days.ts'

/** All days of one object in a range of local days. `timeZone`: that of `days`. `now`: days before that moment's day have ended. */
export type WholeDays = Omit<DaysSelection, 'objects' | 'after' | 'limit'> & {
  readonly object: number
  readonly timeZone: string
  readonly now: number
}

/** Reads the days of an object in a view. */
export type ReadWholeDays = (view: ReaderView, query: WholeDays) => Promise<readonly ObjectDay[]>

/** The days of an object in a range, which follow from its rows up to the time `settledAt`. */
type KeptRange = Pick<WholeDays, 'timeZone' | 'from' | 'until'> &
  Pick<RowReader, 'oldest' | 'settledAt'> & { days: readonly ObjectDay[] }

/** The ranges of an organization by object, as of its change number `seq`. */
type KeptFleet = { epoch: string; seq: number; ranges: Map<number, KeptRange> }

/** Days that a process keeps: some 40 MB. */
const MAX_DAYS = 100_000

export const freshDays: ReadWholeDays = (view, query) => readAll(view, query)

/** Keeps the newest ended days that were asked for in memory, until a change touches them. Views see whole organizations. */
export function keptDays(maxDays = MAX_DAYS): ReadWholeDays {
  const fleets = new Map<number, KeptFleet>()
  /** The days that were kept since all were forgotten, and one more for each range. */
  let kept = 0

  /** The ranges as of a view. Null: they are already of a later change. */
  async function fleetOf(view: ReaderView): Promise<KeptFleet | null> {
    const { organization, epoch, asOf, oldest } = view
    let fleet = fleets.get(organization.id)
    if (fleet?.epoch !== epoch || oldest > fleet.seq + 1) fleet = undefined
    if (fleet !== undefined && fleet.seq < asOf) {
      const touched = await readTouched(view, fleet.seq)
      // Another view may have come further meanwhile.
      if (fleet.seq > asOf) return null
      for (const object of touched.gone) fleet.ranges.delete(object)
      for (const [object, rows] of touched.objects) {
        const known = fleet.ranges.get(object)
        if (known && startOf(rows) <= known.settledAt) fleet.ranges.delete(object)
      }
      if (touched.seq < asOf || touched.hasRetention) fleet = undefined
    }
    if (fleet !== undefined && fleet.seq > asOf) return null
    fleet ??= { epoch, seq: asOf, ranges: new Map() }
    fleet.seq = asOf
    return fleet
  }

  function keep(organization: number, fleet: KeptFleet, object: number, range: KeptRange): void {
    kept += range.days.length + 1
    if (kept > maxDays) {
      fleets.clear()
      fleet.ranges.clear()
      kept = range.days.length + 1
    }
    fleet.ranges.set(object, range)
    fleets.set(organization, fleet)
  }

  async function endedDays(view: ReaderView, query: WholeDays): Promise<readonly ObjectDay[]> {
    const { object, timeZone, from, until, keptFrom } = query
    const fleet = await fleetOf(view)
    const known = fleet?.ranges.get(object)
    const shownFrom = keptFrom(object)
    const isKept =
      known?.timeZone === timeZone &&
      known.from <= from &&
      until <= known.until &&
      shownFrom <= Math.min(known.from, known.oldest)
    if (isKept) return known.days.filter(({ first }) => from <= first && first < until)
    const reader = new RowReader(view)
    const days = await readAll(view, query, reader)
    const { oldest, settledAt } = reader
    // Otherwise rows that expire could change them.
    if (fleet?.seq === view.asOf && shownFrom <= Math.min(from, oldest)) {
      const range = { timeZone, from, until, days, oldest, settledAt }
      keep(view.organization.id, fleet, object, range)
    }
    return days
  }

  return async (view, query) => {
    const { days, from, until, now, attributes, by } = query
    const ended = Math.min(until, days.startOf(days.dayOf(now)))
    if (ended <= from || attributes || by) return freshDays(view, query)
    const before = await endedDays(view, { ...query, until: ended })
    return ended === until
      ? before
      : [...before, ...(await freshDays(view, { ...query, from: ended }))]
  }
}

async function readAll(view: ReaderView, { object, ...range }: WholeDays, reader?: RowReader) {
  const all = { ...range, objects: [object], after: null, limit: Number.MAX_SAFE_INTEGER }
  return (await readDays(view, all, Number.MAX_SAFE_INTEGER, reader)).days
}
