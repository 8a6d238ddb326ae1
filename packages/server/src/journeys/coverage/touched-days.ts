import { utcDay } from '../../domain/time/time.ts'
import type { ObjectEntry } from '../../store/change-entries.ts'
import type { ChangeView } from '../../store/change-log.ts'
import { changesAfter } from '../../store/changes-after.ts'
import type { TouchedDays } from '../../store/coverage-store.ts'

/** One step reads no more changes, and then notes the days: a view and a write of some milliseconds. */
const MAX_CHANGES = 2_000
const MAX_TOUCHED = 5_000
/** After every day that a position can have. */
const LAST_DAY = 2 ** 31

/** `days`: those that the changes up to number `seq` touched, with the last change of each. */
type Touched = { seq: number; days: TouchedDays[] | 'all' }

/** Reads the days that changes after number `after` touched, as many as one step may note. */
export async function readTouchedDays(
  view: Pick<ChangeView, 'changes'>,
  after: number,
): Promise<Touched> {
  const touched = new Map<string, TouchedDays>()
  let [read, last] = [0, after]
  for await (const changes of changesAfter(view, after)) {
    for (const { seq, at, entries } of changes) {
      last = seq
      // Days before the retention were purged without a change. A longer one would show them as they were.
      if (entries.retainedBefore !== undefined) return { seq, days: 'all' }
      for (const entry of entries.objects) {
        for (const [from, to] of daysOf(entry)) {
          const { object } = entry
          touched.set(`${object} ${from} ${to}`, { object, from, to, seq, at })
        }
      }
    }
    read += changes.length
    if (read >= MAX_CHANGES || touched.size >= MAX_TOUCHED) break
  }
  return { seq: last, days: [...touched.values()] }
}

/** The ranges of days that an entry touches, ends included. Rows that `rewritten` names are hidden, or show the same as before. */
function daysOf({ positions, shifts }: ObjectEntry): [from: number, to: number][] {
  const days = [...new Set(positions.map(({ time }) => utcDay(time)))]
  return [
    ...days.map((day): [number, number] => [day, day]),
    ...shifts.map(({ from }): [number, number] => [utcDay(from), LAST_DAY]),
  ]
}
