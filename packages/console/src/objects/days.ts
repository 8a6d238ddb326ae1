/** The viewer's day in which an instant is: `2026-11-21`. */
export function localDay(instant: string): string {
  const time = new Date(instant)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
}

/** First and last moment of a day of the viewer's. */
export function dayRange(day: string): { from: string; to: string } {
  const from = new Date(`${day}T00:00:00`)
  const to = new Date(from)
  to.setDate(to.getDate() + 1)
  return { from: from.toISOString(), to: new Date(to.getTime() - 1).toISOString() }
}
