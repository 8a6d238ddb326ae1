import type { Visit } from '@fleetgate/client'
import type { Place } from './places.ts'
import { grouped } from './rows.ts'
import type { Span } from './times.ts'

/** A vehicle inside the geofences and sites of one name. Times are milliseconds since the epoch. */
export type Stay = {
  place: string
  arrived: number
  /** Null: inside at its newest position. */
  left: number | null
  /** Whole seconds within the range that was asked for. */
  seconds: number
}

/** Makes stays of the visits of one vehicle, by their begin. Those to one place that overlap are one stay. */
export function stayReader(places: readonly Place[], span: Span): (visits: Visit[]) => Stay[] {
  const names = namesOf(places)
  const placeOf = ({ place_type, place_id }: Visit) => names.get(`${place_type} ${place_id}`)!
  return (visits) =>
    [...grouped(visits, placeOf)]
      .flatMap(([place, own]) => joined(own, place, span))
      .sort((a, b) => a.arrived - b.arrived)
}

function namesOf(places: readonly Place[]): Map<string, string> {
  return new Map(
    places.flatMap(({ name, geofences, sites }) => [
      ...geofences.map(({ id }): [string, string] => [`geofence ${id}`, name]),
      ...sites.map(({ id }): [string, string] => [`site ${id}`, name]),
    ]),
  )
}

/** `visits`: of one vehicle to one place. */
function joined(visits: readonly Visit[], place: string, span: Span): Stay[] {
  const stays: Stay[] = []
  let until = Number.NEGATIVE_INFINITY
  for (const visit of visits.toSorted((a, b) => startOf(a) - startOf(b))) {
    const { end_time } = visit
    const arrived = startOf(visit)
    // An open visit lasts at least to its newest position inside.
    const lasts = end_time === null ? arrived + visit.duration * 1_000 : Date.parse(end_time)
    const left = end_time === null ? null : lasts
    const last = stays.at(-1)
    if (last === undefined || (last.left !== null && arrived > last.left)) {
      stays.push({ place, arrived, left, seconds: secondsIn(arrived, lasts, span) })
      until = lasts
      continue
    }
    last.seconds += secondsIn(Math.max(arrived, until), lasts, span)
    until = Math.max(until, lasts)
    last.left = left === null || last.left === null ? null : until
  }
  return stays
}

function startOf({ start_time }: Visit): number {
  return Date.parse(start_time)
}

/** The seconds from `start` to `end` that are in a range. */
function secondsIn(start: number, end: number, { from, to }: Span): number {
  // The range has its last millisecond.
  const inside = Math.min(end, to + 1) - Math.max(start, from)
  return Math.max(0, Math.round(inside / 1_000))
}
