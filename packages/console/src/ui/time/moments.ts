/** A moment as in a field for date and time, `2026-03-09T14:05`: in the viewer's time zone, or in UTC if chosen. */
export function momentText(instant: string, utc: boolean): string {
  const time = new Date(instant)
  if (utc) return time.toISOString().slice(0, 16)
  const digits = (value: number, length = 2) => String(value).padStart(length, '0')
  const date = [digits(time.getFullYear(), 4), digits(time.getMonth() + 1), digits(time.getDate())]
  return `${date.join('-')}T${digits(time.getHours())}:${digits(time.getMinutes())}`
}

/** The first or the last millisecond of the minute that such a field has. Null: it is empty, or half typed. */
export function momentOf(text: string, bound: 'first' | 'last', utc: boolean): string | null {
  const begin = new Date(`${text}${utc ? 'Z' : ''}`).getTime()
  if (text === '' || Number.isNaN(begin)) return null
  return new Date(bound === 'first' ? begin : begin + 59_999).toISOString()
}
