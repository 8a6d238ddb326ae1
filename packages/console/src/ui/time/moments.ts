/** A moment as in a field for date and time, `2026-03-09T14:05`: in the viewer's time zone, or in UTC if chosen. */
export function momentText(instant: string | number, utc: boolean): string {
  const time = new Date(instant)
  if (utc) return time.toISOString().slice(0, 16)
  const date = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map(twoDigits)
  const clock = [time.getHours(), time.getMinutes()].map(twoDigits)
  return `${date.join('-').padStart(10, '0')}T${clock.join(':')}`
}

/** The first or the last millisecond of the minute that such a field has. Null: it is empty, or half typed. */
export function momentOf(text: string, bound: 'first' | 'last', utc: boolean): string | null {
  const begin = new Date(`${text}${utc ? 'Z' : ''}`).getTime()
  if (text === '' || Number.isNaN(begin)) return null
  return new Date(bound === 'first' ? begin : begin + 59_999).toISOString()
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
