import type { FleetObject } from '../api/types.ts'
import { MOTION_NAMES } from '../ui/motion-names.ts'
import { lastPacket } from './last-packet.ts'
import type { Motion } from './motion.tsx'

export type SortKey = (typeof SORT_KEYS)[number]
export type Sorting = { by: SortKey; descending: boolean }
export type Filter = 'all' | 'moving' | 'idle' | 'stopped' | 'no_signal' | 'unknown' | 'unseen'

export const FILTERS: [Filter, string][] = [
  ['all', 'All'],
  ['moving', MOTION_NAMES.moving],
  ['idle', MOTION_NAMES.idle],
  ['stopped', MOTION_NAMES.stopped],
  ['no_signal', MOTION_NAMES.no_signal],
  ['unknown', 'Motion unknown'],
  ['unseen', 'Not seen today'],
]

const SORT_KEYS = [
  'name',
  'ident',
  'plate_number',
  'motion',
  'time_server',
  'speed',
  'odometer',
] as const

/** The filter that the address names. */
export function filterOf(text: string | null): Filter {
  return FILTERS.find(([id]) => id === text)?.[0] ?? 'all'
}

/** The sorting that the address names: a column, with `-` before it where the highest comes first. */
export function sortingOf(text: string | null): Sorting {
  const descending = text?.startsWith('-') ?? false
  const by = SORT_KEYS.find((key) => key === text?.slice(descending ? 1 : 0))
  return by === undefined ? { by: 'name', descending: false } : { by, descending }
}

export function textOf({ by, descending }: Sorting): string | null {
  return by === 'name' && !descending ? null : `${descending ? '-' : ''}${by}`
}

const words = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
const MOTION_ORDER: Motion[] = ['moving', 'idle', 'stopped', 'no_signal', null]

export function arranged(
  objects: FleetObject[],
  {
    search,
    filter,
    sorting,
    now,
  }: { search: string; filter: Filter; sorting: Sorting; now: number },
): FleetObject[] {
  const wanted = search.trim().toLowerCase()
  const sign = sorting.descending ? -1 : 1
  return objects
    .filter((each) => (wanted === '' || bears(each, wanted)) && passes(each, filter, now))
    .sort((one, other) => compared(one, other, sorting.by, sign) || one.id - other.id)
}

function bears({ name, ident, plate_number, vin }: FleetObject, wanted: string): boolean {
  return [name, ident, plate_number, vin].some(
    (each) => each?.toLowerCase().includes(wanted) ?? false,
  )
}

function passes(object: FleetObject, filter: Filter, now: number): boolean {
  const { motion } = object
  const packet = lastPacket(object)
  switch (filter) {
    case 'all':
      return true
    case 'unknown':
      return motion === null
    case 'unseen':
      // The server's day, as the figures of the list of organizations have it.
      return packet === null || Date.parse(packet) < now - (now % 86_400_000)
    default:
      return motion === filter
  }
}

/** Rows without a value come last in both directions. */
function compared(one: FleetObject, other: FleetObject, by: SortKey, sign: number): number {
  if (by === 'motion') {
    return sign * (MOTION_ORDER.indexOf(one.motion) - MOTION_ORDER.indexOf(other.motion))
  }
  const left = by === 'time_server' ? lastPacket(one) : one[by]
  const right = by === 'time_server' ? lastPacket(other) : other[by]
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  if (typeof left === 'number' && typeof right === 'number') return sign * (left - right)
  if (by === 'time_server') return left < right ? -sign : left > right ? sign : 0
  return sign * words.compare(String(left), String(right))
}
