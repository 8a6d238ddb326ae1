import type { Page, PageEntry, Withheld } from '../../changes/page.ts'
import type { Place } from '../../changes/place.ts'
import { addAll } from '../../domain/any-number.ts'
import { fixRecordsIn } from '../../domain/position/fix-records-in.ts'
import { type Budget, payerOf, payFor, rowsOf } from './prices.ts'

/** The part of a page before the first row that its object cannot pay. */
export function endedBefore(page: Page, budget: Budget): Page {
  for (const [index, entry] of page.entries.entries()) {
    const paid = payFor(entry, budget)
    if (paid === rowsOf(entry)) continue
    const entries = [...page.entries.slice(0, index), ...firstRows(entry, paid)]
    return { ...page, entries, next: placeBefore(entry, paid), hasMore: true }
  }
  return page
}

/**
 * The page without the rows that their objects cannot pay. For each such object, an entry at the place of the
 * first one tells from when to when rows were left out.
 */
export function withoutUnpaid(page: Page, budget: Budget): Page {
  const withheld = new Map<number, Withheld>()
  const entries: PageEntry[] = []
  for (const entry of page.entries) {
    const paid = payFor(entry, budget)
    addAll(entries, firstRows(entry, paid))
    if (paid === rowsOf(entry)) continue
    const [from, to] = timesFrom(entry, paid)
    const object = payerOf(entry)!
    const known = withheld.get(object)
    if (known !== undefined) {
      known.from = Math.min(known.from, from)
      known.to = Math.max(known.to, to)
      continue
    }
    const before = placeBefore(entry, paid)
    const told = { type: 'withheld', op: 'put', object, from, to, before } as const
    const added = { ...told, seq: entry.seq }
    withheld.set(object, added)
    entries.push(added)
  }
  return { ...page, entries }
}

function firstRows(entry: PageEntry, count: number): PageEntry[] {
  if (count === rowsOf(entry)) return [entry]
  if (count === 0 || !('count' in entry)) return []
  const records = entry.records.subarray(0, fixRecordsIn(entry.records, count).ends.at(-1))
  return [{ ...entry, records, count }]
}

function placeBefore(entry: PageEntry, row: number): Place {
  return 'count' in entry ? entry.beforeRow(row) : entry.before
}

/** The time of the first unpaid row of an entry, and of its last row. A state has the time of its position. */
function timesFrom(entry: PageEntry, row: number): [from: number, to: number] {
  if ('count' in entry) {
    const { times } = fixRecordsIn(entry.records)
    return [times[row]!, times.at(-1)!]
  }
  const time = entry.type === 'state' ? (entry.state.lastFix?.timeDevice ?? 0) : 0
  return [time, time]
}
