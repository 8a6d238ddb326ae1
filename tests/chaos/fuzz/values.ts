const MAX_IDS = 1_000

/** The distinct ids of a list. Repeated ones count as values of the list. */
export function idsIn(text: string): bigint[] | 'invalid' {
  const items = text.split(',').map((item) => item.replace(/^ +| +$/g, ''))
  if (items.length > MAX_IDS || !items.every(isDigits)) return 'invalid'
  return [...new Set(items.map((item) => BigInt(item)))]
}

export function isDigits(text: string): boolean {
  return /^[0-9]+$/.test(text)
}

/** The separators of a date and of a time: both are present (extended format), or neither (basic). */
const MOMENT =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:T(\d\d)(?:(:?)(\d\d)(?:\6(\d\d)(?:[.,](\d+))?)?)?(?:Z|([+ -])(\d\d)(?::?(\d\d))?)?)?$/

/**
 * Milliseconds of a date, at this `side` of its day, or of a moment. A fraction finer than a millisecond counts
 * as half a millisecond, which compares equally with every fix.
 */
export function momentOf(text: string, side: 'first' | 'last'): number | undefined {
  const match = MOMENT.exec(text)
  if (match === null) return undefined
  const [, year, dash, month, day, hour, colon, minute = '00', second = '00'] = match
  const [fraction = '', sign, hours = '00', minutes = '00'] = match.slice(9)
  if (colon !== undefined && (dash === '-') !== (colon === ':')) return undefined
  const written = `${year}-${month}-${day}T${hour ?? '00'}:${minute}:${second}`
  const time = Date.parse(`${written}Z`)
  // The round trip detects the thirtieth of February and 24:00, which Date accepts.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 19) !== written) return undefined
  if (hour === undefined) return side === 'first' ? time : time + 86_400_000 - 1
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000)
  const finer = /[1-9]/.test(fraction.slice(3)) ? 0.5 : 0
  return time - offset + Number(fraction.slice(0, 3).padEnd(3, '0')) + finer
}
