import type { ReplicaWrite } from '../../replica/replica-store.ts'
import { dayOf, LAST_TIME, timeOf } from './day.ts'
import type { Items } from './items.ts'
import { KIND, operation, type Stored } from './stored.ts'

/** Entries about positions by day; those of a day by object, then in their order. */
export type DayEntries = Map<number, Stored[]>

type Put<What extends ReplicaWrite['write']> = Extract<ReplicaWrite, { write: What }>

/**
 * The entries of writes about positions. `days`: those that have positions already. An entry about a range gets to
 * each day that has positions in it. `isRenamed`: whether the object is kept with another name or ident.
 */
export function dayEntries(
  writes: readonly ReplicaWrite[],
  days: Iterable<number>,
  isRenamed: Items['isRenamed'],
): DayEntries {
  const known = new Set(days)
  const entries: DayEntries = new Map()

  function add(day: number, entry: Stored): void {
    known.add(day)
    const of = entries.get(day)
    if (of === undefined) entries.set(day, [entry])
    else of.push(entry)
  }

  function addToRange(entry: Stored): void {
    const [first, last] = [dayOf(entry.time), dayOf(entry.until!)]
    for (const day of known) if (day >= first && day <= last) add(day, entry)
  }

  for (const write of writes) {
    switch (write.write) {
      case 'put-position': {
        const entry = positionOf(write)
        add(dayOf(entry.time), entry)
        break
      }
      case 'delete-positions':
        // Positions that have expired go with their day.
        if (write.id !== null)
          addToRange(operation(KIND.remove, checkedId(write.id), rangeOf(write)))
        break
      case 'shift-positions':
        addToRange(shiftOf(write))
        break
      case 'put':
        if (write.kind === 'object' && isRenamed(write.item)) {
          addToRange(operation(KIND.rename, checkedId(write.id), rangeOf({ from: null, to: null })))
        }
        break
    }
  }
  for (const of of entries.values()) of.sort((a, b) => a.id - b.id)
  return entries
}

function positionOf({ id, time, position, asOf }: Put<'put-position'>): Stored {
  const { odometer_mm = null, mileage_mm = null, engine_hours_ms = null } = position.exact ?? {}
  return {
    kind: KIND.put,
    id: checkedId(id),
    time: checkedTime(time),
    until: null,
    asOf,
    latitude: checkedNumber(position.latitude),
    longitude: checkedNumber(position.longitude),
    altitude: checkedNumber(position.altitude),
    angle: checkedNumber(position.angle),
    speed: checkedNumber(position.speed),
    timeServer: checkedTime(position.time_server),
    odometerMm: checkedNumber(odometer_mm),
    mileageMm: checkedNumber(mileage_mm),
    engineHoursMs: checkedNumber(engine_hours_ms),
    address: position.address === null ? null : String(position.address),
  }
}

function shiftOf(write: Put<'shift-positions'>): Stored {
  return operation(KIND.shift, checkedId(write.id), {
    ...rangeOf(write),
    asOf: write.seq,
    odometerMm: checkedNumber(write.odometer_mm),
    mileageMm: checkedNumber(write.mileage_mm),
    engineHoursMs: checkedNumber(write.engine_hours_ms),
  })
}

function rangeOf({ from, to }: { from: string | null; to: string | null }) {
  return {
    time: from === null ? 0 : checkedTime(from),
    until: to === null ? LAST_TIME : checkedTime(to),
  }
}

function checkedId(id: unknown): number {
  if (Number.isSafeInteger(id) && (id as number) > 0) return id as number
  throw wrongValue('the id', id, 'a positive whole number')
}

function checkedTime(written: unknown): number {
  const time = timeOf(written)
  if (time !== undefined) return time
  throw wrongValue('the time', written, 'a time of the API')
}

function checkedNumber(value: unknown): number | null {
  if (value === null || Number.isFinite(value)) return value as number | null
  throw wrongValue('the value', value, 'a number')
}

/** Characters of a wrong value that a message repeats. */
const LONGEST_SHOWN = 40

function wrongValue(what: string, value: unknown, right: string): Error {
  const shown = `${JSON.stringify(value)}`.slice(0, LONGEST_SHOWN)
  return new Error(`the server sent ${what} ${shown}, which is not ${right}: check --url`)
}
