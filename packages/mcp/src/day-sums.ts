import type { Day } from '@fleetgate/client'
import { addAttributes, attributesPart, type SumsByName } from './attribute-sums.ts'
import { plus, rounded } from './rows.ts'

/** Which days a row sums. */
export const GROUPS = ['vehicle', 'day', 'vehicle_and_day'] as const
export type By = (typeof GROUPS)[number]

/** Totals of days, with the first of them. */
export type Group = Sums & { first: Day; days: number }
type Sums = Pick<Day, 'trips' | 'distance' | 'max_speed'> &
  Pick<Day, 'moving_time' | 'idle_time' | 'stopped_time' | 'silent_time'> & {
    attributes: SumsByName
  }

/** Sums days as they come, because a year of a fleet has millions of them. */
export async function summed(by: By, days: AsyncIterable<Day>) {
  const groups = new Map<string | number, Group>()
  const total = noSums()
  const seen = new Set<number>()
  for await (const day of days) {
    const key = keyOf(by, day)
    const group = groups.get(key) ?? { first: day, days: 0, ...noSums() }
    groups.set(key, group)
    group.days += 1
    add(group, day)
    add(total, day)
    seen.add(day.object_id)
  }
  return { groups, total, seen }
}

function keyOf(by: By, { object_id, date }: Day): string | number {
  if (by === 'vehicle') return object_id
  return by === 'day' ? date : `${object_id} ${date}`
}

function noSums(): Sums {
  const times = { moving_time: 0, idle_time: 0, stopped_time: 0, silent_time: 0 }
  return { distance: null, max_speed: null, trips: 0, ...times, attributes: new Map() }
}

function add(sums: Sums, day: Day): void {
  sums.distance = plus(sums.distance, day.distance)
  sums.trips += day.trips
  sums.moving_time += day.moving_time
  sums.idle_time += day.idle_time
  sums.stopped_time += day.stopped_time
  sums.silent_time += day.silent_time
  addAttributes(sums.attributes, day)
  if (day.max_speed !== null) sums.max_speed = Math.max(sums.max_speed ?? 0, day.max_speed)
}

/** The fields of an answer. */
export function shownSums(sums: Sums) {
  return {
    distance: rounded(sums.distance),
    trips: sums.trips,
    moving_seconds: sums.moving_time,
    idle_seconds: sums.idle_time,
    stopped_seconds: sums.stopped_time,
    silent_seconds: sums.silent_time,
    max_speed: sums.max_speed,
    ...attributesPart(sums.attributes),
  }
}
