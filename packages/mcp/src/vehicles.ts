import type { FleetObject, LatestPosition } from '@fleetgate/client'
import { noSignalSince } from '../../server/src/base/domain/record.ts'
import type { Fleet, Vehicles } from './fleets.ts'
import type { Question } from './tools/tool.ts'

/** A vehicle as every answer names it. */
export type Named = { id: number; name: string; plate: string | null }

export function named({ id, name, vehicle_data }: FleetObject): Named {
  return { id, name, plate: vehicle_data.plate_number }
}

/** The name and plate of a row's vehicle. One that was created since the list was read has no plate yet. */
export function namedOf(id: number, name: string, vehicles: Vehicles): Named {
  const vehicle = vehicles.get(id)
  return vehicle === undefined ? { id, name, plate: null } : named(vehicle)
}

/** The ids that the organization does not have, or that the key does not show. Looks again before it says so. */
export async function unknownIds(fleet: Fleet, ids: readonly number[]): Promise<number[]> {
  const missingIn = (vehicles: Vehicles) => [...new Set(ids)].filter((id) => !vehicles.has(id))
  if (missingIn(await fleet.vehicles()).length === 0) return []
  return missingIn(await fleet.vehicles(true))
}

type Times = Pick<LatestPosition, 'time_server' | 'time_device'>

/** The last sign of life, in milliseconds: the time of the position, unless the clock of the device is ahead. */
function lastSignal({ time_server, time_device }: Times): number | null {
  if (time_device === null) return time_server === null ? null : Date.parse(time_server)
  const taken = Date.parse(time_device)
  return time_server === null ? taken : Math.min(taken, Date.parse(time_server))
}

/** Since when a vehicle has had no signal as of `at`. Empty if it has one. */
export function silence(row: Times, { fleet, times }: Question, at: number): object {
  const last = lastSignal(row)
  if (last === null) return { no_signal: 'never had one' }
  return silenceSince(last, { fleet, times }, at)
}

/** The same of the time of the newest position. */
export function silenceSince(
  last: number,
  { fleet, times }: Pick<Question, 'fleet' | 'times'>,
  at: number,
): object {
  const since = noSignalSince(last, fleet.maximumGapMs, at)
  return since === null ? {} : { no_signal_since: times.shown(since) }
}
