import type { Row } from '../read/encode/rows.ts'
import { DECIMALS, rounded } from '../read/formats/number-format.ts'
import type { Dated } from '../read/formats/xlsx.ts'
import { invalid } from './refused.ts'

/** Rows of days, page by page. */
export type DayTable = {
  columns: readonly string[]
  dated: Dated
  pages: AsyncIterable<readonly Row[]>
}

/** Rows that are added: those of an object, of a date, or of a text. */
export const GROUPS = ['object', 'date', 'by'] as const
export type Group = (typeof GROUPS)[number]

/** The fields that name a group. The first one is its key. */
const NAMES = { object: ['object_id', 'ident', 'name'], date: ['date'], by: ['value'] } as const

const ADDED = ['distance', 'trips', 'moving_time', 'idle_time', 'stopped_time', 'silent_time']
/** Devices choose their texts, and each has a row in memory. */
export const MAX_TEXTS = 10_000

const ADDED_PARTS = /__(used|filled|drained|gain)$/

/** The sums of days, with the number of their dates. An amount is null if no day of the group has it. */
export async function addDays(
  { columns, dated, pages }: DayTable,
  group: Group,
): Promise<DayTable> {
  const names = NAMES[group]
  const added = columns.filter((each) => ADDED.includes(each) || ADDED_PARTS.test(each))
  const totals = new Map<unknown, { row: Record<string, unknown>; dates: Set<unknown> }>()
  for await (const rows of pages) {
    for (const day of rows) {
      const key = day[names[0]]
      const empty = () => Object.fromEntries(names.map((name) => [name, day[name]]))
      const total = totals.get(key) ?? { row: empty(), dates: new Set() }
      totals.set(key, total)
      total.dates.add(day.date)
      if (group === 'by' && totals.size > MAX_TEXTS) throw tooManyTexts()
      for (const field of added) {
        const amount = (day[field] ?? null) as number | null
        if (amount !== null) total.row[field] = ((total.row[field] as number) ?? 0) + amount
      }
    }
  }
  const rows = [...totals.values()].map(({ row, dates }): Row => {
    const sums = added.map((field) => {
      const sum = (row[field] ?? null) as number | null
      return [field, sum && rounded(sum, DECIMALS.measure)]
    })
    return { ...row, days: dates.size, ...Object.fromEntries(sums) }
  })
  const inOrder = group === 'date' ? rows.toSorted((a, b) => (a.date! < b.date! ? -1 : 1)) : rows
  return { columns: [...names, 'days', ...added], dated, pages: once(inOrder) }
}

function tooManyTexts() {
  const rule = `has more than ${MAX_TEXTS} texts in these days: ask for fewer days or objects`
  return invalid({ field: 'by', rule })
}

async function* once(rows: Row[]): AsyncGenerator<Row[]> {
  yield rows
}
