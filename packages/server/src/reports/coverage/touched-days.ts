import { utcDay } from '../../domain/time/time.ts'
import type { ObjectEntry } from '../../store/change-entries.ts'
import type { ChangeView } from '../../store/change-log.ts'
import type { TouchedDays } from '../../store/coverage-store.ts'

const CHANGES_AT_ONCE = 250
/** After every day that a position can have. */
const LAST_DAY = 2 ** 31

/** The days that the changes after number `after` touched, the last change of each. */
export async function readTouchedDays(
  view: Pick<ChangeView, 'changes'>,
  after: number,
): Promise<TouchedDays[]> {
  const touched = new Map<string, TouchedDays>()
  for (let seen = after; ; ) {
    const changes = await view.changes(seen, CHANGES_AT_ONCE)
    for (const { seq, at, entries } of changes) {
      seen = seq
      for (const entry of entries.objects) {
        for (const [from, to] of daysOf(entry)) {
          const { object } = entry
          touched.set(`${object} ${from} ${to}`, { object, from, to, seq, at })
        }
      }
    }
    if (changes.length < CHANGES_AT_ONCE) return [...touched.values()]
  }
}

/**
 * The ranges of days that an entry touches, ends included. Rows that `rewritten` names are hidden, or show the same as
 * before. An earlier release did not name them.
 */
function daysOf({ positions, shifts }: ObjectEntry): [from: number, to: number][] {
  const days = [...new Set(positions.map(({ time }) => utcDay(time)))]
  return [
    ...days.map((day): [number, number] => [day, day]),
    ...shifts.map(({ from }): [number, number] => [utcDay(from), LAST_DAY]),
  ]
}
