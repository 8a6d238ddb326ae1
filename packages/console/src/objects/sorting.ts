import type { FleetObject } from '../api/types.ts'
import { lastPacket } from './last-packet.ts'
import type { Motion } from './motion.tsx'

export type SortKey =
  | 'name'
  | 'ident'
  | 'plate_number'
  | 'motion'
  | 'time_server'
  | 'speed'
  | 'odometer'
export type Sorting = { by: SortKey; descending: boolean }
export type Filter = 'all' | 'moving' | 'idle' | 'stopped' | 'unknown' | 'unseen'

export const FILTERS: [Filter, string][] = [
  ['all', 'All'],
  ['moving', 'Moving'],
  ['idle', 'Idle'],
  ['stopped', 'Stopped'],
  ['unknown', 'Motion unknown'],
  ['unseen', 'Not seen today'],
]

const words = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
const MOTION_ORDER: Motion[] = ['moving', 'idle', 'stopped', null]

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
