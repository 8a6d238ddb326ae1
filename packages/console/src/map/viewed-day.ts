/** A day as a date picker has it, `2026-03-09`, in the zone of who looks. */
export type ViewedDay = string

export function dayOf(instant: number): ViewedDay {
  const date = new Date(instant)
  const month = String(date.getMonth() + 1).padStart(2, '0')
  return `${date.getFullYear()}-${month}-${String(date.getDate()).padStart(2, '0')}`
}

/** Its first moment and the first one after it: 23 or 25 hours apart where clocks change. */
export function rangeOf(day: ViewedDay): { from: Date; to: Date } {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  return { from: new Date(year, month - 1, date), to: new Date(year, month - 1, date + 1) }
}

export function besideDay(day: ViewedDay, days: number): ViewedDay {
  const { from } = rangeOf(day)
  from.setDate(from.getDate() + days)
  return dayOf(from.getTime())
}
