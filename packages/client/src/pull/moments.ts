const TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(Z|[+-]\d\d:?\d\d)?)?$/i
const SPAN = /^(\d+)(ms|s|m|h|d)$/
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export const DAY_MS = UNIT_MS.d

/**
 * Parses a time as the API does, in milliseconds: a date, or an ISO 8601 datetime (UTC without an
 * offset). A date is its first millisecond, or its last if `end`. Undefined if it is invalid.
 */
export function momentOf(written: string, end = false): number | undefined {
  const match = TIME.exec(written)
  if (match === null) return undefined
  const [, date, minutes = '00:00', seconds = '00', fraction = '', offset = 'Z'] = match
  // `Date` takes a date that does not exist, such as 30 February, for another one.
  if (new Date(`${date}T00:00Z`).toJSON()?.slice(0, 10) !== date) return undefined
  const zone = offset.toUpperCase().replace(/^(.\d\d)(\d\d)$/, '$1:$2')
  const time = Date.parse(`${date}T${minutes}:${seconds}.${fraction.padEnd(3, '0')}${zone}`)
  if (Number.isNaN(time) || minutes > '23:59') return undefined
  return match[2] === undefined && end ? time + DAY_MS - 1 : time
}

/** Milliseconds of `3d`, `12h`, `30m`, `10s`, `500ms` or `0`. Undefined if it is invalid. */
export function spanOf(written: string): number | undefined {
  if (written === '0') return 0
  const match = SPAN.exec(written)
  if (match === null) return undefined
  const ms = Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]
  return Number.isSafeInteger(ms) ? ms : undefined
}
