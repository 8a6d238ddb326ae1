import type { RecordsOf } from '../api/queries.ts'
import { besideDay, type Day, dayRange, isDay } from '../ui/time/days.ts'

export type RecordKind = keyof RecordsOf

/** The choice of records that the address of a page has. */
export type Filters = {
  from: Day
  to: Day
  objects: number[]
  geofences: number[]
  sites: number[]
  /** Null: of any duration. */
  minutes: number | null
}

/** The days that are shown until others are chosen: a week. */
const DAYS = 7

export function filtersOf(address: URLSearchParams, today: Day): Filters {
  const to = dayIn(address, 'to') ?? today
  const from = dayIn(address, 'from') ?? besideDay(to, 1 - DAYS)
  return {
    // The bounds may come from a link in the wrong order.
    ...(from <= to ? { from, to } : { from: to, to: from }),
    objects: idsIn(address, 'objects'),
    geofences: idsIn(address, 'geofences'),
    sites: idsIn(address, 'sites'),
    minutes: minutesIn(address),
  }
}

/** The parameters of the admin API that choose records of a kind. */
export function selectionOf(filters: Filters, kind: RecordKind, utc: boolean): string {
  const { from, to, objects, geofences, sites, minutes } = filters
  const query = new URLSearchParams({
    from_time: dayRange(from, utc).from,
    to_time: dayRange(to, utc).to,
  })
  const set = (name: string, value: string) => value !== '' && query.set(name, value)
  set('ids', objects.join())
  if (kind !== 'trips') set('min_duration', minutes === null ? '' : String(Math.ceil(minutes * 60)))
  if (kind === 'visits') {
    set('geofences', geofences.join())
    set('sites', sites.join())
  }
  return String(query)
}

function dayIn(address: URLSearchParams, name: string): Day | undefined {
  const text = address.get(name)
  return text !== null && isDay(text) ? text : undefined
}

function idsIn(address: URLSearchParams, name: string): number[] {
  const ids = (address.get(name) ?? '').split(',')
  return ids.filter((id) => /^[1-9]\d{0,15}$/.test(id)).map(Number)
}

function minutesIn(address: URLSearchParams): number | null {
  const minutes = Number(address.get('minutes') || Number.NaN)
  return minutes > 0 && minutes <= 5_000_000 ? minutes : null
}
