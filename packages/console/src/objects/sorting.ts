import type { FleetObject } from '../api/types.ts'
import { t } from '../language/text.ts'
import { lastSignal } from '../ui/last-signal.ts'
import { matcher } from '../ui/match.ts'
import { MOTION_NAMES } from '../ui/motion-names.ts'
import type { Sorting } from '../ui/table/LongTable.tsx'
import { compared } from '../ui/table/sorting.ts'
import type { Motion } from './motion.tsx'

export type SortKey = (typeof SORT_KEYS)[number]
export type Filter = 'all' | 'moving' | 'idle' | 'stopped' | 'no_signal' | 'unknown' | 'unseen'

export const FILTERS: [Filter, string][] = [
  ['all', t('All')],
  ['moving', MOTION_NAMES.moving],
  ['idle', MOTION_NAMES.idle],
  ['stopped', MOTION_NAMES.stopped],
  ['no_signal', MOTION_NAMES.no_signal],
  ['unknown', t('Motion unknown')],
  ['unseen', t('Not seen today')],
]

export const SORT_KEYS = [
  'name',
  'ident',
  'plate_number',
  'motion',
  'speed',
  'address',
  'time_device',
  'odometer',
] as const

/** The filter that the address names. */
export function filterOf(text: string | null): Filter {
  return FILTERS.find(([id]) => id === text)?.[0] ?? 'all'
}

/** The sorting without one in the address. */
export const BY_NAME: Sorting<SortKey> = { by: 'name', descending: false }

const MOTION_ORDER: Motion[] = ['moving', 'idle', 'stopped', 'no_signal', null]

export function arranged(
  objects: FleetObject[],
  {
    search,
    filter,
    sorting,
    now,
  }: { search: string; filter: Filter; sorting: Sorting<SortKey>; now: number },
): FleetObject[] {
  const matches = matcher(search)
  const bears = ({ name, ident, plate_number, vin, address }: FleetObject) =>
    matches([name, plate_number, vin, address].join('\n'), ident)
  const sign = sorting.descending ? -1 : 1
  return objects
    .filter((each) => bears(each) && passes(each, filter, now))
    .sort((one, other) => order(one, other, sorting.by, sign) || one.id - other.id)
}

function passes(object: FleetObject, filter: Filter, now: number): boolean {
  const { motion } = object
  const signal = lastSignal(object)
  switch (filter) {
    case 'all':
      return true
    case 'unknown':
      return motion === null
    case 'unseen':
      // The server's day, as the figures of the list of organizations have it.
      return signal === null || Date.parse(signal) < now - (now % 86_400_000)
    default:
      return motion === filter
  }
}

function order(one: FleetObject, other: FleetObject, by: SortKey, sign: number): number {
  return compared(sortValue(one, by), sortValue(other, by), sign)
}

function sortValue(object: FleetObject, by: SortKey): string | number | null {
  if (by === 'motion') return MOTION_ORDER.indexOf(object.motion)
  return by === 'time_device' ? timeOf(object[by]) : object[by]
}

function timeOf(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant)
}
